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

/** Processes items in order, at most `atOnce` at a time; after an error none is begun any more. */
export async function someAtOnce<Item>(
  items: Iterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  // Unlike an array's own iterator, a generator is over for every lane once one of them has left its loop by an error.
  const left = handedOut(items);
  const lane = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

function* handedOut<Item>(items: Iterable<Item>): Generator<Item> {
  yield* items;
}

/** The members that have a value. */
export const present = (fields: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined));
