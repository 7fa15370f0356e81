/** Works through all of them in order, `atOnce` side by side; after an error none of the next ones is begun. */
export async function someAtOnce<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  for (let next = 0; next < items.length; next += atOnce) {
    await Promise.all(items.slice(next, next + atOnce).map((item) => work(item)));
  }
}
