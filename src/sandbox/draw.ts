import { hash } from 'node:crypto';

/** A number in [0, 1) that depends only on `parts`: the same parts give the same number, after any earlier draws. */
export function draw(...parts: readonly (string | number)[]): number {
  return hash('sha256', JSON.stringify(parts), 'buffer').readUInt32BE(0) / 2 ** 32;
}

/** One of `choices` (at least one), chosen by weight. `at`: a number in [0, 1). */
export function pick<T extends { weight: number }>(choices: readonly T[], at: number): T {
  const total = choices.reduce((sum, { weight }) => sum + weight, 0);
  let left = at * total;
  for (const choice of choices) {
    left -= choice.weight;
    if (left < 0) return choice;
  }
  return choices.at(-1) as T;
}
