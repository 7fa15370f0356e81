import { expect, it, onTestFinished } from 'vitest';
import { resolveDigest } from '../../../src/domain/question-digest.ts';
import { useDecision } from '../../../src/services/decisions/weigh.ts';
import type { ActivityDeps } from '../../../src/services/deps.ts';
import { payoutClaim } from '../../store/samples.ts';
import { openEmptyStore } from '../../support/empty-store.ts';
import { policyOf, signedBy, signingPerson } from '../../support/people.ts';

const olga = signingPerson('olga', ['operator']);

it("an operator's decision is carried out once; who asks again is told what to do if nothing came of it", async () => {
  const store = await openEmptyStore();
  onTestFinished(() => store.close());
  const { record } = await store.claimPayout(payoutClaim('doc'));
  const { reference, term, workflowId } = record;
  const digest = resolveDigest('resend');
  const signed = signedBy(olga, { storeId: store.id, question: 'resolve', reference, digest });
  await store.takeSignedDecision(signed, Date.now());
  const deps = { store, settings: { policy: policyOf([olga]) }, now: Date.now } as unknown as ActivityDeps;
  const use = (decisionId: string) =>
    useDecision(
      deps,
      { workflowId, runId: 'run-1', activityId: '1' },
      { claim: { storeId: store.id, reference, term }, digest, by: 'olga', decisionId },
    );
  expect(await use(signed.id)).toEqual({ by: 'olga' });
  expect(await use(signed.id)).toEqual({ refused: 'it was already taken; if the payout has not moved, sign it again' });
  expect(await use('never signed')).toMatchObject({ refused: expect.stringContaining('not signed') });
});
