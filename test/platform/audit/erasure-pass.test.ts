import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { DAY_MS } from '../../../src/domain/time.ts';
import { erasurePass } from '../../../src/platform/audit/erasure-pass.ts';
import { compareWithLog } from '../../../src/platform/audit/read-log.ts';
import type { Store } from '../../../src/store/store.ts';
import { batchClaim, claimRow, payoutClaim } from '../../store/samples.ts';
import { onEveryStore } from '../../store/stores.ts';
import { tamper } from '../../support/sql.ts';

const DAYS = 100;
const NOW = 1_000 * DAY_MS;
const ENDED = NOW - 101 * DAY_MS;

const FIELDS = {
  beneficiary_id: undefined,
  account_name: 'Zoe Zimtstern',
  iban_no: 'DE89370400440532013000',
  note: 'for Zoe Zimtstern',
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

const pass = (store: Store, now = NOW) => erasurePass(store, DAYS, () => now)();
const erasedEntries = async (store: Store, subject = reference) =>
  (await store.auditEntriesOf(subject)).filter(({ action }) => action === 'personal data erased');

onEveryStore('Erasing personal data', (test) => {
  it('leaves nothing about the payee of an ended payout, and the log says the same of its row', async () => {
    const store = await test.open();
    await paid(store);
    expect(await pass(store)).toMatchObject({ payouts: 2, differing: [] });
    const row = await store.payout(reference);
    const kept = ['id', 'uid', 'account_id', 'amount', 'currency'];
    expect(Object.keys(row?.instruction ?? {}).sort()).toEqual(kept.sort());
    expect(row).toMatchObject({ state: 'completed', orderId: 'o-doc', erasedAt: NOW, lookAlikeKey: null });
    expect(JSON.stringify(await store.attemptsOf([reference]))).not.toMatch(MARKS);
    expect((await compareWithLog(store, undefined)).differences).toEqual([]);
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
    const { differences } = await compareWithLog(store, undefined);
    expect(differences.map((it) => it.field)).toContain(field);
  });
});
