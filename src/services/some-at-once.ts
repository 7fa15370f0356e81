/** Processes items in order, `atOnce` at a time; after an error no further group is started. */
export async function someAtOnce<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  for (let next = 0; next < items.length; next += atOnce) {
    await Promise.all(items.slice(next, next + atOnce).map((item) => work(item)));
  }
}
