import { sleep } from '@temporalio/workflow';
import { bankDigest } from '../../domain/authority.ts';
import type { Reason } from '../../domain/payout-state.ts';
import { because } from '../../domain/reasons.ts';
import { inMarkdown } from '../../domain/text.ts';
import { doublingPause } from '../../domain/time.ts';
import { sends } from '../proxies.ts';
import type { BankDecision, OrderState } from './order-state.ts';
import { awaitDecision, sendOrRenewClaim } from './waits.ts';

export const BANK_APPROVAL_REQUIRED = because('bank-approval-required');

/** How long to wait before the next read of a followed order; undefined: until there is news. */
export function quickReadPause({ placed: { quickReads }, terms: { waits } }: OrderState): number | undefined {
  return quickReads === 0 ? undefined : doublingPause(quickReads - 1, waits.pollMs, waits.pollMaxMs);
}

/**
 * A bank order waits for its audit: people decide through us (signal, update or cancel) or at the bank. We pass our decision to
 * the bank's approve or reject; what counts afterwards is the order's status. The decision has no idempotency key, so it is
 * repeated only if a later read still shows the order waiting for its audit.
 */
export async function awaitBankApproval(order: OrderState, expiredAt: number | undefined): Promise<void> {
  const { view, placed, endsRow } = order;
  placed.audits += 1;
  if (placed.isDriven) {
    // The bank accepted the decision but the order does not show it: repeat it after a growing pause, not in a loop.
    await pauseBeforeRead(order);
    placed.isDriven = false;
    return;
  }
  const couldCancel = order.cancelStage !== 'too-late';
  placed.decision ??= await decide(order, expiredAt);
  if (placed.decision === undefined) return;
  const { decision } = placed.decision;
  view.show('processing');
  const result = await drive(order, placed.decision);
  view.note(`${decision} at the bank: ${result.outcome}`);
  switch (result.outcome) {
    case 'accepted':
      placed.isDriven = true;
      view.question.isPassedOn = decision === 'reject';
      return;
    case 'not-sent': {
      if (result.why !== 'switched-off') break;
      // An approval given while the switch was off is not passed on later without asking: people are asked again. Nothing was
      // sent, so a cancel can still have an effect, unless it was answered "too late" meanwhile.
      const isTooLate = endsRow && (!couldCancel || view.inbox.cancel !== undefined);
      const detail = `${result.scope}; the approval was not driven, approve again when it is on`;
      order.dropDecision(isTooLate, because('switched-off', detail));
      break;
    }
    case 'refused':
    case 'payee-changed':
    case 'not-signed':
      // The bank does not accept this decision: it is not repeated, and people are asked again if the order still waits. A cancel
      // that was answered "too late" stays so.
      order.dropDecision(order.cancelStage === 'too-late' || view.wantsCancel, whyAgain(result));
  }
  await pauseBeforeRead(order);
}

type Refused = Extract<Awaited<ReturnType<typeof drive>>, { outcome: 'refused' | 'payee-changed' | 'not-signed' }>;

function whyAgain(result: Refused): Reason | undefined {
  if (result.outcome === 'payee-changed') return because('beneficiary-changed', result.detail);
  return result.outcome === 'not-signed' && result.limit !== undefined
    ? because('limit-reached', `${result.limit}; the approval was not driven`)
    : undefined;
}

async function drive({ view, kind, placed: { orderId }, cancelStage }: OrderState, decided: BankDecision) {
  const { decision, by, remark } = decided;
  const input = { claim: view.claim, orderKind: kind, orderId, by };
  const result = await sendOrRenewClaim(view, () =>
    decision === 'approve'
      ? sends.approveOrder.executeWithOptions({ summary: `approves at the bank, by ${inMarkdown(by)}` }, [input])
      : sends.rejectOrder.executeWithOptions({ summary: `rejects at the bank, by ${inMarkdown(by)}` }, [
          { ...input, remark, ...(cancelStage === 'driven' && { isCancel: true }) },
        ]),
  );
  return result ?? ({ outcome: 'ambiguous' } as const);
}

/** The order's own status decides: reads it after a pause, even if the watch reports nothing. */
async function pauseBeforeRead({ view, terms, placed }: OrderState): Promise<void> {
  const { pollMs, pollMaxMs } = terms.waits;
  await sleep(doublingPause(placed.audits - 1, pollMs, pollMaxMs), {
    summary: 'reads what the bank made of it',
  });
  view.inbox.readAgain();
}

/** A decision is about one order, and the policy says how many are needed. */
const asked = ({ view, placed }: OrderState): { digest: string; needed: number } => ({
  digest: bankDigest(view.digest, placed.orderId),
  needed: view.approvalsAtBank,
});

/** What people decided; undefined if the order is to be read again first. */
async function decide(order: OrderState, expiredAt: number | undefined): Promise<BankDecision | undefined> {
  const { view, placed } = order;
  const { inbox } = view;
  if (!view.wantsCancel) {
    const { askedAgain } = placed;
    const decision = await awaitDecision(view, {
      ask: { kind: 'bank', ...asked(order), expiresAt: expiredAt },
      state: 'awaiting-bank-approval',
      reason: askedAgain ?? BANK_APPROVAL_REQUIRED,
      stored: askedAgain === undefined ? 'stored' : 'to-store',
      pollMs: quickReadPause(order),
      // While quick reads are under way the patience must not interrupt: it is not renewed then, and would stay over for ever.
      interrupt: () => inbox.hasNews || (placed.quickReads === 0 && inbox.isPatienceOver),
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
        view.note(`order ${placed.orderId} is read again`);
        inbox.readAgain();
        return undefined;
    }
  }
  const { by = '', reason = 'cancelled' } = inbox.cancel ?? {};
  return { decision: 'reject', by, remark: reason, isCancel: true };
}
