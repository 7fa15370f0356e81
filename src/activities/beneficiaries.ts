import { activityInfo } from '@temporalio/activity';
import type { PayoutInstruction } from '../domain/instruction.ts';
import type { Reason } from '../domain/payout-state.ts';
import { doublingPause } from '../domain/policy.ts';
import { because } from '../domain/reasons.ts';
import { refusalMeaning } from '../domain/submission.ts';
import type { SendAttempt } from '../store/store.ts';
import { payeeReference } from './assess.ts';
import type { ActivityDeps } from './deps.ts';
import { findPayee, type NamedPayee, namedPayee, payeeKey } from './payee.ts';
import { ownerOf, resultOfError } from './submit.ts';
import { switchOver } from './switches.ts';
import { reading } from './to-failure.ts';

export type BeneficiaryAdded =
  | { kind: 'there' }
  /** Somebody's POST is under way or its answer was lost: look again after the pause. */
  | { kind: 'pending' }
  | { kind: 'refused'; obstacle: { kind: 'fail' | 'hold'; reason: Reason } };

export const beneficiaryActivities = (deps: ActivityDeps) => ({
  /**
   * Adds the payee unless it is there. Adding has no idempotency key, so the POST follows the same protocol as an order:
   * recorded before the first byte under (payee, attempt), which is also the lock between rows that share a payee; a new
   * attempt only when the one before provably did nothing, or the list has not shown it after the proof window.
   */
  async addBeneficiary({ instruction }: { instruction: PayoutInstruction }): Promise<BeneficiaryAdded> {
    await deps.assertIdentity();
    const payee = await reading(() => namedPayee(deps.bank, instruction));
    const reference = payeeReference(payee.uid, payeeKey(payee));
    const attempts = await deps.store.attempts(reference);
    const last = attempts.at(-1);
    if (last?.outcome === 'accepted') return { kind: 'there' };
    if ((await reading(() => findPayee(deps.bank, payee))) !== undefined) return { kind: 'there' };
    const inDoubt = attempts.filter(({ outcome }) => outcome !== 'not-sent' && outcome !== 'refused').length;
    if (last !== undefined && stillInDoubt(deps, last, inDoubt)) {
      return inDoubt < ADDS_IN_SILENCE ? { kind: 'pending' } : unanswered(inDoubt);
    }
    // The bank says it has this payee, and its list does not show it as it was asked for.
    if (last?.outcome === 'exists') {
      return { kind: 'refused', obstacle: { kind: 'hold', reason: because('beneficiary-conflict') } };
    }
    return add(deps, payee, reference, (last?.attempt ?? 0) + 1);
  },
});

/** Adds without an answer before people are told. */
const ADDS_IN_SILENCE = 3;

function unanswered(adds: number): BeneficiaryAdded {
  const reason = because('beneficiary-pending', `${adds} attempts without an answer`);
  return { kind: 'refused', obstacle: { kind: 'hold', reason } };
}

/** Whether the last add may still show; each one without an answer makes the next one wait twice as long. */
function stillInDoubt({ settings: { waits }, now }: ActivityDeps, last: SendAttempt, inDoubt: number): boolean {
  if (last.outcome === 'not-sent' || last.outcome === 'refused') return false;
  const windowMs = waits.lateCommitMs + waits.listLagMs;
  return now() - last.sentAt < doublingPause(inDoubt - 1, windowMs, Number.POSITIVE_INFINITY);
}

async function add(
  deps: ActivityDeps,
  payee: NamedPayee,
  reference: string,
  attempt: number,
): Promise<BeneficiaryAdded> {
  const { workflowExecution, activityId } = activityInfo();
  const runId = workflowExecution?.runId ?? '';
  if (!(await deps.store.recordAttempt({ reference, attempt, runId, activityId, sentAt: deps.now() })))
    return { kind: 'pending' };
  const { workflowId = '' } = workflowExecution ?? {};
  const scope = await switchOver(deps, ownerOf({ workflowId }), []);
  if (scope !== undefined) {
    await deps.store.finishAttempt(reference, attempt, { outcome: 'not-sent' });
    return { kind: 'refused', obstacle: { kind: 'hold', reason: because('switched-off', scope) } };
  }
  try {
    const { beneficiary_id: beneficiaryId } = await deps.bank.beneficiaries.add({
      ...payee.fields,
      uid: payee.uid,
      currency: payee.currency,
      beneficiary_type: payee.beneficiaryType,
      payment_type: payee.paymentType,
    });
    await deps.store.finishAttempt(reference, attempt, { outcome: 'accepted', orderId: beneficiaryId });
    return { kind: 'there' };
  } catch (error) {
    const result = resultOfError(error);
    await deps.store.finishAttempt(reference, attempt, {
      outcome: result.outcome,
    });
    if (result.outcome !== 'refused') return { kind: 'pending' };
    const meaning = refusalMeaning(result.code);
    const detail = `adding the beneficiary: code ${result.code}`;
    if (meaning.kind === 'await-funds')
      return { kind: 'refused', obstacle: { kind: 'hold', reason: because('beneficiary-not-found', detail) } };
    return { kind: 'refused', obstacle: { kind: meaning.kind, reason: because(meaning.reason, detail) } };
  }
}
