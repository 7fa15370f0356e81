import { ApplicationFailure, CancellationScope, condition, log, setHandler } from '@temporalio/workflow';
import {
  type DecideUpdate,
  type Decision,
  hasExpired,
  refusalOf,
  resolveDigest,
  type Verdict,
} from '../../domain/authority.ts';
import { RESOLVE_ACTIONS } from '../../domain/payout-state.ts';
import type { Refused } from '../../people/decisions/verify.ts';
import { handleCancel, handleResolve, until } from '../execution.ts';
import {
  approveSignal,
  type CancelAnswer,
  cancelUpdate,
  type DecideAnswer,
  decideUpdate,
  orderChangedSignal,
  rejectSignal,
  resolveUpdate,
  stateQuery,
} from '../messages.ts';
import { checks, isSuperseded } from '../proxies.ts';
import type { PayoutView } from './view.ts';

/** Sets every handler of a payout. Called before the first await. */
export function handleMessages(view: PayoutView): void {
  setHandler(stateQuery, () => view.view(), {
    description: 'Where the payout is, why, what it awaits, and the evidence so far. No argument.',
  });
  setHandler(orderChangedSignal, (notice) => view.inbox.receive(notice), {
    description:
      'The bank order moved: read it. From the order watch; `{"reference":"…","orderId":"…","status":"COMPLETED"}` or nothing.',
  });
  setHandler(approveSignal, (signal) => decidedBySignal(view, { ...signal, decision: 'approve' }), {
    description: 'Approve what is awaited; ignored when nothing is. `{"by":"alice","note":"checked"}`',
  });
  setHandler(rejectSignal, (signal) => decidedBySignal(view, { ...signal, decision: 'reject' }), {
    description: 'Reject what is awaited; ignored when nothing is. `{"by":"alice","remark":"wrong payee"}`',
  });
  handleDecide(view);
  handleCancel(view, cancelUpdate, {
    isTaken: () => !view.hasEnded,
    isKnown: () => view.cancelStage !== 'open' || !isStoppable(view),
    outcome: () => cancelOutcome(view),
    refused: async ({ by }) => {
      if (cancelOutcome(view) === 'too-late') await auditRefusal(view, { action: 'cancel', by, why: 'too late' });
    },
    description:
      'Cancel where that is still possible. `{"by":"alice","reason":"invoice withdrawn"}` Answers cancelled, too-late or pending.',
  });
  handleResolve(view, resolveUpdate, {
    actions: RESOLVE_ACTIONS,
    needs: ['adopt-order', 'orderId'],
    refusalOf: async ({ action, by, orderId, decisionId }) => {
      if (!view.isSigned) return undefined;
      const input = { claim: view.claim, digest: resolveDigest(action, orderId), by, decisionId };
      const used = await checks.useDecision(input).catch((error: unknown) => {
        const refused = takenOver(error);
        view.inbox.readAgain();
        return { refused };
      });
      return 'refused' in used ? used.refused : undefined;
    },
    description:
      'Decide what the API cannot; checked against the bank again. ' +
      '`{"action":"keep-looking|adopt-order|resend|close-as-not-paid","by":"alice","evidence":"bank statement 12","orderId":"…"}`',
  });
}

/** If decisions are signed, a signal only says that one was stored. */
async function decidedBySignal(view: PayoutView, decision: Decision): Promise<void> {
  const { decision: action, by } = decision;
  if (view.isSigned) {
    const isAwaited = view.question.awaited !== undefined;
    view.hint(isAwaited ? { decision: action, by } : undefined);
    if (!isAwaited) await auditRefusal(view, { action, by, why: 'no approval is awaited' });
    return;
  }
  const verdict = view.decide(decision);
  if (verdict.verdict === 'refused') await auditRefusal(view, { action, by, why: verdict.why });
}

/** Records a refusal in the audit, best effort; only the end of the workflow waits for it. */
async function auditRefusal(view: PayoutView, refused: Refused): Promise<void> {
  if (!view.isClaimed) return;
  await checks
    .auditRefused({ claim: view.claim, refused })
    .catch(() => log.warn('a refusal could not be written to the audit log'));
}

function handleDecide(view: PayoutView): void {
  const decided = new Map<string, DecideAnswer | Promise<DecideAnswer>>();
  setHandler(
    decideUpdate,
    async (update) => {
      const refusal = await untilAsked(view, update);
      const earlier = decided.get(update.decisionId);
      if (earlier !== undefined) return earlier;
      if (refusal !== undefined) throw decisionRefused(refusal);
      const isAtBank = view.question.subjectOf(update)?.kind === 'bank';
      const verdict = view.isSigned ? await verifiedWith(view, update.signed) : view.decide(update);
      if (verdict.verdict === 'refused') throw decisionRefused(verdict.why);
      const missing = verdict.verdict === 'counted' ? verdict.awaited.needed - verdict.awaited.approvedBy.length : 0;
      const answer = { outcome: verdict.verdict, missing };
      decided.set(update.decisionId, answer);
      if (verdict.verdict !== 'rejected') return answer;
      const held = untilItHolds(view, isAtBank).then((outcome) => ({ outcome, missing }));
      decided.set(update.decisionId, held);
      return held.catch((error: unknown) => {
        decided.delete(update.decisionId);
        throw error;
      });
    },
    {
      description:
        'Approve or reject what is awaited; refused with the reason when it does not count. ' +
        '`{"decisionId":"d-1","decision":"approve","by":"alice","digest":"…"}`',
      validator: (update: DecideUpdate) => {
        if (typeof update?.decisionId !== 'string' || update.decisionId === '')
          throw new Error('decisionId is missing');
        if (decided.has(update.decisionId) || isYetToAsk(view, update)) return;
        const refusal = view.isSigned
          ? refusalToVerify(view)
          : refusalOf(view.question.subjectOf(update), update, Date.now());
        if (refusal !== undefined) throw new Error(refusal);
      },
    },
  );
}

/** Below what a request over HTTP waits for, with the start of the row before it. */
const ASKS_SOON_MS = 8_000;

/** Whether the payout reads the bank, after which it may ask. */
const isYetToAsk = ({ state, question }: PayoutView, update: DecideUpdate): boolean =>
  (state === 'received' || state === 'preparing') && question.subjectOf(update) === undefined;

/** Waits for the first question. Returns why a decision sent before it does not count; undefined if it may. */
async function untilAsked(view: PayoutView, update: DecideUpdate): Promise<string | undefined> {
  if (!isYetToAsk(view, update)) return undefined;
  await CancellationScope.nonCancellable(() => condition(() => !isYetToAsk(view, update), ASKS_SOON_MS));
  return isYetToAsk(view, update)
    ? 'it is still being prepared, and asks nothing yet: send it again in a minute'
    : undefined;
}

const decisionRefused = (why: string): ApplicationFailure => ApplicationFailure.nonRetryable(why, 'DecisionRefused');

/**
 * Waits until a rejection holds even if this run is lost, which may be reset to before it: the end is stored, or the bank has
 * taken the rejection of its order, which it may still carry out. Until then nothing is answered.
 */
async function untilItHolds(view: PayoutView, isAtBank: boolean): Promise<'rejected' | 'passed-on'> {
  const { question } = view;
  const isTaken = (): boolean => isAtBank && question.isPassedOn;
  const isAskedAgain = (): boolean => question.awaited !== undefined && !question.isBeingRead;
  const isInDoubt = (): boolean => !isAtBank && !isStoppable(view);
  await until(() => view.hasEnded || isTaken() || isAskedAgain() || isInDoubt());
  if (view.state === 'rejected') return 'rejected';
  if (isTaken()) return 'passed-on';
  if (view.hasEnded) throw decisionRefused(`the payout has ended as ${view.state}`);
  if (isAskedAgain()) throw decisionRefused('it was not carried out, and the decision is asked for again');
  throw decisionRefused('an order of it may be at the bank already: it ends as rejected only if there is none');
}

function refusalToVerify({ question: { awaited } }: PayoutView): string | undefined {
  if (awaited === undefined) return 'no approval is awaited';
  return hasExpired(awaited, Date.now()) ? 'the approval has expired' : undefined;
}

/** Verifies stored decisions and the one passed in, in an activity: a workflow cannot verify signatures. */
async function verifiedWith(view: PayoutView, signed: unknown): Promise<Verdict> {
  const { question: asked } = view;
  const { awaited } = asked;
  if (awaited === undefined) return { verdict: 'refused', why: 'no approval is awaited' };
  const { kind: question, digest, needed } = awaited;
  const input = { claim: view.claim, question, digest, needed, signed };
  asked.readers += 1;
  try {
    const verdict = await checks
      .verifyDecisions(input)
      .catch((error: unknown): Verdict => ({ verdict: 'refused', why: takenOver(error) }));
    // The main line reads the decisions again before it continues.
    view.hint();
    return verdict;
  } finally {
    asked.readers -= 1;
  }
}

/** Answer if the run has lost its claim: the main line takes it again and asks again. Any other error is thrown. */
function takenOver(error: unknown): string {
  if (!isSuperseded(error)) throw error;
  return 'the payout is being taken over at this moment; send it again';
}

/** Whether the main line stops at its next step if a cancel is requested. */
function isStoppable({ state }: PayoutView): boolean {
  return !['submitting', 'resolving', 'needs-operator', 'converting'].includes(state);
}

function cancelOutcome({ state, hasEnded, cancelStage }: PayoutView): CancelAnswer['outcome'] {
  if (state === 'cancelled') return 'cancelled';
  return hasEnded || cancelStage === 'too-late' ? 'too-late' : 'pending';
}
