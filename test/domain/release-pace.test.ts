import { describe, expect, it } from 'vitest';
import { roomInQueue } from '../../src/domain/pace.ts';

/** Rows that wait after each release, with workers that begin with so many between two of them. */
function queues(begun: (release: number) => number, releases = 12): number[] {
  const all: number[] = [];
  let before = 0;
  for (let n = 0; n < releases; n += 1) {
    const waiting = Math.max(0, before - begun(n));
    before = waiting + roomInQueue(before, waiting);
    all.push(before);
  }
  return all;
}

describe('rows that wait for a worker', () => {
  it('are few where workers are busy with others, or where there is none', () => {
    expect(new Set(queues(() => 1))).toEqual(new Set([10]));
    expect(new Set(queues(() => 0))).toEqual(new Set([10]));
  });

  it('are always more than the workers begin with until the next release', () => {
    for (const speed of [5, 25, 100]) expect(queues(() => speed).at(-1)).toBeGreaterThan(speed);
  });

  it('become few again when workers become slow', () => {
    expect(queues((n) => (n < 6 ? 100 : 20), 24).at(-1)).toBeLessThanOrEqual(40);
  });
});
