import { ApplicationFailure, CancellationScope, condition, setHandler } from '@temporalio/workflow';
import { refusalOf } from '../../domain/approval.ts';
import { isEnd } from '../../domain/payout-state.ts';
import {
  approveSignal,
  type CancelAnswer,
  cancelUpdate,
  type DecideUpdate,
  decideUpdate,
  orderChangedSignal,
  type ResolveAnswer,
  rejectSignal,
  resolveUpdate,
  stateQuery,
} from '../messages.ts';
import type { PendingResolve } from './inbox.ts';
import type { PayoutView } from './view.ts';

/** Sets every handler of a payout. Called before the first await. */
export function handleMessages(view: PayoutView): void {
  setHandler(stateQuery, () => view.view(), {
    description: 'Where the payout is, why, what it awaits, and the evidence so far. No argument.',
  });
  setHandler(orderChangedSignal, (notice) => view.inbox.tell(notice), {
    description:
      'The bank order moved: look at it. From the order watch; `{"reference":"…","orderId":"…","status":"COMPLETED"}` or nothing.',
  });
  setHandler(approveSignal, (signal) => void view.decide({ ...signal, decision: 'approve' }), {
    description: 'Approve what is awaited; ignored when nothing is. `{"by":"alice","note":"checked"}`',
  });
  setHandler(rejectSignal, (signal) => void view.decide({ ...signal, decision: 'reject' }), {
    description: 'Reject what is awaited; ignored when nothing is. `{"by":"alice","remark":"wrong payee"}`',
  });
  handleDecide(view);
  handleCancel(view);
  handleResolve(view);
}

function handleDecide(view: PayoutView): void {
  const decided = new Map<string, { outcome: 'approved' | 'rejected' | 'counted'; missing: number }>();
  setHandler(
    decideUpdate,
    (update) => {
      const earlier = decided.get(update.decisionId);
      if (earlier !== undefined) return earlier;
      const verdict = view.decide(update);
      if (verdict.verdict === 'refused') throw ApplicationFailure.nonRetryable(verdict.why, 'DecisionRefused');
      const missing = verdict.verdict === 'counted' ? verdict.awaited.needed - verdict.awaited.approvedBy.length : 0;
      const answer = { outcome: verdict.verdict, missing };
      decided.set(update.decisionId, answer);
      return answer;
    },
    {
      description:
        'Approve or reject what is awaited; refused with the reason when it does not count. ' +
        '`{"decisionId":"d-1","decision":"approve","by":"alice","digest":"…"}`',
      validator: (update: DecideUpdate) => {
        if (typeof update?.decisionId !== 'string' || update.decisionId === '')
          throw new Error('decisionId is missing');
        if (decided.has(update.decisionId)) return;
        const refusal = refusalOf(view.question.awaited, update, Date.now());
        if (refusal !== undefined) throw new Error(refusal);
      },
    },
  );
}

function handleCancel(view: PayoutView): void {
  setHandler(
    cancelUpdate,
    async (request): Promise<CancelAnswer> => {
      if (!isEnd(view.state)) {
        view.inbox.cancel ??= request;
        view.note(`cancel requested by ${request.by}`);
        await settled(() => isEnd(view.state) || view.inbox.cancelStanding !== 'open' || !stoppable(view));
      }
      if (view.state === 'cancelled') return { outcome: 'cancelled' };
      return { outcome: isEnd(view.state) || view.inbox.cancelStanding === 'too-late' ? 'too-late' : 'pending' };
    },
    {
      description:
        'Cancel where that is still possible. `{"by":"alice","reason":"invoice withdrawn"}` Answers cancelled, too-late or pending.',
      validator: (request) => {
        if (typeof request?.by !== 'string' || request.by === '') throw new Error('"by" is missing');
      },
    },
  );
  // A Temporal cancellation is the same wish; nothing that may have moved money is interrupted by it.
  void CancellationScope.current().cancelRequested.catch(() => {
    view.inbox.cancel ??= { by: 'temporal', reason: 'workflow cancellation requested' };
  });
}

/** States in which the main line stops by itself at the next step when a cancel is asked for. */
function stoppable({ state }: PayoutView): boolean {
  return !['submitting', 'resolving', 'needs-operator', 'converting'].includes(state);
}

const RESOLVE_ACTIONS: readonly string[] = ['keep-looking', 'adopt-order', 'resend', 'close-as-not-paid'];

/** An update goes on after a Temporal cancellation of the workflow: that is only a wish here. */
const settled = (done: () => boolean): Promise<void> => CancellationScope.nonCancellable(() => condition(done));

function handleResolve(view: PayoutView): void {
  setHandler(
    resolveUpdate,
    async (request): Promise<ResolveAnswer> => {
      const pending: PendingResolve = { request };
      view.inbox.resolves.push(pending);
      await settled(() => pending.answer !== undefined || isEnd(view.state));
      return pending.answer ?? { accepted: false, message: `the payout has ended as ${view.state}` };
    },
    {
      description:
        'Decide what the API cannot; checked against the bank again. ' +
        '`{"action":"keep-looking|adopt-order|resend|close-as-not-paid","by":"alice","evidence":"bank statement 12","orderId":"…"}`',
      validator: (request) => {
        if (view.state !== 'needs-operator') throw new Error(`the payout is ${view.state}, not needs-operator`);
        if (typeof request?.by !== 'string' || request.by === '') throw new Error('"by" is missing');
        if (typeof request.evidence !== 'string' || request.evidence === '') throw new Error('"evidence" is missing');
        if (!RESOLVE_ACTIONS.includes(request.action))
          throw new Error(`"action" is one of ${RESOLVE_ACTIONS.join(', ')}`);
        if (request.action === 'adopt-order' && !request.orderId) throw new Error('adopt-order needs "orderId"');
      },
    },
  );
}
