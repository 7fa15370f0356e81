import { expect, it } from 'vitest';
import { sendOrder } from '../../../src/activities/send.ts';
import { BankError, type BankErrorDetails } from '../../../src/bank/errors.ts';
import { Superseded } from '../../../src/domain/claim.ts';
import type { ReferenceDedupe } from '../../../src/domain/policy.ts';
import { renewClaim } from '../../../src/store/claimed-row.ts';
import { payoutClaim } from '../../store/samples.ts';
import { newStore } from '../../support/empty-store.ts';
import { policyOf, signingPerson } from '../../support/people.ts';
import { sendingDeps } from '../../support/sending-deps.ts';

const CALLER = { workflowId: 'w', runId: 'run-1', activityId: '1' };
const maker = signingPerson('maker', ['maker']);
const POLICY = policyOf([maker]);

const ASSESSED = {
  digest: 'paid',
  approvalsNeeded: 0,
  beneficiary: { known: true, id: 'ben-1', digest: 'x' },
  payingAccountId: 'acc-1',
} as const;

/** A POST that was refused under HTTP 422, and what of it the bank has said. */
const refusal = (said: Pick<BankErrorDetails, 'condition' | 'code'>): BankError =>
  new BankError('refused', {
    ...said,
    outcome: 'refused',
    retryable: false,
    operation: 'POST /payments',
    httpStatus: 422,
  });

/** A payout that was handed over, at a bank that loses every answer, or answers so. */
async function open(referenceDedupe: ReferenceDedupe, answer = new Error('lost'), executeOn?: string) {
  const store = await newStore();
  const claimed = payoutClaim('doc', { by: 'maker', runId: CALLER.runId });
  const { record } = await store.claimPayout({
    ...claimed,
    instruction: { ...claimed.instruction, execute_on: executeOn },
  });
  await store.recordAssessment(record, ASSESSED, 1);
  let posts = 0;
  const payment = async () => {
    posts += 1;
    throw answer;
  };
  const deps = sendingDeps({ payment }, { policy: POLICY, referenceDedupe }, { store });
  const { reference, term } = record;
  const claim = { storeId: store.id, reference, term };
  return {
    posts: () => posts,
    send: (attempt: number, held = claim, lastLeft = attempt) =>
      sendOrder(deps, CALLER, { claim: held, orderKind: 'payment', attempt, lastLeft }),
    claim,
    askOne: () => Object.assign(deps.settings, { policy: policyOf([maker], { approvals: [{ approvals: 1 }] }) }),
    renew: (runId = CALLER.runId) => renewClaim(deps, { ...CALLER, runId }, { claim }),
  };
}

it('what may have been executed is not sent again to a bank that recognises no reference', async () => {
  const { send, posts } = await open('none');
  expect(await send(1)).toMatchObject({ outcome: 'ambiguous' });
  const why = 'it may have been executed before';
  for (const attempt of [2, 3]) expect(await send(attempt)).toEqual({ outcome: 'ambiguous', why });
  expect(posts()).toBe(1);
});

it.each([
  ['by its condition, under any code of the bank', { condition: 'account-frozen', code: 17 } as const],
  ['by its condition, of a bank without codes', { condition: 'account-frozen' } as const],
])('a refusal counts %s', async (_, said) => {
  const { send } = await open('none', refusal(said));
  expect(await send(1)).toEqual({ outcome: 'refused', ...said });
});

it.each([
  ['', {}],
  [', under any name', { condition: 'unlisted' } as const],
])('a refusal by HTTP status alone is none%s: a proxy before the bank may have said it', async (_, said) => {
  const { send } = await open('none', refusal(said));
  expect(await send(1)).toMatchObject({ outcome: 'ambiguous' });
});

it('where the bank is trusted to recognise a reference its workflow decides about it', async () => {
  const { send, posts } = await open('assumed');
  await send(1);
  await send(2);
  expect(posts()).toBe(2);
});

it('a run that does not know what has left is notified of it, even if something else keeps it from sending', async () => {
  const { send, posts, claim, askOne } = await open('assumed');
  await send(1, claim, 0);
  const unanswered = { outcome: 'ambiguous', gaveWayTo: 1 };
  for (const attempt of [1, 2]) expect(await send(attempt, claim, 0)).toMatchObject(unanswered);
  askOne();
  for (const attempt of [1, 2]) expect(await send(attempt, claim, 0)).toMatchObject(unanswered);
  expect(await send(2, claim, 1)).toEqual({ outcome: 'not-sent', why: 'changed' });
  expect(posts()).toBe(1);
});

it('a sender that begins after its run has renewed the claim sends nothing, with any attempt', async () => {
  const { send, posts, renew } = await open('none');
  const renewed = await renew();
  expect(renewed).toMatchObject({ term: 2 });
  // The answer was lost: asked for again.
  expect(await renew()).toEqual(renewed);
  for (const attempt of [1, 2]) await expect(send(attempt)).rejects.toThrow(Superseded);
  expect(posts()).toBe(0);
  expect(await send(1, renewed)).toMatchObject({ outcome: 'ambiguous' });
  expect(posts()).toBe(1);
});

it('nobody but the run that holds a claim renews it', async () => {
  const { send, posts, renew } = await open('none');
  await expect(renew('run-2')).rejects.toThrow(Superseded);
  await send(1);
  expect(posts()).toBe(1);
});

it('nothing leaves days before its date, despite any request of a workflow', async () => {
  const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const early = await open('verified', undefined, inDays(3));
  expect(await early.send(1)).toEqual({ outcome: 'not-sent', why: 'changed' });
  expect(early.posts()).toBe(0);
  const due = await open('verified', undefined, inDays(0));
  await due.send(1);
  expect(due.posts()).toBe(1);
});
