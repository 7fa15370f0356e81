import { expect, it } from 'vitest';
import { onEveryStore } from './stores.ts';

onEveryStore('time of calls', (store) => {
  it('is booked from now on, or behind what others have booked', async () => {
    const it = await store.open();
    expect(await it.bookCalls('all', { at: 10_000, lengthMs: 200 })).toBe(10_000);
    expect(await it.bookCalls('all', { at: 10_050, lengthMs: 200 })).toBe(10_200);
    expect(await it.bookCalls('user u-1001', { at: 10_050, lengthMs: 500 })).toBe(10_050);
    expect(await it.bookCalls('all', { at: 11_000, lengthMs: 200 })).toBe(11_000);
  });

  it('is given to one process each', async () => {
    const [one, two] = [await store.open(), await store.open()];
    const booked = await Promise.all(
      Array.from({ length: 20 }, (_, n) => (n % 2 ? one : two).bookCalls('all', { at: 5_000, lengthMs: 100 })),
    );
    expect(booked.toSorted((a, b) => a - b)).toEqual(booked.map((_, n) => 5_000 + 100 * n));
  });

  it('that a clock of tomorrow has booked keeps nobody waiting', async () => {
    const it = await store.open();
    await it.bookCalls('all', { at: 3_600_000, lengthMs: 200 });
    expect(await it.bookCalls('all', { at: 1_000, lengthMs: 200 })).toBe(1_000);
    expect(await it.bookCalls('all', { at: 1_000, lengthMs: 200 })).toBe(1_200);
  });
});
