import { expect, it } from 'vitest';
import type { Discrepancy } from '../../src/domain/statements/booked.ts';
import { ordersStatementId } from '../../src/domain/statements/lines.ts';
import type { EntryDetail, StatementEntry } from '../../src/domain/statements/statement.ts';
import type { StatementRecord } from '../../src/store/store.ts';
import { onEveryStore } from './stores.ts';

const ENTRY: StatementEntry = {
  ...{ position: 1, minor: 1_050n, currency: 'USD', direction: 'debit', isReversal: false, isPending: false },
  ...{
    bookedOn: '2026-03-02',
    valueOn: undefined,
    code: 'NTRF',
    bankReference: 'B1',
    references: ['ref'],
    text: 'Rent',
  },
  ...{ batch: undefined, returnReason: undefined, counterparty: undefined, chargesMinor: 0n, details: 0, line: 5 },
};

const STATEMENT: StatementRecord & { takenAt: number } = {
  ...{ statementId: 'stm-1', accountId: 'acc-1', uid: 'user-1', currency: 'USD', kind: 'statement', format: 'MT940' },
  ...{ number: '1/1', fromDay: '2026-03-02', toDay: '2026-03-02', opening: '100.00', closing: '89.50', entries: 1 },
  ...{ digest: 'abc', file: 'march.sta', takenBy: 'alice', takenAt: 5_000 },
};

const ORDERS = { ...STATEMENT, statementId: ordersStatementId('acc-1'), kind: 'orders' } as const;

onEveryStore('Statements', (test) => {
  it('count once they are taken, and are taken once', async () => {
    const store = await test.open();
    await store.beginStatement(STATEMENT);
    await store.recordEntries(STATEMENT, [ENTRY], []);
    expect(await store.entriesSince('user-1', '2026-03-01')).toEqual([]);
    expect(await store.takeStatement(STATEMENT)).toBe(true);
    expect(await store.takeStatement(STATEMENT)).toBe(false);
    const [kept] = await store.entriesSince('user-1', '2026-03-01');
    expect(kept).toMatchObject({ entryId: 'stm-1.1', kind: 'statement', minor: 1_050n, references: ['ref'] });
    expect(await store.entriesSince('user-1', '2026-03-03')).toEqual([]);
    expect(await store.statementsNumbered(STATEMENT)).toMatchObject([{ statementId: 'stm-1' }]);
  });

  it('keep the details of an entry, and what people say of it', async () => {
    const store = await test.open();
    await store.beginStatement(STATEMENT);
    const detail: EntryDetail = {
      ...{ part: 2, minor: undefined, currency: 'USD', direction: 'debit', references: [], text: '', chargesMinor: 3n },
      ...{ bankReference: undefined, returnReason: { code: 'AC04', text: undefined }, counterparty: undefined },
    };
    await store.recordEntries(STATEMENT, [ENTRY], [{ position: 1, detail }]);
    await store.takeStatement(STATEMENT);
    const found = await store.entryDetails(['stm-1.1', 'stm-1.2']);
    expect(found.get('stm-1.1')).toMatchObject([{ part: 2, chargesMinor: 3n, returnReason: { code: 'AC04' } }]);
    const decision = { lineId: 'stm-1.1', uid: 'user-1', reference: null, by: 'alice', reason: 'rent', at: 6_000 };
    await store.decideEntry(decision);
    await store.decideEntry({ ...decision, reference: 'ref', reason: 'no rent' });
    expect(await store.entryDecisions('user-1')).toEqual([{ ...decision, reference: 'ref', reason: 'no rent' }]);
    expect(await store.auditEntriesOf('stm-1.1')).toMatchObject([{ action: 'booking matched', actor: 'alice' }]);
  });

  it('of an order list take the place of the ones before, and give way to those of the bank', async () => {
    const store = await test.open();
    await store.replaceOrders(ORDERS, [
      { ...ENTRY, entryId: 'ord-1' },
      { ...ENTRY, entryId: 'ord-2' },
    ]);
    await store.replaceOrders(ORDERS, [{ ...ENTRY, entryId: 'ord-2', minor: 7n }]);
    expect(await store.entriesSince('user-1', '2026-03-01')).toMatchObject([{ entryId: 'ord-2', minor: 7n }]);
    await store.beginStatement(STATEMENT);
    await store.recordEntries(STATEMENT, [ENTRY], []);
    await store.takeStatement(STATEMENT);
    expect((await store.entriesSince('user-1', '2026-03-01')).map(({ entryId }) => entryId)).toEqual(['stm-1.1']);
  });

  it('have differences that come, go and come back', async () => {
    const store = await test.open();
    await store.beginStatement(STATEMENT);
    await store.recordEntries(STATEMENT, [ENTRY], []);
    await store.takeStatement(STATEMENT);
    const found: Discrepancy = {
      ...{ kind: 'unexplained-debit', reference: undefined, lineIds: ['stm-1.1'], accountId: 'acc-1', currency: 'USD' },
      ...{ ours: undefined, ourCurrency: 'USD', booked: 1_050n, on: '2026-03-02', candidates: [] },
    };
    const match = {
      lineId: 'stm-1.1',
      movementId: 'm',
      reference: 'ref',
      kind: 'payment',
      by: 'amount',
      minor: -100n,
    } as const;
    const pass = { uid: 'user-1', since: '2026-03-01', at: 7_000 };
    const first = await store.recordReconciliation(pass, [], [found]);
    expect(first.kept).toMatchObject([{ isNew: true }]);
    await store.noteDiscrepancyIncident(first.kept[0]?.discrepancyId ?? '', 'inc-1');
    expect(await store.recordReconciliation(pass, [match], [])).toEqual({ kept: [], explained: ['inc-1'] });
    expect(await store.discrepancies({ open: true, limit: 10 })).toEqual([]);
    expect(await store.matchesOfPayouts(['ref'])).toMatchObject([{ lineId: 'stm-1.1', foundBy: 'amount' }]);
    expect((await store.recordReconciliation(pass, [], [found])).kept).toMatchObject([{ isNew: false }]);
    expect(await store.discrepancies({ open: true, limit: 10 })).toMatchObject([
      { booked: '10.50', lineIds: ['stm-1.1'] },
    ]);
    expect(await store.matchesOfPayouts(['ref'])).toEqual([]);
  });
});
