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
