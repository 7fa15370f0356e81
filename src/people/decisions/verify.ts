import { isDecision, type Verdict } from '../../domain/authority.ts';
import type { Claim } from '../../domain/claim.ts';
import { Problem } from '../../domain/problem.ts';
import { nameProblem } from '../../domain/text.ts';
import { type Caller, claimedRow } from '../../store/claimed-row.ts';
import type { PayoutRecord, Store } from '../../store/store.ts';
import type { PlanDeps } from './foresee.ts';
import { neededNow } from './let-through.ts';
import { type SignedQuestion, scopeFactsOfRow, takeDecision, verdictOn, whyDecisionIsVoid } from './verdict.ts';

/** A request that somebody makes of a workflow through a channel. */
export interface AuditedRequest {
  /** Name in the policy, or the name they gave themselves. */
  by: string;
  action: string;
  /** Subject of the audit entry: a reference, a batch id or a merchant_request_id. */
  subject: string;
  detail?: Readonly<Record<string, string>>;
}

/** Detail for the audit entry; undefined if the requested action writes its own entry. */
type Outcome = Readonly<Record<string, string>> | undefined;

/**
 * Makes the request and records in the audit who asked and what came of it: the answer, a refusal, or no answer, after which it
 * may still be carried out.
 */
export async function askAudited<Answer>(
  { store, now }: { store: Store; now: () => number },
  { by: actor, action, subject, detail }: AuditedRequest,
  ask: () => Promise<Answer>,
  outcomeOf: (answer: Answer) => Outcome,
): Promise<Answer> {
  const keep = (outcome: Outcome): Promise<void> =>
    store.audit({ at: now(), actor, action: `asked to ${action}`, subject, detail: { ...detail, ...outcome } });
  let answer: Answer;
  try {
    answer = await ask();
  } catch (error) {
    await keep(isRefusal(error) ? refused(error.message) : { outcome: 'no answer' });
    throw error;
  }
  const outcome = outcomeOf(answer);
  if (outcome !== undefined) await keep(outcome);
  return answer;
}

/** Audit outcome of an answer that is a sentence. */
export const outcomeInWords = (answer: string | { refused: string }): Outcome =>
  typeof answer === 'string' ? { outcome: answer } : refused(answer.refused);

const isRefusal = (error: unknown): error is Problem => error instanceof Problem && error.kind !== 'unreachable';

const refused = (why: string): Outcome => ({ outcome: 'refused', why });

export interface VerifyInput extends SignedQuestion {
  claim: Claim;
  /** Signed decision that came with an update; it is taken first. */
  signed?: unknown;
  /** What signals claim that people have decided. */
  said?: readonly { decision: 'approve' | 'reject'; by: string }[];
}

/** The verdict of the stored decisions about a question of the payout, after taking the decision that came with an update. */
export async function verifyDecisions(deps: PlanDeps, { runId }: Caller, input: VerifyInput): Promise<Verdict> {
  const { claim, signed, said = [], ...given } = input;
  const row = await claimedRow(deps.store, claim, runId);
  const asked = underPolicyNow(deps, row, given);
  if (signed === undefined) {
    const verdict = await verdictOn(deps, row, asked);
    await auditUnsigned(deps, row, said, verdict);
    return verdict;
  }
  if (!isDecision(signed)) return { verdict: 'refused', why: 'it is not a signed decision' };
  return takeDecision(deps, row, asked, signed);
}

/** The question with as many approvals as the policy in force asks now, which may have changed since the run asked. */
function underPolicyNow(deps: PlanDeps, row: PayoutRecord, asked: SignedQuestion): SignedQuestion {
  const { assessed } = row;
  if (assessed === null || deps.settings.policy === undefined) return asked;
  const { needed, neededAtBank, alone } = neededNow(deps, row, assessed);
  if (asked.question === 'bank') return { ...asked, needed: neededAtBank, alone };
  return asked.question === 'payout' ? { ...asked, needed: Math.max(asked.needed, needed), alone } : asked;
}

/** Entries per call, so that a flood of signals does not flood the audit. */
const SAID_MAX = 20;

/** Records in the audit each signal in the name of a person who has signed nothing; it does not count. */
async function auditUnsigned(
  { store, now }: PlanDeps,
  { reference: subject }: PayoutRecord,
  said: NonNullable<VerifyInput['said']>,
  verdict: Verdict,
): Promise<void> {
  const hasSigned = (by: unknown): boolean =>
    verdict.verdict === 'rejected'
      ? verdict.by === by
      : verdict.verdict !== 'refused' && verdict.awaited.approvedBy.some((it) => it === by);
  for (const { decision, by } of said.filter((it) => !hasSigned(it.by)).slice(0, SAID_MAX)) {
    const detail = { why: 'the signal is not signed' };
    await store.audit({ at: now(), actor: actorOf(by), action: `${decision} refused`, subject, detail });
  }
}

/** A signal can name anything as its sender: an object, a whole book, a NUL. An entry must not fail of it. */
const actorOf = (by: unknown): string => (typeof by === 'string' && nameProblem(by) === undefined ? by : 'unknown');

/** A decision that a payout refused. `by` is the name they gave themselves. */
export interface Refused {
  action: 'approve' | 'reject' | 'cancel';
  by: string;
  why: string;
}

/** Records a refusal in the audit. Only the run that holds the claim, or held it when the payout ended, may do so. */
export async function auditRefused(
  { store, now }: PlanDeps,
  { runId }: Caller,
  { claim: { reference }, refused: { action, by, why } }: { claim: Claim; refused: Refused },
): Promise<void> {
  const row = await store.payout(reference);
  if (row?.claimRunId !== runId) return;
  await store.audit({
    at: now(),
    actor: actorOf(by),
    action: `${action} refused`,
    subject: reference,
    detail: { why },
  });
}

export interface UseInput {
  claim: Claim;
  /** Digest of what the operator asks for. */
  digest: string;
  /** The person the request names, which distinguishes two people. */
  by: string;
  decisionId?: string;
}

/** Whether an allowed person signed what the operator asks for; marks it as used, as it counts once. A refusal says why. */
export async function useDecision(
  deps: PlanDeps,
  { runId }: Caller,
  { claim, digest, by, decisionId }: UseInput,
): Promise<{ by: string } | { refused: string }> {
  const { store, now } = deps;
  const row = await claimedRow(store, claim, runId);
  const all = await store.signedDecisionsOf({ reference: row.reference, question: 'resolve', digest });
  const signed = all.find(({ id }) => id === decisionId);
  if (signed === undefined) return { refused: 'this is not signed: payouts resolve signs it with --key' };
  if (signed.subject !== by) return { refused: `it names ${by}, but somebody else has signed it` };
  const why = await whyDecisionIsVoid(deps, signed, scopeFactsOfRow(row));
  if (why !== undefined) return { refused: why };
  const isFirst = await store.useSignedDecision(signed.id, now());
  // It was used before, perhaps by a call whose answer was lost and of which nothing came.
  return isFirst
    ? { by: signed.subject }
    : { refused: 'it was already taken; if the payout has not moved, sign it again' };
}
