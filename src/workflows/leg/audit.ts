import { sleep } from '@temporalio/workflow';
import { bankDigest } from '../../domain/authority.ts';
import { because } from '../../domain/reasons.ts';
import { inMarkdown } from '../../domain/text.ts';
import { doublingPause } from '../../domain/time.ts';
import { awaitDecision } from '../payout/await-decision.ts';
import { sendOrRenewClaim } from '../payout/one-send.ts';
import { sends } from '../proxies.ts';
import { type Audit, BANK_APPROVAL_REQUIRED, type Follow } from './followed-order.ts';
import type { BankDecision, OrderLeg } from './order-leg.ts';

/**
 * A bank order waits for its audit: people decide through us (signal, update or cancel) or at the bank. We pass our decision to
 * the bank's approve or reject; what counts afterwards is the order's status. The decision has no idempotency key, so it is
 * repeated only if a later read still shows the order waiting for its audit.
 */
export async function awaitBankApproval(follow: Follow, expiredAt: number | undefined): Promise<void> {
  const { leg, audit } = follow;
  const { view, plan } = leg;
  audit.tries += 1;
  if (audit.isDriven) {
    // The bank accepted the decision but the order does not show it: repeat it after a growing pause, not in a loop.
    await pauseBeforeRead(follow);
    audit.isDriven = false;
    return;
  }
  leg.decision ??= await decide(follow, expiredAt);
  if (leg.decision === undefined) return;
  const { decision } = leg.decision;
  const couldCancel = view.inbox.cancelStage !== 'too-late';
  if (decision === 'approve' && plan.cancellable) view.inbox.cancelStage = 'too-late';
  view.show('processing');
  const result = await drive(follow, leg.decision);
  view.note(`${decision} at the bank: ${result.outcome}`);
  if (result.outcome === 'accepted') {
    audit.isDriven = true;
    view.question.isPassedOn = decision === 'reject';
    return;
  }
  if (result.outcome === 'not-sent' && result.why === 'switched-off') {
    // An approval given while the switch was off is not passed on later without asking: people are asked again. Nothing was sent,
    // so a cancel can still have an effect, unless it was answered "too late" meanwhile.
    const toldTooLate = plan.cancellable && (!couldCancel || view.inbox.cancel !== undefined);
    const detail = `${result.scope}; the approval was not driven, approve again when it is on`;
    askAgain(follow, toldTooLate, because('switched-off', detail));
  }
  if (result.outcome === 'refused' || result.outcome === 'payee-changed' || result.outcome === 'not-signed') {
    // The bank does not accept this decision: it is not repeated, and people are asked again if the order still waits. A cancel
    // that was answered "too late" stays so.
    const isTooLate = view.inbox.cancelStage === 'too-late' || view.inbox.wantsCancel;
    askAgain(follow, isTooLate, whyAgain(result));
  }
  await pauseBeforeRead(follow);
}

type Refused = Extract<Awaited<ReturnType<typeof drive>>, { outcome: 'refused' | 'payee-changed' | 'not-signed' }>;

function whyAgain(result: Refused): Audit['again'] {
  if (result.outcome === 'payee-changed') return because('beneficiary-changed', result.detail);
  return result.outcome === 'not-signed' && result.limit !== undefined
    ? because('limit-reached', `${result.limit}; the approval was not driven`)
    : undefined;
}

/** Another order is followed now: the decision and the bank's answer were about the previous one. */
export function forgetDecision(follow: Follow): void {
  const { inbox } = follow.leg.view;
  askAgain(follow, inbox.cancel !== undefined && inbox.cancelStage === 'too-late', undefined);
  follow.audit.isDriven = false;
}

function askAgain({ leg, audit }: Follow, isTooLate: boolean, again: Audit['again']): void {
  leg.decision = undefined;
  leg.view.inbox.cancelStage = isTooLate ? 'too-late' : 'open';
  audit.again = again;
}

async function drive({ leg }: Follow, { decision, by, remark }: BankDecision) {
  const { view, plan, orderId = '' } = leg;
  const input = { claim: view.claim, leg: plan.kind, orderId, by };
  const result = await sendOrRenewClaim(view, () =>
    decision === 'approve'
      ? sends.approveOrder.executeWithOptions({ summary: `approves at the bank, by ${inMarkdown(by)}` }, [input])
      : sends.rejectOrder.executeWithOptions({ summary: `rejects at the bank, by ${inMarkdown(by)}` }, [
          { ...input, remark, ...(view.inbox.cancelStage === 'driven' && { isCancel: true }) },
        ]),
  );
  return result ?? ({ outcome: 'ambiguous' } as const);
}

/** The order's own status decides: reads it after a pause, even if the watch reports nothing. */
async function pauseBeforeRead({ leg: { view, terms }, audit }: Follow): Promise<void> {
  const { lookAgainMs, lookAgainMaxMs } = terms.waits;
  await sleep(doublingPause(audit.tries - 1, lookAgainMs, lookAgainMaxMs), {
    summary: 'reads what the bank made of it',
  });
  view.inbox.readAgain();
}

/** A signed decision is about one order, and the policy says how many are needed. */
function asked({ view, orderId = '' }: OrderLeg): { digest: string; needed: number } {
  if (!view.isSigned) return { digest: view.digest, needed: 1 };
  return { digest: bankDigest(view.digest, orderId), needed: view.approvalsAtBank };
}

/** What people decided; undefined if the order is to be read again first. */
async function decide(follow: Follow, expiredAt: number | undefined): Promise<BankDecision | undefined> {
  const { leg, audit } = follow;
  const { view } = leg;
  const { inbox } = view;
  if (!inbox.wantsCancel) {
    const { again } = audit;
    const decision = await awaitDecision(view, {
      ask: { kind: 'bank', ...asked(leg), expiresAt: expiredAt },
      state: 'awaiting-bank-approval',
      reason: again ?? BANK_APPROVAL_REQUIRED,
      stored: again === undefined ? 'stored' : 'to-store',
      lookAgainMs: follow.quickReadPause,
      // While quick looks are under way the patience must not interrupt: it is not renewed then, and would stay over for ever.
      interrupt: () => inbox.hasNews || (follow.quickReads === 0 && inbox.isPatienceOver),
    });
    switch (decision.kind) {
      case 'approved':
        return { decision: 'approve', by: decision.by.join(', '), remark: '' };
      case 'rejected':
        return { decision: 'reject', by: decision.by, remark: decision.remark };
      case 'cancel':
        break;
      case 'expired':
      case 'interrupted':
        view.note(`order ${leg.orderId} is read again`);
        inbox.readAgain();
        return undefined;
    }
  }
  inbox.cancelStage = 'driven';
  return { decision: 'reject', by: inbox.cancel?.by ?? '', remark: inbox.cancel?.reason ?? 'cancelled' };
}
