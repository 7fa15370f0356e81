import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Bank } from '../../../src/bank/bank.ts';
import { formatMinor } from '../../../src/domain/money.ts';
import { takeOrders } from '../../../src/reports/statements/orders-statement.ts';
import { reconcileUser } from '../../../src/reports/statements/reconcile-user.ts';
import { discrepancyDocuments } from '../../../src/reports/statements/statement-report.ts';
import { takeStatements } from '../../../src/reports/statements/take-statement.ts';
import type { Store } from '../../../src/store/store.ts';
import { newStore } from '../../support/empty-store.ts';
import { newFolder } from '../../support/new-folder.ts';
import { quickSettings } from '../../support/product.ts';
import { ACCOUNTS, camt053, type Month, monthOf, mt940, storeMonth } from './month.ts';

const SEEDS = [1, 2, 3, 4, 5, 6];
const NOW = Date.parse('2026-04-10T12:00:00Z');

async function storeOf(month: Month): Promise<Store> {
  const store = await newStore();
  await storeMonth(store, month);
  for (const account of ['acc-eur-2', 'acc-usd']) {
    const [first] = month.payouts;
    if (first === undefined) continue;
    const { instruction } = first.row;
    // Accounts are ours if payouts are made from them.
    const row = { ...first.row, row: 1, reference: `other-${account}`, workflowId: `payout/other-${account}` };
    const rows = [{ ...row, instruction: { ...instruction, id: account, account_id: account } }];
    await store.claimBatch({ batchId: account, file: 'x.csv', sha256: account, by: 'maker', rows, at: NOW });
  }
  return store;
}

async function takeFile(store: Store, text: string, ofUser: (uid: string) => Promise<object[]> = async () => []) {
  const folder = newFolder();
  const file = join(folder, 'statement');
  writeFileSync(file, text);
  const bank = { accounts: { ofUser } };
  return takeStatements(
    { config: {}, store, bank, now: () => NOW } as unknown as Parameters<typeof takeStatements>[0],
    file,
    {},
  );
}

function bankOf({ orders }: Month): Bank {
  const accounts = Object.entries(ACCOUNTS).map(([account_id, currency]) => ({ account_id, currency, uid: 'user-1' }));
  const balance = { balance: formatMinor(1_000_000n, 'EUR'), frozen: '0' };
  return {
    accounts: {
      ofUser: async () => accounts.map((it) => ({ ...it, ...balance })),
      get: async (account_id: string) => ({ account_id, ...balance }),
    },
    orders: {
      listAll: async ({ currency }: { currency: string }) => ({
        orders: orders.filter((it) => it.transaction_currency === currency),
      }),
    },
  } as unknown as Bank;
}

const inWords = (some: readonly { kind: string; reference: string | null }[], month: Month): string[] =>
  some
    .map(({ kind, reference }) => {
      const of = month.payouts.find(({ row }) => row.reference === reference);
      return `${kind} ${of?.row.instruction.id ?? reference ?? 'of none'}`;
    })
    .sort();

const found = async (store: Store) => store.discrepancies({ uid: 'user-1', open: true, limit: 1_000 });

describe.each(SEEDS)('the month of seed %i', (seed) => {
  it.each([
    ['camt.053.001.08', (month: Month) => camt053(month.bookings)],
    ['camt.053.001.02', (month: Month) => camt053(month.bookings, '02')],
    ['MT940', (month: Month) => mt940(month.bookings)],
  ])('in %s: each planted discrepancy is found once, and no other', async (_format, write) => {
    const month = monthOf(seed);
    const store = await storeOf(month);
    const { statements } = await takeFile(store, write(month));
    expect(statements.flatMap(({ findings }) => findings)).toEqual([]);
    expect(inWords(await found(store), month)).toEqual(inWords(month.planted, month));
    expect(await returnsIn(store, month)).toEqual(expectedReturns(month));
  });

  it('in the order list of the bank: each planted discrepancy is found once, and no other', async () => {
    const month = monthOf(seed);
    const store = await storeOf(month);
    await takeOrders({ store, settings: quickSettings, now: () => NOW }, bankOf(month), 'user-1');
    expect(inWords(await found(store), month)).toEqual(inWords(month.planted, month));
    expect(await returnsIn(store, month)).toEqual(expectedReturns(month));
    const before = await found(store);
    const incidents = await store.incidents({ open: true, limit: 1_000 });
    // An order of nobody's reference is one, with its fee.
    const strange = new Set(['unexplained-debit', 'unattributed-return']);
    expect(incidents.filter(({ kind }) => kind === 'booking-unexplained')).toHaveLength(
      month.planted.filter(({ kind }) => strange.has(kind)).length,
    );
    await takeOrders({ store, settings: quickSettings, now: () => NOW }, bankOf(month), 'user-1');
    expect(await found(store)).toEqual(before);
    expect(await store.incidents({ open: true, limit: 1_000 })).toEqual(incidents);
  });
});

async function returnsIn(store: Store, month: Month): Promise<string[]> {
  const returns = await store.returnsOf(month.payouts.map(({ row }) => row.reference));
  return returns.map(({ reference, amount }) => `${reference} ${amount}`).sort();
}

const expectedReturns = ({ returns }: Month): string[] =>
  returns.map(({ reference, amount }) => `${reference} ${amount}`).sort();

it('takes the same file once, and opens each incident once', async () => {
  const month = monthOf(7);
  const store = await storeOf(month);
  await takeFile(store, camt053(month.bookings));
  const before = await found(store);
  const incidents = await store.incidents({ open: true, limit: 1_000 });
  const { statements } = await takeFile(store, camt053(month.bookings));
  expect(new Set(statements.map(({ outcome }) => outcome))).toEqual(new Set(['known']));
  expect(await found(store)).toEqual(before);
  expect(await store.incidents({ open: true, limit: 1_000 })).toEqual(incidents);
  const differences = month.planted.filter(({ kind }) => kind !== 'unexplained-credit');
  expect(incidents.filter(({ kind }) => kind !== 'returned')).toHaveLength(differences.length);
  expect(incidents.filter(({ kind }) => kind === 'returned')).toHaveLength(month.returns.length);
  const [back] = incidents.filter(({ kind }) => kind === 'returned');
  expect(back?.order?.status).toBe('the account of the payee is closed (AC04)');
});

describe('the statements of days and one of all of them', () => {
  const of = (month: Month) => ({ days: camt053(month.bookings), all: camt053(month.bookings, '08', true) });
  it.each([
    ['the days first', (month: Month) => [of(month).days, of(month).all]],
    ['the days last', (month: Month) => [of(month).all, of(month).days]],
    ['the days in another format', (month: Month) => [of(month).all, mt940(month.bookings)]],
  ])('book each booking once, and record each return once: %s', async (_order, files) => {
    const month = monthOf(10);
    const store = await storeOf(month);
    for (const file of files(month)) {
      const { statements } = await takeFile(store, file);
      expect(new Set(statements.map(({ outcome }) => outcome))).toEqual(new Set(['taken']));
      expect(inWords(await found(store), month)).toEqual(inWords(month.planted, month));
      expect(await returnsIn(store, month)).toEqual(expectedReturns(month));
    }
    const incidents = await store.incidents({ open: true, limit: 1_000 });
    expect(incidents.filter(({ kind }) => kind === 'returned')).toHaveLength(month.returns.length);
  });
});

it('reports a file that was booked without one of its rows once, with both sums and the row', async () => {
  const month = monthOf(13);
  const store = await storeOf(month);
  const of = month.payouts.filter(({ batchId }) => batchId === 'file2026-03-23');
  const missing = of.find(({ minor }) => of.filter((it) => it.minor === minor).length === 1);
  const booked = month.bookings.find(({ batch }) => batch?.id === 'file2026-03-23');
  if (booked === undefined || missing === undefined) throw new Error('no file');
  booked.minor += missing.minor;
  await takeFile(store, camt053(month.bookings));
  const differences = await found(store);
  expect(inWords(differences, month)).toEqual([...inWords(month.planted, month), 'other-sum of none'].sort());
  const [sides] = await discrepancyDocuments(
    store,
    differences.filter(({ kind }) => kind === 'other-sum'),
  );
  const sum = of.reduce((total, { minor }) => total + minor, 0n);
  expect(sides).toMatchObject({
    ours: { amount: formatMinor(sum, 'EUR') },
    booked: { amount: formatMinor(sum - missing.minor, 'EUR') },
    batchId: 'file2026-03-23',
    candidates: [{ reference: missing.row.reference }],
  });
  const incident = await store.incident(sides?.incidentId ?? '');
  expect(incident).toMatchObject({ kind: 'booked-otherwise', differs: { field: 'sum of the file' } });
});

it('shows the rows of the nearest file where a collective booking names none, and is the sum of none', async () => {
  const month = monthOf(14);
  const store = await storeOf(month);
  const rows = month.payouts.filter(({ batchId }) => batchId === 'file2026-03-24');
  const booked = month.bookings.find(({ batch }) => batch?.id === 'LUMP');
  if (booked === undefined || rows.length !== 4) throw new Error('no file');
  booked.minor += 7n;
  await takeFile(store, camt053(month.bookings));
  const strange = (await found(store)).filter(
    ({ kind, booked: minor }) => kind === 'unexplained-debit' && minor === formatMinor(-booked.minor, 'EUR'),
  );
  expect(strange.map(({ candidates }) => [...candidates].sort())).toEqual([
    rows.map(({ row }) => row.reference).sort(),
  ]);
});

it('attributes a return of equal amounts only when people say to which payout it belongs', async () => {
  const month = monthOf(8);
  const store = await storeOf(month);
  await takeFile(store, camt053(month.bookings));
  const unattributed = (await found(store)).find(({ kind }) => kind === 'unattributed-return');
  const [lineId = ''] = unattributed?.lineIds ?? [];
  const [reference = '', another] = unattributed?.candidates ?? [];
  expect(another).toBeDefined();
  await store.decideEntry({ lineId, uid: 'user-1', reference, by: 'alice', reason: 'asked the bank', at: NOW });
  await reconcileUser({ store, now: () => NOW }, 'user-1');
  const before = await found(store);
  expect(before.map(({ kind }) => kind)).not.toContain('unattributed-return');
  const kept = { orderId: lineId, reasonCode: 'AC01', reasonText: null };
  expect(await store.returnsOf([reference])).toContainEqual(expect.objectContaining(kept));
  expect(await store.incident(unattributed?.incidentId ?? '')).toMatchObject({ acknowledged: { by: 'bank' } });
  await reconcileUser({ store, now: () => NOW }, 'user-1');
  expect(await found(store)).toEqual(before);
});

it('takes the statement of an account that only receives, which the bank lists for a user of the store', async () => {
  const month = monthOf(9);
  const store = await storeOf(month);
  const receives = mt940(month.bookings).replaceAll('acc-eur', 'acc-collects').split('\n-')[0] ?? '';
  const take = async (ofUser?: (uid: string) => Promise<object[]>) =>
    (await takeFile(store, `${receives}\n-`, ofUser)).statements[0];
  const refused = (message: string) => ({ outcome: 'refused', findings: [{ rule: 'unknown-account', message }] });
  expect(await take()).toMatchObject(refused(expect.stringMatching(/^not an account of ours/)));
  const unanswered = await take(async () => Promise.reject(new Error('no connection')));
  expect(unanswered).toMatchObject(refused(expect.stringContaining('the bank could not be asked (no connection)')));
  const other = await take(async () => [{ account_id: 'acc-collects', currency: 'USD' }]);
  expect(other).toMatchObject({ outcome: 'refused', findings: [{ rule: 'account-currency' }] });
  const found = await take(async (uid) => (uid === 'user-1' ? [{ account_id: 'acc-collects', currency: 'EUR' }] : []));
  expect(found).toMatchObject({ outcome: 'taken', accountId: 'acc-collects' });
});

it('takes back that a payout is not booked when a later statement has the booking', async () => {
  const month = monthOf(9);
  const store = await storeOf(month);
  const missing = month.planted.find(({ kind }) => kind === 'not-booked');
  await takeFile(store, mt940(month.bookings));
  const late = month.payouts.find(({ row }) => row.reference === missing?.reference);
  const { reference = '' } = late?.row ?? {};
  const statements = await takeNext(store, '260413', { minor: -(late?.minor ?? 0n), type: 'NTRF', text: reference });
  expect(statements).toMatchObject([{ outcome: 'taken' }]);
  expect((await found(store)).map(({ kind }) => kind)).not.toContain('not-booked');
  const [incident] = await store.incidentsOf([reference]);
  expect(incident).toMatchObject({ kind: 'not-booked', acknowledged: { by: 'bank' } });
});

/** One booking more, on a day (`YYMMDD`) after the statements of a month, under their balance. */
async function takeNext(
  store: Store,
  day: string,
  { minor, type, text }: { minor: bigint; type: string; text: string },
) {
  const [latest] = await store.statementsTaken({ accountId: 'acc-eur', limit: 1 });
  const opening = BigInt(latest?.closing?.replace('.', '') ?? 0);
  const amount = (it: bigint): string => formatMinor(it < 0n ? -it : it, 'EUR').replace('.', ',');
  const lines = [
    ...[
      ':20:S',
      ':25:acc-eur',
      `:28C:${day}/1`,
      `:60F:C${latest?.toDay.slice(2).replaceAll('-', '')}EUR${amount(opening)}`,
    ],
    `:61:${day}${minor < 0n ? 'D' : 'C'}${amount(minor)}${type}${text}`,
    ...[`:62F:C${day}EUR${amount(opening + minor)}`, '-'],
  ];
  return (await takeFile(store, lines.join('\n'))).statements;
}

it.each([
  ['45 days later', (minor: bigint) => minor],
  ['45 days later, less a fee', (minor: bigint) => minor - 500n],
])('records a return %s by the reference of its payment, and asks whose it is without one', async (_when, back) => {
  const month = monthOf(11);
  const store = await storeOf(month);
  await takeFile(store, mt940(month.bookings));
  const before = await returnsIn(store, month);
  const returned = new Set(month.returns.map(({ reference }) => reference));
  const planted = new Set(month.planted.map(({ reference }) => reference));
  const [payout] = month.payouts
    .filter(
      ({ row, state, minor }) =>
        state === 'completed' && minor > 10_000n && ![returned, planted].some((its) => its.has(row.reference)),
    )
    .sort((a, b) => (a.on < b.on ? -1 : 1));
  const { reference = '' } = payout?.row ?? {};
  const minor = back(payout?.minor ?? 0n);
  const day = new Date(Date.parse(payout?.on ?? '') + 45 * 86_400_000).toISOString().slice(2, 10).replaceAll('-', '');
  const unattributed = async () => (await found(store)).filter(({ kind }) => kind === 'unattributed-return').length;
  const open = await unattributed();
  await takeNext(store, day, { minor, type: 'NRTI', text: reference });
  expect(await returnsIn(store, month)).toEqual([...before, `${reference} ${formatMinor(minor, 'EUR')}`].sort());
  expect((await store.payout(reference))?.cameBack).toMatchObject({ amount: formatMinor(minor, 'EUR') });
  expect(await unattributed()).toBe(open);
  await takeNext(
    store,
    day.replace(/\d\d$/, (it) => `${Number(it) + 1}`.padStart(2, '0')),
    { minor, type: 'NRTI', text: 'NONREF' },
  );
  expect(await unattributed()).toBe(open + 1);
  expect(await returnsIn(store, month)).toHaveLength(before.length + 1);
});
