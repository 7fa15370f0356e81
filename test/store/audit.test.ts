import { expect, it } from 'vitest';
import { because } from '../../src/domain/reasons.ts';
import type { Store } from '../../src/store/store.ts';
import { batchClaim, claimRow, payoutClaim } from './samples.ts';
import { onEveryStore } from './stores.ts';

onEveryStore('The audit', (test) => {
  it('keeps what was done to a subject in the order it was written', async () => {
    const store = await test.open();
    const first = { at: 5_000, actor: 'ann', action: 'approve', subject: 'ref', detail: { note: 'checked' } };
    const second = { at: 4_000, actor: 'bob', action: 'reject', subject: 'ref', detail: {} };
    await store.audit(first);
    await store.audit({ ...first, subject: 'other' });
    await store.audit(second);
    expect(await store.auditEntriesOf('ref')).toEqual([first, second]);
  });
});

onEveryStore('An entry of the audit', (test) => {
  const { reference } = claimRow(1, 'doc');

  /** After the claim. */
  const written = async (store: Store) =>
    (await store.auditEntriesOf(reference))
      .map(({ at, actor, action, detail }) => ({ at, actor, action, ...detail }))
      .filter(({ action }) => action !== 'payout claimed');

  it('says what is asked, what is sent and what the bank shows as paid: amount, currency, account, payee', async () => {
    const store = await test.open();
    const { record } = await store.claimPayout(payoutClaim('doc', { by: 'alice' }));
    const asked = { amount: '10.50', currency: 'USD', account: 'acc-1' };
    const beneficiary = { known: true, id: 'ben-1', digest: 'of-ben-1' } as const;
    await store.recordAssessment(record, { digest: 'd', approvalsNeeded: 1, beneficiary }, 3);
    await store.recordApprovals({ reference, digest: 'd', by: ['bob'], at: 4 });
    const order = { accountId: 'acc-1', beneficiaryId: 'ben-1', payeeDigest: 'of-ben-1', amount: '10.50' } as const;
    await store.recordAttempt({
      ...{ reference, attempt: 1, runId: 'run-1', activityId: '1', sentAt: 5, claim: { reference, term: record.term } },
      request: { ...order, currency: 'USD', expiredAt: 9 },
    });
    const paid = { orderId: 'o-1', amount: '11.00', currency: 'USD', accountId: 'acc-1' };
    const fee = { fee: '0.50', feeCurrency: 'USD' };
    await store.changePayout(reference, { state: 'completed', orderId: 'o-1', paid, ...fee, at: 6 });
    const payee = 'of-ben-1';
    expect(await store.auditEntriesOf(reference)).toMatchObject([
      { actor: 'alice', action: 'payout claimed', detail: { digest: record.payloadDigest, ...asked } },
      { actor: 'bob', action: 'approve', detail: { digest: 'd', ...asked, payee } },
      { actor: 'product', action: 'order sent', detail: { attempt: '1', reference, ...asked, payee } },
      { action: 'payout completed', detail: { amount: '11.00', currency: 'USD', account: 'acc-1', fee: '0.50 USD' } },
    ]);
  });

  it('names the policy that a payout was read under when it ends, and is written when that is another one', async () => {
    const store = await test.open();
    const { record } = await store.claimPayout(payoutClaim('doc'));
    const read = (policyHash: string) => ({ digest: 'd', approvalsNeeded: 0, policyHash });
    expect(await store.recordAssessment(record, read('first'), 1)).toBe(true);
    expect(await store.recordAssessment({ ...record, assessed: read('first') }, read('first'), 2)).toBe(true);
    expect(await written(store)).toEqual([]);
    expect(await store.recordAssessment({ ...record, term: 9, assessed: read('first') }, read('second'), 3)).toBe(
      false,
    );
    expect(await store.recordAssessment({ ...record, assessed: read('first') }, read('second'), 4)).toBe(true);
    await store.changePayout(reference, { state: 'completed', at: 5 });
    expect(await written(store)).toEqual([
      { at: 4, actor: 'product', action: 'read under another policy', from: 'first', to: 'second' },
      { at: 5, actor: 'product', action: 'payout completed', policy: 'second' },
    ]);
    expect((await store.payout(reference))?.assessed?.policyHash).toBe('second');
  });

  it('is written with an end, once, and with none that did not come about', async () => {
    const store = await test.open();
    await store.claimPayout(payoutClaim('doc'));
    expect(await written(store)).toEqual([]);
    await store.changePayout(reference, { state: 'processing', orderId: 'o-1', at: 1 });
    await store.changePayout(reference, { state: 'completed', orderId: 'o-1', term: 9, at: 2 });
    expect(await written(store)).toEqual([]);
    await store.changePayout(reference, { state: 'completed', orderId: 'o-1', at: 3 });
    await store.changePayout(reference, { state: 'failed', reason: because('bank-failed'), at: 4 });
    expect(await written(store)).toEqual([{ at: 3, actor: 'product', action: 'payout completed', orderId: 'o-1' }]);
  });

  it('names who has rejected or cancelled', async () => {
    const store = await test.open();
    const { record } = await store.claimPayout(payoutClaim('doc'));
    const reason = because('approval-rejected');
    const end = {
      reference,
      term: record.term,
      state: 'rejected',
      reason,
      resolved: {},
      references: [reference],
      at: 5,
    } as const;
    expect(await store.closeUnpaid({ ...end, by: 'carol' })).toBe('closed');
    expect(await store.closeUnpaid({ ...end, by: 'dave' })).toBe('superseded');
    const { code, message: why } = reason;
    expect(await written(store)).toEqual([{ at: 5, actor: 'carol', action: 'payout rejected', code, why }]);
  });

  it('is written for each approval that is new, for what the bank shows later, and for what is handed in', async () => {
    const store = await test.open();
    await store.claimBatch(batchClaim('b-1', ['doc', 'other']));
    const approvals = { reference, digest: 'd', at: 6 };
    await store.recordApprovals({ ...approvals, by: ['alice'] });
    await store.recordApprovals({ ...approvals, by: ['alice', 'bob'] });
    expect(await store.approvalsOfMany([reference, 'other'])).toEqual(
      ['alice', 'bob'].map((by) => ({ ...approvals, by })),
    );
    expect(await store.entriesOfActions(['approve'], [reference])).toEqual(
      ['alice', 'bob'].map((actor) => ({ at: 6, actor, action: 'approve', subject: reference })),
    );
    expect(await store.entriesOfActions(['reject'], [reference])).toEqual([]);
    for (const _ of [1, 2]) {
      await store.recordReturn({ orderId: 'o-9', reference, amount: '1.00', currency: 'USD', seenAt: 7 });
      await store.recordIncident({ reference, orderId: 'o-7', kind: 'second-order', seenAt: 8 });
    }
    expect((await written(store)).map(({ actor, action }) => `${actor}: ${action}`)).toEqual([
      'alice: approve',
      'bob: approve',
      'bank: money returned',
      'bank: incident',
    ]);
    await store.cancelUnreleased('b-1', null, because('batch-cancelled'), 9);
    const about = await store.auditEntries({ batchId: 'b-1' });
    expect(about.map(({ action }) => action)).toEqual([
      'batch claimed',
      'approve',
      'approve',
      'money returned',
      'incident',
      'payout cancelled',
      'payout cancelled',
    ]);
  });
});
