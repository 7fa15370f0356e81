import { expect, it } from 'vitest';
import type { ActivityDeps } from '../../../src/activities/deps.ts';
import { resolveDigest } from '../../../src/domain/authority.ts';
import { auditRefused, useDecision, verifyDecisions } from '../../../src/people/decisions/verify.ts';
import { payoutClaim } from '../../store/samples.ts';
import { newStore } from '../../support/empty-store.ts';
import { policyOf, signedBy, signingPerson } from '../../support/people.ts';

const olga = signingPerson('olga', ['operator']);

it("an operator's decision is carried out once; who asks again is answered what to do if nothing came of it", async () => {
  const store = await newStore();
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

it('a signal that names no person is verified and audited like others', async () => {
  const store = await newStore();
  const { record } = await store.claimPayout(payoutClaim('doc'));
  const { reference, term, workflowId } = record;
  const deps = { store, settings: { policy: policyOf([olga]) }, now: Date.now } as unknown as ActivityDeps;
  const caller = { workflowId, runId: 'run-1', activityId: '1' };
  const claim = { storeId: store.id, reference, term };
  const names = ['mallory', { toString: 1 }, undefined, 'x'.repeat(201), '\u0000', '\u001b[2J'] as string[];

  const said = names.map((by) => ({ decision: 'approve' as const, by }));
  const question = { claim, question: 'payout', digest: 'd-1', needed: 1 } as const;
  await expect(verifyDecisions(deps, caller, { ...question, said })).resolves.toMatchObject({ verdict: 'counted' });
  for (const by of names) await auditRefused(deps, caller, { claim, refused: { action: 'approve', by, why: 'late' } });

  const refused = (await store.auditEntriesOf(reference)).filter(({ action }) => action === 'approve refused');
  expect(refused.map(({ actor }) => actor)).toEqual(
    [...names, ...names].map((by) => (by === 'mallory' ? by : 'unknown')),
  );
});
