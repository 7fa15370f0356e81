import type { Verdict } from '../../domain/approval.ts';
import { isDecision, refusalOfStatement, type SignedDecision } from '../../domain/authority.ts';
import type { Claim } from '../../domain/claim.ts';
import { isSigned } from '../../signing/ed25519.ts';
import type { ActivityDeps } from '../deps.ts';
import { claimedRow } from '../sending/claimed-row.ts';
import type { Caller } from '../sending/send-once.ts';
import { type SignedQuestion, takeDecision, touches, verdictOn } from './verdict.ts';

export interface WeighInput extends SignedQuestion {
  claim: Claim;
  /** As it came with an update: taken first. */
  signed?: unknown;
}

/** The verdict of what is stored about a question that the payout asks. */
export async function weighDecisions(deps: ActivityDeps, { runId }: Caller, input: WeighInput): Promise<Verdict> {
  const { claim, signed, ...asked } = input;
  const row = await claimedRow(deps.store, claim, runId);
  if (signed === undefined) return verdictOn(deps, row, asked);
  if (!isDecision(signed)) return { verdict: 'refused', why: 'it is no signed decision' };
  return takeDecision(deps, row, asked, signed);
}

export interface UseInput {
  claim: Claim;
  /** What the operator asks for, in words. */
  digest: string;
  decisionId?: string;
}

/** Whether somebody who may has signed what an operator asks for; it is carried out once. A refusal says why. */
export async function useDecision(
  { store, settings: { policy }, now }: ActivityDeps,
  { runId }: Caller,
  { claim, digest, decisionId }: UseInput,
): Promise<{ by: string } | { refused: string }> {
  const row = await claimedRow(store, claim, runId);
  const { reference } = row;
  const all = await store.signedDecisionsOf({ reference, question: 'resolve', digest });
  const signed = all.find(({ id }: SignedDecision) => id === decisionId);
  const context = { storeId: store.id, now: now(), touches: touches(row) };
  const why =
    policy === undefined || signed === undefined
      ? 'nobody has signed this: payouts resolve signs it with --key'
      : (refusalOfStatement(policy, signed, context) ??
        (isSigned(policy, signed) ? undefined : 'the signature is not that of the person it names'));
  if (why === undefined && signed !== undefined && (await store.useSignedDecision(signed.id, now()))) {
    return { by: signed.subject };
  }
  return { refused: why ?? 'this decision was carried out before' };
}
