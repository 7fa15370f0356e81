import { expect, it } from 'vitest';
import { decidedText } from '../../src/reports/decided-text.ts';
import type { PayoutRecord } from '../../src/store/store.ts';
import { newStore } from '../support/empty-store.ts';
import { policyOf, signedBy, signingPerson } from '../support/people.ts';
import { record } from './records.ts';

const maria = signingPerson('maria', ['maker', 'approver']);
const [bob, carol, dave] = ['bob', 'carol', 'dave'].map((name) => signingPerson(name, ['approver']));

it('says what somebody has approved, and of each row whose turn it is', async () => {
  const store = await newStore();
  if (bob === undefined || carol === undefined || dave === undefined) throw new Error('nobody');
  const policy = policyOf([maria, bob, carol, dave], { approvals: [{ approvals: 1 }] });
  const settings = { policy, terms: { feeCap: undefined, maxSlippage: '0.01' } };
  const app = { store, settings, now: Date.now } as unknown as Parameters<typeof decidedText>[0];
  const asking = (n: number, needed: number, more: Partial<PayoutRecord> = {}): PayoutRecord =>
    record(n, 'awaiting-approval', {
      assessed: { digest: `d-${n}`, approvalsNeeded: needed, approvedFirst: true, asked: { [`d-${n}`]: needed } },
      ...more,
    } as Parameters<typeof record>[2]);
  const rows = [asking(1, 1), asking(2, 2), asking(3, 3), record(4, 'received'), record(5, 'held', {}, 'look-alike')];
  for (const { reference, assessed } of rows.slice(0, 3)) {
    const about = { question: 'payout', reference, digest: assessed?.digest ?? '', remark: '' } as const;
    await store.takeSignedDecision(signedBy(bob, { storeId: store.id, ...about }), Date.now());
  }
  const approved = { question: 'payout', decision: 'approve' } as const;
  const [one] = rows;
  if (one === undefined) throw new Error('no row');
  expect(await decidedText(app, approved, [one])).toBe('You approved INV-1, 10.00 EUR. It is being paid.');
  const text = await decidedText(app, approved, rows);
  expect(text).toBe(
    'You approved 5 payouts, 50.00 EUR. 1 is being paid, 1 needs carol or dave, 1 needs 2 of carol, dave, 1 is still being prepared, 1 is held.',
  );
  expect(await decidedText(app, { ...approved, decision: 'reject' }, [one])).toBe(
    'You rejected INV-1, 10.00 EUR. Nothing is paid.',
  );
});
