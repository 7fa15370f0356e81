import { describe, expect, it } from 'vitest';
import type { Coverage } from '../../../src/domain/statements/lines.ts';
import { repeatsOf } from '../../../src/domain/statements/repeats.ts';

const statement = (statementId: string, days: string, balances: [bigint, bigint], takenAt: number): Coverage => {
  const [from = '', to = from] = days.split('..').map((day) => `2026-03-${day}`);
  const [opening, closing] = balances;
  return { statementId, accountId: 'acc', kind: 'statement', from, to, opening, closing, takenAt };
};

const entry = (entryId: string, minor: bigint, bankReference?: string, on = '05') => ({
  ...{ entryId, statementId: entryId.split('.')[0] ?? '', kind: 'statement' as const, accountId: 'acc' },
  ...{ bookedOn: `2026-03-${on}`, minor, direction: 'credit' as const, isReversal: false, isPending: false },
  bankReference,
});

const MONTH = statement('month', '01..31', [0n, 900n], 9);
const DAY = statement('day', '05', [100n, 400n], 5);

describe('a booking that two statements show', () => {
  it('counts in the one taken first, whichever of them is longer', () => {
    const entries = [entry('month.1', 300n, 'B1'), entry('day.1', 300n, 'B1')];
    expect([...repeatsOf(entries, [MONTH, DAY])]).toEqual([['month.1', 'day.1']]);
    expect([...repeatsOf(entries, [{ ...MONTH, takenAt: 1 }, DAY])]).toEqual([['day.1', 'month.1']]);
  });

  it('is told by the reference of the bank, and without one by its day and amount', () => {
    const apart = [entry('day.1', 300n, 'B1'), entry('month.1', 300n, 'B2')];
    expect(repeatsOf(apart, [MONTH, DAY]).size).toBe(0);
    const oneWithout = [entry('day.1', 300n, 'B1'), entry('day.2', 300n, 'B2'), entry('month.1', 300n)];
    expect([...repeatsOf(oneWithout, [MONTH, DAY])]).toEqual([['month.1', 'day.1']]);
    expect(repeatsOf([entry('day.1', 300n), entry('month.1', 300n, undefined, '06')], [MONTH, DAY]).size).toBe(0);
  });

  it('is repeated once for each booking: what the later one has more of was booked again', () => {
    const entries = [entry('day.1', 300n), entry('month.1', 300n), entry('month.2', 300n)];
    expect([...repeatsOf(entries, [MONTH, DAY])]).toEqual([['month.1', 'day.1']]);
  });

  it('is one for each statement in three', () => {
    const week = statement('week', '02..08', [50n, 500n], 7);
    const entries = ['day.1', 'week.1', 'month.1'].map((id) => entry(id, 300n, 'B1'));
    expect([...repeatsOf(entries, [MONTH, DAY, week])]).toEqual([
      ['week.1', 'day.1'],
      ['month.1', 'day.1'],
    ]);
  });
});

it('two statements of one day of which the second continues the first have bookings of their own', () => {
  const noon = statement('noon', '05', [100n, 400n], 5);
  const evening = statement('evening', '05', [400n, 700n], 6);
  const entries = [entry('noon.1', 300n), entry('evening.1', 300n)];
  expect(repeatsOf(entries, [noon, evening]).size).toBe(0);
  // The same day in another format has the same balances.
  expect(repeatsOf(entries, [noon, { ...evening, opening: 100n, closing: 400n }]).size).toBe(1);
});

it('a day that moves nothing in all is no statement that the month continues', () => {
  const first = statement('first', '01', [100n, 100n], 5);
  const month = statement('month', '01..31', [100n, 900n], 9);
  const entries = [entry('first.1', 300n, 'B1', '01'), entry('month.1', 300n, 'B1', '01')];
  expect([...repeatsOf(entries, [first, month])]).toEqual([['month.1', 'first.1']]);
});
