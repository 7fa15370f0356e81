import { findPayee, type NamedPayee, namedPayee, payeeReference } from '../bank/payee.ts';
import type { Claim } from '../domain/claim.ts';
import type { Reason } from '../domain/payout-state.ts';
import { because } from '../domain/reasons.ts';
import { type AttemptResult, bankSays, inDoubt, refusalMeaning } from '../domain/submission.ts';
import { switchFactsOf } from '../domain/switches.ts';
import { doublingPause } from '../domain/time.ts';
import { mayLeave } from '../people/decisions/let-through.ts';
import type { Caller } from '../store/claimed-row.ts';
import { claimedRow } from '../store/claimed-row.ts';
import type { SendAttempt } from '../store/store.ts';
import { readToSend } from './assess.ts';
import type { ActivityDeps } from './deps.ts';
import { sendOnce } from './send.ts';

type BeneficiaryAdded =
  | { kind: 'there' }
  /** A POST is under way, or its answer was lost: look again after the pause. */
  | { kind: 'pending' }
  /** The signed decisions do not allow it, or no longer do. */
  | { kind: 'not-approved' }
  | { kind: 'refused'; obstacle: { kind: 'fail' | 'hold'; reason: Reason } };

/**
 * Adds the payee unless the bank has it. Adding has no idempotency key, so the recorded attempt under the payee's key is also the
 * lock between rows that share the payee. A further attempt is made only if the previous one provably did nothing or the list
 * still lacks the payee after the proof window.
 */
export async function addBeneficiary(
  deps: ActivityDeps,
  caller: Caller,
  { claim }: { claim: Claim },
): Promise<BeneficiaryAdded> {
  const row = await claimedRow(deps.store, claim, caller.runId);
  // Under a policy, no payee is created before approval.
  if (deps.settings.policy !== undefined && !(await mayLeave(deps, row, await readToSend(deps, row, 'payment'))))
    return { kind: 'not-approved' };
  const payee = await namedPayee(deps.bank, row.instruction);
  const reference = payeeReference(payee);
  const attempts = await deps.store.attempts(reference);
  const last = attempts.at(-1);
  if (last?.outcome === 'accepted') return { kind: 'there' };
  if ((await findPayee(deps.bank, payee)) !== undefined) return { kind: 'there' };
  const silent = inDoubt(attempts).length;
  if (last !== undefined && stillInDoubt(deps, last, silent)) {
    return silent < ADDS_IN_SILENCE ? { kind: 'pending' } : unanswered(silent);
  }
  // The bank says the payee exists, but its list does not show it as requested.
  if (last?.outcome === 'exists') return refused('hold', because('beneficiary-conflict'));
  return add(deps, caller, claim, payee, { reference, attempt: (last?.attempt ?? 0) + 1 });
}

/** Unanswered adds before people are told. */
const ADDS_IN_SILENCE = 3;

const refused = (kind: 'fail' | 'hold', reason: Reason): BeneficiaryAdded => ({
  kind: 'refused',
  obstacle: { kind, reason },
});

const unanswered = (adds: number): BeneficiaryAdded =>
  refused('hold', because('beneficiary-pending', `${adds} attempts without an answer`));

/** Whether the last add may still appear; each unanswered add doubles the wait. */
function stillInDoubt({ settings, now }: ActivityDeps, last: SendAttempt, silent: number): boolean {
  if (last.outcome === 'not-sent' || last.outcome === 'refused') return false;
  const { lateCommitMs, listLagMs } = settings.terms.waits;
  const windowMs = lateCommitMs + listLagMs;
  return now() - last.sentAt < doublingPause(silent - 1, windowMs, Number.POSITIVE_INFINITY);
}

async function add(
  deps: ActivityDeps,
  caller: Caller,
  claim: Claim,
  payee: NamedPayee,
  key: { reference: string; attempt: number },
): Promise<BeneficiaryAdded> {
  const result = await sendOnce<null, AttemptResult>(deps, caller, {
    admit: async () => ({ ...key, request: null, claim }),
    stoppedBy: async () => {
      const scope = await deps.store.matchingSwitch(switchFactsOf(await claimedRow(deps.store, claim, caller.runId)));
      return scope === undefined ? undefined : { outcome: 'not-sent', why: 'switched-off', scope };
    },
    post: async (_request, options) => {
      const body = { ...payee.fields, ...payee.among };
      return (await deps.bank.beneficiaries.add(body, options)).beneficiary_id;
    },
  });
  if (result.outcome === 'accepted') return { kind: 'there' };
  if (result.outcome === 'not-sent' && result.why === 'switched-off') {
    return refused('hold', because('switched-off', result.scope));
  }
  if (result.outcome !== 'refused') return { kind: 'pending' };
  const meaning = refusalMeaning(result.condition);
  const detail = `adding the beneficiary: ${bankSays(result.condition, result.code)}`;
  return meaning.kind === 'await-funds'
    ? refused('hold', because('beneficiary-not-found', detail))
    : refused(meaning.kind, because(meaning.reason, detail));
}
