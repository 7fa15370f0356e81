import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Bank } from '../../../src/bank/bank.ts';
import { order } from '../../../src/bank/schemas/orders.ts';
import type { Session } from '../../../src/cli/session.ts';
import { showPeriod } from '../../../src/cli/statement-actions.ts';
import { formatMinor } from '../../../src/domain/money.ts';
import type { Match, MovementKind } from '../../../src/domain/statements/booked.ts';
import { LINES, periodIn, periodName, startOfDay } from '../../../src/domain/statements/period.ts';
import type { StatementEntry, StatementKind } from '../../../src/domain/statements/statement.ts';
import { laterDay } from '../../../src/domain/time.ts';
import { takeOrders } from '../../../src/reports/statements/orders-statement.ts';
import {
  closePeriod,
  missingTexts,
  type PeriodDocument,
  periodCsv,
  periodReport,
} from '../../../src/reports/statements/period-report.ts';
import { reconcileUser } from '../../../src/reports/statements/reconcile-user.ts';
import type { Store } from '../../../src/store/store.ts';
import { claimRow } from '../../store/samples.ts';
import { newStore, openEmptyStore } from '../../support/empty-store.ts';
import { quickSettings } from '../../support/product.ts';

const FIRST = '2026-03-01';
const DAYS = 12;
const NEVER = '9999-12-31';
const NOW = Date.parse('2026-04-10T12:00:00Z');
const day = (index: number): string => laterDay(FIRST, index);
const KINDS: readonly (MovementKind | 'other')[] = [
  'payment',
  'fee',
  'exchange',
  'transfer',
  'return',
  'card',
  'other',
];

interface Booking {
  day: number;
  /** Signed. */
  minor: bigint;
  /** Undefined: nothing explains it. Two: a payment with its fee. */
  kinds: readonly (MovementKind | 'other')[];
}

const booking: fc.Arbitrary<Booking> = fc.record({
  day: fc.nat(DAYS - 1),
  minor: fc.bigInt(-(10n ** 15n), 10n ** 15n).filter((minor) => minor !== 0n),
  kinds: fc.oneof(
    fc.constant([]),
    fc.constantFrom(...KINDS).map((kind) => [kind]),
    fc.constant(['payment', 'fee'] as const),
  ),
});

async function emptyStore(): Promise<Store> {
  const store = await newStore();
  return store;
}

function entry(position: number, on: string, signed: bigint): StatementEntry {
  return {
    ...{
      position,
      minor: signed < 0n ? -signed : signed,
      currency: 'EUR',
      direction: signed < 0n ? 'debit' : 'credit',
    },
    ...{ isReversal: false, isPending: false, bookedOn: on, valueOn: undefined, code: undefined, references: [] },
    ...{ bankReference: undefined, text: '', batch: undefined, returnReason: undefined, counterparty: undefined },
    ...{ chargesMinor: 0n, details: 0, line: 1 },
  };
}

interface Taken {
  id: string;
  from: string;
  to: string;
  opening: bigint;
  bookings: readonly { on: string; minor: bigint; kinds: Booking['kinds'] }[];
}

/** As the bank would book it; returns the closing balance. */
async function take(store: Store, { id, from, to, opening, bookings }: Taken): Promise<bigint> {
  const closing = bookings.reduce((sum, { minor }) => sum + minor, opening);
  const record = {
    ...{
      statementId: id,
      accountId: 'acc-1',
      uid: 'user-1',
      currency: 'EUR',
      kind: 'statement' as StatementKind,
      format: 'MT940',
    },
    ...{
      number: id,
      fromDay: from,
      toDay: to,
      opening: formatMinor(opening, 'EUR'),
      closing: formatMinor(closing, 'EUR'),
    },
    ...{ entries: bookings.length, digest: id, file: 'x', takenBy: null, takenAt: NOW },
  } as const;
  await store.beginStatement(record);
  await store.recordEntries(
    record,
    bookings.map(({ on, minor }, index) => entry(index + 1, on, minor)),
    [],
  );
  await store.takeStatement(record);
  const matches = bookings.flatMap(({ minor, kinds }, index): Match[] =>
    kinds.map((kind, part) => {
      const some = kinds.length === 1 ? minor : part === 0 ? minor - minor / 3n : minor / 3n;
      const lineId = `${id}.${index + 1}`;
      return { lineId, movementId: `${part}`, reference: 'r', kind, by: 'reference', minor: some };
    }),
  );
  await store.recordReconciliation({ uid: 'user-1', since: NEVER, at: NOW }, matches, []);
  return closing;
}

const report = (store: Store, from: string, to = from) =>
  periodReport(store, { period: { from, to }, timeZone: 'UTC' });

const inMinor = (text: string | null | undefined): bigint => BigInt((text ?? '').replace('.', ''));

describe('an account whose bank sends statements', () => {
  it('adds up to its balances for any days, whatever was booked, and continues from period to period', async () => {
    const traffic = fc.record({
      bookings: fc.array(booking, { maxLength: 40 }),
      opening: fc.bigInt(-(10n ** 12n), 10n ** 12n),
      // Days that one statement tells, and a statement that tells all of them again.
      width: fc.integer({ min: 1, max: 5 }),
      alsoAsMonth: fc.boolean(),
      // The balance of the bank jumps here, and no booking says why.
      jump: fc.record({ day: fc.nat(DAYS), minor: fc.constantFrom(0n, 0n, 7n, -999n) }),
      cut: fc.tuple(fc.nat(DAYS - 1), fc.nat(DAYS - 1)).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const),
    });
    await fc.assert(
      fc.asyncProperty(traffic, async ({ bookings, opening, width, alsoAsMonth, jump, cut: [a, b] }) => {
        const store = await openEmptyStore();
        try {
          let balance = opening;
          const ends: bigint[] = [];
          for (let first = 0; first < DAYS; first += width) {
            const last = Math.min(first + width, DAYS) - 1;
            if (first > 0 && jump.day >= first && jump.day <= last) balance += jump.minor;
            const own = bookings.filter((it) => it.day >= first && it.day <= last);
            const dated = own.map((it) => ({ ...it, on: day(it.day) }));
            for (let n = first; n <= last; n += 1) {
              const until = own.filter((it) => it.day <= n).reduce((sum, { minor }) => sum + minor, 0n);
              ends.push(balance + until);
            }
            balance = await take(store, {
              id: `stm-${first}`,
              from: day(first),
              to: day(last),
              opening: balance,
              bookings: dated,
            });
          }
          if (alsoAsMonth && width < DAYS && jump.minor === 0n) {
            const all = bookings.map((it) => ({ ...it, on: day(it.day) }));
            await take(store, { id: 'stm-month', from: FIRST, to: day(DAYS - 1), opening, bookings: all });
          }
          const { accounts } = await report(store, day(a), day(b));
          const [account] = accounts;
          const sum = LINES.reduce((total, line) => total + inMinor(account?.lines[line]), inMinor(account?.opening));
          expect(formatMinor(sum, 'EUR')).toBe(account?.closing);
          expect(inMinor(account?.closing)).toBe(ends[b]);
          if (a > 0) {
            const { accounts: before } = await report(store, FIRST, day(a - 1));
            expect(before[0]?.closing).toBe(account?.opening);
          }
          const within = bookings.filter((it) => it.day >= a && it.day <= b);
          expect(account?.bookings).toBe(within.length);
          const paid = within.filter(({ kinds, minor }) => kinds.join() === 'payment' && minor < 0n);
          const withFee = within.filter(({ kinds, minor }) => kinds.length === 2 && minor < 0n);
          const expected = [...paid.map(({ minor }) => minor), ...withFee.map(({ minor }) => minor - minor / 3n)];
          expect(inMinor(account?.lines.paid)).toBe(expected.reduce((total, minor) => total + minor, 0n));
        } finally {
          await store.close();
        }
      }),
      { numRuns: 25 },
    );
  });

  it('is told whole by the statement of a month after those of some days, and by two that overlap only so far', async () => {
    const store = await emptyStore();
    const [a, b] = [
      { on: day(2), minor: -700n, kinds: [] },
      { on: day(5), minor: -50n, kinds: [] },
    ] as const;
    const middle = await take(store, { id: 'stm-days', from: FIRST, to: day(3), opening: 5_000n, bookings: [a] });
    await take(store, { id: 'stm-month', from: FIRST, to: day(8), opening: 5_000n, bookings: [a, b] });
    const whole = await report(store, FIRST, day(8));
    expect(whole.accounts).toMatchObject([{ opening: '50.00', closing: '42.50', bookings: 2 }]);
    expect(whole.missing).toEqual([]);
    await take(store, { id: 'stm-later', from: day(7), to: day(12), opening: middle, bookings: [] });
    const [missing] = (await report(store, day(7), day(12))).missing;
    expect(missing?.day).toBe(day(9));
  });

  it('is closed, reopened by a booking that comes late, and closed again: the newer document names the older one', async () => {
    const store = await emptyStore();
    const paid = { minor: -700n, kinds: [] };
    const middle = await take(store, {
      id: 'stm-1',
      from: FIRST,
      to: day(1),
      opening: 5_000n,
      bookings: [{ on: day(1), ...paid }],
    });
    await take(store, { id: 'stm-3', from: day(3), to: day(3), opening: middle, bookings: [] });
    const close = (text: string) => {
      const period = periodIn(text, day(20));
      if (period === undefined) throw new Error('no period');
      return closePeriod(store, { period, timeZone: 'UTC', by: 'alice', now: NOW });
    };
    const first = await close('2026-03-02');
    const range = await close('2026-03-01..2026-03-03');
    expect(first).toMatchObject({ isNew: true, document: { version: 1, supersedes: null } });
    expect((await close('2026-03-02')).isNew).toBe(false);
    // The bank sends another statement of that day.
    await take(store, {
      id: 'stm-2',
      from: day(1),
      to: day(1),
      opening: middle,
      bookings: [{ on: day(1), minor: -50n, kinds: [] }],
    });
    const { reopened } = await reconcileUser({ store, now: () => NOW }, 'user-1');
    expect(reopened).toEqual(['2026-03-02', '2026-03-01..2026-03-03']);
    expect((await reconcileUser({ store, now: () => NOW }, 'user-1')).reopened).toEqual([]);
    const { documents } = await report(store, day(1));
    expect(documents).toMatchObject([{ version: 1, reopenedWhy: 'account acc-1 has other bookings in EUR now' }]);
    const second = await close('2026-03-02');
    expect(second.document).toMatchObject({ version: 2, supersedes: first.document.digest });
    const kept = await store.periodDocument(first.document.digest);
    expect(hash('sha256', kept?.text ?? '')).toBe(first.document.digest);
    const { accounts } = JSON.parse((await store.periodDocument(second.document.digest))?.text ?? '') as PeriodDocument;
    expect(accounts).toMatchObject([{ opening: '50.00', closing: '42.50', lines: { unexplainedOut: '-7.50' } }]);
    const entries = await store.auditEntries({ subject: 'period 2026-03-02..2026-03-02' });
    expect(entries.map(({ action, detail }) => [action, detail.digest])).toEqual([
      ['period closed', first.document.digest],
      ['period reopened', first.document.digest],
      ['period closed', second.document.digest],
    ]);
    expect((await store.periodDocuments({ limit: 10 })).map(({ reopenedAt }) => reopenedAt === null)).toEqual([
      false,
      true,
      false,
    ]);
    expect(range.document.version).toBe(1);
  });

  it('is not closed before it is over, nor while a statement is missing', async () => {
    const store = await emptyStore();
    await take(store, { id: 'stm-1', from: FIRST, to: FIRST, opening: 0n, bookings: [] });
    const close = (from: string, now: number) =>
      closePeriod(store, { period: { from, to: from }, timeZone: 'Pacific/Auckland', by: 'alice', now });
    await expect(close(day(1), NOW)).rejects.toMatchObject({ code: 'statement-missing' });
    // 2026-03-01 ends in Auckland at 11:00 UTC.
    await expect(close(FIRST, Date.parse('2026-03-01T10:59:00Z'))).rejects.toMatchObject({ code: 'period-not-over' });
    expect((await close(FIRST, Date.parse('2026-03-01T11:00:00Z'))).isNew).toBe(true);
  });
});

describe('an account that has only an order list', () => {
  const at = (text: string): number => Date.parse(text);
  const order1 = { order_id: 'o1', type: 'PAYMENT', direct: 'IN', status: 'COMPLETED', transaction_account: 'acc-1' };
  const inEuro = (id: string, amount: string, made: string, change: object = {}) =>
    order.parse({
      ...{ ...order1, order_id: id, transaction_currency: 'EUR', transaction_amount: amount },
      ...{ created_at: at(made), updated_at: at(made), ...change },
    });
  const taken = async (store: Store, balance: string, now: string, orders: readonly ReturnType<typeof inEuro>[]) => {
    const account = { account_id: 'acc-1', currency: 'EUR', uid: 'user-1', balance, frozen: '0' };
    const bank = {
      accounts: { ofUser: async () => [account], get: async () => account },
      orders: { listAll: async () => ({ orders }) },
    } as unknown as Bank;
    return takeOrders({ store, settings: quickSettings, now: () => at(now) }, bank, 'user-1');
  };
  const lines = async (store: Store, on: string) => {
    const [account] = (await report(store, on)).accounts;
    const moved = LINES.filter((line) => inMinor(account?.lines[line]) !== 0n).map((line) => [
      line,
      account?.lines[line],
    ]);
    return { opening: account?.opening, ...Object.fromEntries(moved), closing: account?.closing };
  };

  it('has every day at its balances, and what no order explains on the day on which it was seen', async () => {
    const store = await emptyStore();
    const deposit = inEuro('o1', '100.00', '2026-03-02T09:00:00Z');
    await taken(store, '100.00', '2026-03-02T12:00:00Z', [deposit]);
    // 5.00 are gone without an order, then 30.00 go by one of a stranger.
    await taken(store, '95.00', '2026-03-03T12:00:00Z', [deposit]);
    const out = inEuro('o2', '30.00', '2026-03-04T09:00:00Z', { direct: 'OUT' });
    await taken(store, '65.00', '2026-03-04T12:00:00Z', [deposit, out]);
    expect(await lines(store, '2026-03-02')).toEqual({ opening: '0.00', otherIn: '100.00', closing: '100.00' });
    expect(await lines(store, '2026-03-03')).toEqual({ opening: '100.00', unexplainedOut: '-5.00', closing: '95.00' });
    expect(await lines(store, '2026-03-04')).toEqual({ opening: '95.00', unexplainedOut: '-30.00', closing: '65.00' });
  });

  it('takes back what was unexplained only because the list showed an order late, and keeps it on its day', async () => {
    const store = await emptyStore();
    const deposit = inEuro('o1', '100.00', '2026-03-02T09:00:00Z');
    await taken(store, '100.00', '2026-03-02T12:00:00Z', [deposit]);
    const late = inEuro('o2', '40.00', '2026-03-03T09:00:00Z');
    await taken(store, '140.00', '2026-03-03T12:00:00Z', [deposit]);
    expect(await lines(store, '2026-03-03')).toMatchObject({ unexplainedIn: '40.00' });
    // The bank changes the order later without moving money.
    await taken(store, '140.00', '2026-03-04T12:00:00Z', [deposit, late]);
    await taken(store, '140.00', '2026-03-05T12:00:00Z', [
      deposit,
      { ...late, updated_at: at('2026-03-05T09:00:00Z') },
    ]);
    expect(await lines(store, '2026-03-03')).toEqual({ opening: '100.00', otherIn: '40.00', closing: '140.00' });
    expect(await lines(store, '2026-03-04')).toEqual({ opening: '140.00', closing: '140.00' });
    expect(await lines(store, '2026-03-05')).toEqual({ opening: '140.00', closing: '140.00' });
  });

  it('closes a day only by a list that was read when it was over', async () => {
    const store = await emptyStore();
    const deposit = inEuro('o1', '100.00', '2026-03-02T09:00:00Z');
    await taken(store, '100.00', '2026-03-02T12:00:00Z', [deposit]);
    const close = () =>
      closePeriod(store, { period: { from: '2026-03-02', to: '2026-03-02' }, timeZone: 'UTC', by: 'alice', now: NOW });
    await expect(close()).rejects.toMatchObject({ code: 'statement-missing' });
    await taken(store, '100.00', '2026-03-03T00:00:00Z', [deposit]);
    expect((await close()).document.version).toBe(1);
    const [{ reopened } = { reopened: [] }] = await taken(store, '110.00', '2026-03-03T08:00:00Z', [
      deposit,
      inEuro('o2', '10.00', '2026-03-02T23:00:00Z'),
    ]);
    expect(reopened).toEqual(['2026-03-02']);
  });
});

it('counts what was submitted in the business days of a time zone, and is a table', async () => {
  const store = await emptyStore();
  const claim = (id: string, at: string) =>
    store.claimBatch({
      batchId: id,
      file: 'x.csv',
      sha256: id,
      by: 'maker',
      rows: [claimRow(1, id, { amount: '10.50' })],
      at: Date.parse(at),
    });
  await claim('before', '2026-03-01T22:59:59Z');
  await claim('first', '2026-03-01T23:00:00Z');
  await claim('last', '2026-03-02T22:59:59Z');
  const found = await periodReport(store, {
    period: { from: '2026-03-02', to: '2026-03-02' },
    timeZone: 'Europe/Berlin',
  });
  expect(found.accounts).toMatchObject([{ books: 'none', instructed: { count: 2, amount: '21.00' }, closing: null }]);
  expect(periodCsv(found).split('\n')[1]).toMatch(/^2026-03-02,.+,none,2,21\.00,,/);
});

it('counts what is paid by exchange on the account that pays, and names what to take', async () => {
  const store = await emptyStore();
  const bought = { account_id: 'acc-eur', currency: 'USD', sell_currency: 'EUR', max_rate: '0.93' };
  const rows = [claimRow(1, 'a', { ...bought, amount: '10.50', paying_account_id: 'acc-usd' })];
  await store.claimBatch({ batchId: 'b', file: 'x.csv', sha256: 'b', by: 'maker', rows, at: NOW });
  const today = { from: '2026-04-10', to: '2026-04-10' };
  const found = await periodReport(store, { period: today, timeZone: 'UTC' });
  expect(found.accounts).toMatchObject([{ accountId: 'acc-usd', currency: 'USD', instructed: { amount: '10.50' } }]);
  const printed: string[] = [];
  const result = (_document: unknown, text: string): number => printed.push(text);
  await showPeriod({ ask: async () => found, output: { result } } as unknown as Session, undefined, {});
  expect(printed[0]).toContain('No statement was taken of acc-usd.\nTake a statement: payouts statement FILE');
  const missing = ['a', 'b', 'c'].map((accountId) => ({ accountId, day: '2026-04-10', books: 'statement' as const }));
  expect(missingTexts(missing)).toEqual(['Statements of 3 accounts from 2026-04-10 on are missing.']);
  expect(missingTexts(missing.slice(0, 1))).toEqual(['A statement of a from 2026-04-10 on is missing.']);
});

it.each([
  ['2026-03-31', '2026-03-31', '2026-03-31', '2026-03-31'],
  ['2026-02', '2026-02-01', '2026-02-28', '2026-02'],
  ['2026-03-01..2026-03-31', '2026-03-01', '2026-03-31', '2026-03'],
  ['2026-03-01..2026-03-30', '2026-03-01', '2026-03-30', '2026-03-01..2026-03-30'],
  ['yesterday', '2026-03-09', '2026-03-09', '2026-03-09'],
])('reads %s', (text, from, to, name) => {
  expect(periodIn(text, '2026-03-10')).toEqual({ from, to });
  expect(periodName({ from, to })).toBe(name);
});

it.each(['2026-13', '2026-02-30', '2026-03-02..2026-03-01', '', '..', 'a', '2026-03-01..2026-03-02..2026-03-03'])(
  'takes %s for no period',
  (text) => expect(periodIn(text, '2026-03-10')).toBeUndefined(),
);

it('begins a day when it begins in its zone, also where clocks change', () => {
  expect(startOfDay('2026-03-29', 'Europe/Berlin')).toBe(Date.parse('2026-03-28T23:00:00Z'));
  expect(startOfDay('2026-03-30', 'Europe/Berlin')).toBe(Date.parse('2026-03-29T22:00:00Z'));
  expect(startOfDay('2026-03-29', 'Asia/Kathmandu')).toBe(Date.parse('2026-03-28T18:15:00Z'));
});
