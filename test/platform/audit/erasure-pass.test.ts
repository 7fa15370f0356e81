import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { EntryDetail, StatementEntry } from '../../../src/domain/statements/statement.ts';
import { DAY_MS } from '../../../src/domain/time.ts';
import { erasurePass } from '../../../src/platform/audit/erasure-pass.ts';
import { compareWithLog } from '../../../src/platform/audit/read-log.ts';
import type { StatementRecord, Store } from '../../../src/store/store.ts';
import { batchClaim, claimRow, payoutClaim } from '../../store/samples.ts';
import { onEveryStore } from '../../store/stores.ts';
import { newFolder } from '../../support/new-folder.ts';
import { tamper } from '../../support/sql.ts';

const DAYS = 100;
const NOW = 1_000 * DAY_MS;
const ENDED = NOW - 101 * DAY_MS;

const FIELDS = {
  beneficiary_id: undefined,
  account_name: 'Zoe Zimtstern',
  iban_no: 'DE89370400440532013000',
  note: 'for Zoe Zimtstern',
  advice_to: 'Zimtstern@payee.example',
  reason: 'alimony of Zimtstern',
};
const MARKS = /Zimtstern|DE89370400440532013000/;

const named = (row: number, id: string) => claimRow(row, id, FIELDS);
const { reference } = named(1, 'doc');

/** Claims two rows with names, has the first one paid at `at`, and another payout outside of any batch. */
async function paid(store: Store, at = ENDED): Promise<void> {
  await store.claimBatch({ ...batchClaim('b-1', [], at), rows: [named(1, 'doc'), named(2, 'other')] });
  const alone = { ...payoutClaim('alone', { at }), ...named(1, 'alone') };
  for (const claim of [{ ...payoutClaim('doc', { at }), ...named(1, 'doc') }, alone]) {
    const { record } = await store.claimPayout(claim);
    const { term } = record;
    const attempt = { reference: claim.reference, attempt: 1, runId: 'run-1', activityId: '1', sentAt: at };
    const request = { accountId: 'acc-1', beneficiaryId: 'ben-1', payeeDigest: 'd', amount: '10.50', currency: 'USD' };
    const { note, reason } = FIELDS;
    const sent = { ...request, expiredAt: 9, note, reason };
    await store.recordAttempt({ ...attempt, claim: { reference: claim.reference, term }, request: sent });
    await store.changePayout(claim.reference, { state: 'completed', orderId: `o-${claim.instruction.id}`, at });
  }
}

const pass = (store: Store, now = NOW) => erasurePass({ store, days: DAYS, folders: [] }, () => now)();
const erasedEntries = async (store: Store, subject = reference) =>
  (await store.auditEntriesOf(subject)).filter(({ action }) => action === 'personal data erased');

const DAY = new Date(ENDED).toISOString().slice(0, 10);
const STATEMENT: StatementRecord & { takenAt: number } = {
  ...{ statementId: 'stm-1', accountId: 'acc-1', uid: 'user-1', currency: 'USD', format: 'MT940', number: '7' },
  ...{ fromDay: DAY, toDay: DAY, opening: '0.00', closing: '10.50', entries: 1, digest: 'd', file: 'f' },
  kind: 'statement',
  takenBy: 'alice',
  takenAt: ENDED,
};
const DETAIL: EntryDetail = {
  ...{ part: 1, minor: 1_050n, currency: 'USD', references: ['doc'], text: 'back from Zoe Zimtstern' },
  ...{ bankReference: undefined, counterparty: FIELDS.iban_no, chargesMinor: 0n },
  direction: 'credit',
  returnReason: { code: 'AC04', text: 'Zoe Zimtstern has closed it' },
};
const ENTRY: StatementEntry = {
  ...{ ...DETAIL, minor: 1_050n, position: 1, isReversal: false, isPending: false, bookedOn: DAY, valueOn: DAY },
  ...{ code: undefined, batch: undefined, details: 1, line: 1 },
};
const inText = (_name: string, value: unknown): unknown => (typeof value === 'bigint' ? `${value}` : value);

onEveryStore('Erasing personal data', (test) => {
  it('leaves nothing about the payee of an ended payout, and the log says the same of its row', async () => {
    const store = await test.open();
    await paid(store);
    const back = { orderId: 'r-1', reference, amount: '1.00', currency: 'USD', reasonCode: 'AC04' };
    await store.recordReturn({ ...back, reasonText: 'Zoe Zimtstern has closed it', seenAt: ENDED });
    expect(await pass(store)).toMatchObject({ payouts: 2, differing: [] });
    expect(await store.returnsOf([reference])).toMatchObject([{ ...back, reasonText: null }]);
    const row = await store.payout(reference);
    const kept = ['id', 'uid', 'account_id', 'amount', 'currency'];
    expect(Object.keys(row?.instruction ?? {}).sort()).toEqual(kept.sort());
    expect(row).toMatchObject({ state: 'completed', orderId: 'o-doc', erasedAt: NOW, lookAlikeKey: null });
    expect(JSON.stringify(await store.attemptsOf([reference]))).not.toMatch(MARKS);
    expect((await compareWithLog(store)).differences).toEqual([]);
    expect(await erasedEntries(store)).toHaveLength(1);
  });

  it('leaves a payout that has not ended, and finds no names in the file of the store once all have', async () => {
    const store = await test.open();
    await paid(store);
    await pass(store);
    const { reference: open } = named(2, 'other');
    expect((await store.payout(open))?.instruction).toMatchObject({ account_name: FIELDS.account_name });
    await store.changePayout(open, { state: 'cancelled', at: ENDED });
    await pass(store);
    expect((await store.payout(open))?.instruction.account_name).toBeUndefined();
    await store.close();
    if (test.url().startsWith('file:')) {
      expect(readFileSync(test.url().slice('file:'.length)).includes('Zimtstern')).toBe(false);
    }
  });

  it('still recognises the document, in this and in another generation of the file', async () => {
    const store = await test.open();
    await paid(store);
    await pass(store);
    const [known] = await store.knownClaims([named(1, 'doc')]);
    expect(known).toMatchObject({ reference, samePayload: true });
    const [changed] = await store.knownClaims([claimRow(1, 'doc', { ...FIELDS, amount: '11.00' })]);
    expect(changed).toMatchObject({ reference, samePayload: false });
  });

  it('happens once, whoever repeats it, and is complete after an interruption between two steps', async () => {
    const store = await test.open();
    await paid(store);
    const [first] = await store.payoutsToErase({ before: NOW, after: undefined, limit: 1 });
    expect(await store.erasePayouts(first ? [first] : [], { before: NOW, at: NOW })).toBe(1);
    const both = await Promise.all([pass(store), pass(await test.open())]);
    expect(both.map(({ payouts }) => payouts).reduce((a, b) => a + b)).toBe(1);
    expect(await pass(store)).toMatchObject({ payouts: 0 });
    for (const id of ['doc', 'alone']) expect(await erasedEntries(store, named(1, id).reference)).toHaveLength(1);
  });

  it('waits for the day', async () => {
    const store = await test.open();
    await paid(store, NOW - 99 * DAY_MS);
    expect(await pass(store)).toMatchObject({ payouts: 0 });
  });

  it('keeps a payout with an open incident, until it was acknowledged so long ago', async () => {
    const store = await test.open();
    await paid(store);
    await store.recordIncident({ reference, orderId: 'o-2', kind: 'second-order', seenAt: ENDED });
    expect(await pass(store)).toMatchObject({ payouts: 1 });
    const counts = await store.retentionCounts(NOW - DAYS * DAY_MS);
    expect(counts).toMatchObject({ kept: { 'an incident is open or recent': 1 }, open: 1, due: { payouts: 0 } });
    const [{ id = '' } = {}] = await store.incidentsOf([reference]);
    await store.acknowledgeIncident(id, { by: 'alice', reason: 'agreed', at: NOW });
    expect(await pass(store)).toMatchObject({ payouts: 0 });
    expect(await pass(store, NOW + (DAYS + 1) * DAY_MS)).toMatchObject({ payouts: 1 });
  });

  it('keeps a payout whose money came back recently', async () => {
    const store = await test.open();
    await paid(store);
    const back = { orderId: 'r-1', reference, amount: '10.50', currency: 'USD', seenAt: NOW - DAY_MS };
    await store.recordReturn(back);
    expect(await pass(store)).toMatchObject({ payouts: 1 });
    expect((await store.retentionCounts(NOW - DAYS * DAY_MS)).kept).toEqual({ 'money came back recently': 1 });
  });

  it('keeps what differs from the log as evidence, and the other rows of its batch', async () => {
    const store = await test.open();
    await paid(store);
    await tamper(
      test.ownersUrl(),
      `update payouts set instruction = replace(instruction, 'Zoe', 'Eve') where reference = '${reference}'`,
    );
    expect(await pass(store)).toMatchObject({ payouts: 1, differing: [reference] });
  });

  it.each([
    ['what is left', `update payouts set instruction = replace(instruction, 'acc-1', 'acc-2')`, 'left'],
    ['the digest of what was erased', `update payouts set payload_digest = 'f00'`, 'root'],
    ['a row that was never erased', `update payouts set erased_at = 1 where document_id = 'other'`, 'left'],
    ['a row that was erased', 'update payouts set erased_at = null', 'digest'],
  ])('does not hide an edit of %s', async (_what, edit, field) => {
    const store = await test.open();
    await paid(store);
    await pass(store);
    await tamper(test.ownersUrl(), edit);
    const { differences } = await compareWithLog(store);
    expect(differences.map((it) => it.field)).toContain(field);
  });

  it('erases the values of refused rows, and not which rule refused them', async () => {
    const store = await test.open();
    const { account_name, note } = FIELDS;
    const findings = [{ column: 'amount', rule: 'not-positive', message: 'must be above zero' }];
    const refused = [{ row: 3, line: 4, instruction: { id: 'bad', account_name, note }, findings }];
    await store.claimBatch({ ...batchClaim('b-1', [], ENDED), rows: [named(1, 'doc')], refused });
    await pass(store);
    expect(await Array.fromAsync(store.refusedRows('b-1'))).toMatchObject([{ instruction: { id: 'bad' } }]);
    await store.changePayout(reference, { state: 'cancelled', at: ENDED });
    expect(await store.endBatch('b-1', ENDED)).toBe(true);
    await pass(store);
    const [left] = await Array.fromAsync(store.refusedRows('b-1'));
    expect(left).toMatchObject({ row: 3, findings });
    expect(left?.instruction).toEqual({});
    await pass(store);
    expect(await erasedEntries(store, 'b-1')).toMatchObject([{ detail: { refusedRows: '1' } }]);
  });

  it('deletes payees that were neither paid nor changed for so long and that no open payout names', async () => {
    const store = await test.open();
    const payee = {
      uid: 'user-1',
      digest: 'd',
      country: 'DE',
      seenAt: ENDED,
      items: { account_name: 'Zoe Zimtstern' },
    };
    const name = { name: 'Zoe Zimtstern', asShown: 'z', inSmall: 'z' };
    for (const payeeId of ['ben-1', 'ben-2', 'ben-3']) await store.notePayee({ ...payee, payeeId, name });
    await store.notePayee({ ...payee, payeeId: 'ben-3', name, digest: 'new', seenAt: NOW - DAY_MS });
    // Names ben-1, and waits.
    await store.claimBatch(batchClaim('b-1', ['open'], ENDED));
    await pass(store);
    const left = await store.payeeList({}, { offset: 0, limit: 9 });
    expect(left.map(({ payeeId }) => payeeId)).toEqual(['ben-1', 'ben-3']);
    expect(await erasedEntries(store, 'payees')).toMatchObject([{ detail: { payees: '1' } }]);
  });

  it('deletes old verdicts with the names that they have', async () => {
    const store = await test.open();
    const check = { uid: 'user-1', kind: 'verification', provider: 'p', verdict: 'close-match', caseId: null } as const;
    const names = { name: 'Zoe Zimtstern', otherName: 'Zoe Zimt', why: null };
    const keys = { old: ENDED, recent: NOW - DAY_MS };
    for (const [payee, askedAt] of Object.entries(keys)) {
      await store.notePayeeCheck({ ...check, ...names, payee, askedAt }, reference);
    }
    await pass(store);
    expect(await store.payeeCheck({ ...check, payee: 'old' })).toBeUndefined();
    expect(await store.payeeCheck({ ...check, payee: 'recent' })).toMatchObject({ otherName: 'Zoe Zimt' });
  });

  it('erases texts of a statement, and leaves what its bookings add up to', async () => {
    const store = await test.open();
    await store.beginStatement(STATEMENT);
    await store.recordEntries(STATEMENT, [ENTRY], [{ position: 1, detail: DETAIL }]);
    await store.takeStatement(STATEMENT);
    const before = await store.entriesSince('user-1', '1970-01-01');
    expect(JSON.stringify(before, inText)).toMatch(MARKS);
    await pass(store);
    const [entry] = await store.entriesSince('user-1', '1970-01-01');
    expect(entry).toMatchObject({ minor: 1_050n, references: ['doc'], returnReason: { code: 'AC04' }, text: '' });
    const details = [...(await store.entryDetails([entry?.entryId ?? '']))];
    expect(JSON.stringify([entry, details], inText)).not.toMatch(MARKS);
    expect(details[0]?.[1]).toMatchObject([{ minor: 1_050n, references: ['doc'] }]);
    await pass(store);
    expect(await erasedEntries(store, 'acc-1')).toMatchObject([{ detail: { entries: '1', number: '7' } }]);
  });

  it('removes files that were written and moved before the day, with an entry first', async () => {
    const store = await test.open();
    const folder = newFolder();
    for (const name of ['old.csv', 'new.csv']) writeFileSync(join(folder, name), FIELDS.note);
    const seconds = Date.now() / 1_000;
    utimesSync(join(folder, 'old.csv'), seconds, seconds - 200 * 86_400);
    const folders = [folder, join(folder, 'missing')];
    // A file that was moved here today is not old, whenever it was written.
    await erasurePass({ store, days: DAYS, folders }, Date.now)();
    expect(readdirSync(folder)).toHaveLength(2);
    await erasurePass({ store, days: DAYS, folders }, () => Date.now() + (DAYS + 1) * DAY_MS)();
    expect(readdirSync(folder)).toEqual([]);
    expect(await erasedEntries(store, 'files')).toMatchObject([{ detail: { files: '2', folder } }]);
  });
});
