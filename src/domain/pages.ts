/**
 * Pages of a long list, none of them empty: `read` gives the items behind the last one of the page before, in order, `size` at
 * most.
 */
export async function* pagesOf<Item>(
  size: number,
  read: (last: Item | undefined) => Promise<Item[]>,
): AsyncGenerator<Item[]> {
  for (let last: Item | undefined; ; ) {
    const page = await read(last);
    if (page.length > 0) yield page;
    if (page.length < size) return;
    last = page.at(-1);
  }
}
