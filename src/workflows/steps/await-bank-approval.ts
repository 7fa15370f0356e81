import { condition } from '@temporalio/workflow';
import type { Payee } from '../../domain/gates.ts';
import type { Reason } from '../../domain/payout-state.ts';
import { doublingPause, type Terms } from '../../domain/policy.ts';
import { because } from '../../domain/reasons.ts';
import type { OrderTalk, PayoutLife } from '../life.ts';
import { sends } from '../proxies.ts';
import { awaitDecision } from './await-decision.ts';

/** What the follower of an order knows when it finds the order in its audit. */
export interface AuditFound {
  orderId: string;
  terms: Terms;
  /** Decisions driven so far, to space their repetitions. */
  tries: number;
  /** Notices heard before the look that found the audit: a later one means "look again". */
  heard: number;
  /** Look again after this long, the look having contradicted a notice; absent: the patience decides. */
  lookAgainMs?: number;
  /** The payee that was paid, and until when (epoch ms) the bank waits; where they are known. */
  payee?: Payee;
  expiredAt?: number;
  /** A cancel can stop the payout by a rejection; an exchange is followed to its end. */
  cancellable: boolean;
}

/**
 * A bank order waits for its audit: people decide through us (signal, update or cancel), or somebody decides at the bank.
 * Our decision drives the bank's approve or reject; what counts afterwards is what the order shows. The decision has no
 * idempotency key, so it is repeated only when a later look still shows WAIT_FOR_AUDIT.
 */
export async function awaitBankApproval(life: PayoutLife, found: AuditFound): Promise<void> {
  const { orderId, terms, tries } = found;
  if (life.order.driven) {
    // Taken by the bank and not shown by the order: repeated after a growing pause, not in a loop.
    await lookLater(life, terms, tries);
    life.order.driven = false;
    return;
  }
  const decided = life.order.decision ?? (await decide(life, found));
  if (decided === undefined) return;
  life.order.decision = decided;
  const couldCancel = !life.order.tooLateToCancel;
  if (decided.decision === 'approve' && found.cancellable) life.order.tooLateToCancel = true;
  life.show('processing');
  const result =
    decided.decision === 'approve'
      ? await sends.approveOrder
          .executeWithOptions({ summary: `approves at the bank, by ${decided.by}` }, [
            { owner: life.reference, orderId, by: decided.by, payee: found.payee },
          ])
          .catch(lost)
      : await sends.rejectOrder
          .executeWithOptions({ summary: `rejects at the bank, by ${decided.by}` }, [
            { owner: life.reference, orderId, by: decided.by, remark: decided.remark },
          ])
          .catch(lost);
  life.note(`${decided.decision} at the bank: ${result.outcome}`);
  if (result.outcome === 'accepted') {
    life.order.driven = true;
    return;
  }
  if (result.outcome === 'not-sent' && result.why === 'switched-off') {
    // What was approved while it was off is not driven later unseen: people are asked again. Nothing was sent, so a cancel
    // can still do something, unless it was answered "too late" meanwhile.
    const toldTooLate = found.cancellable && (!couldCancel || life.cancelRequest !== undefined);
    life.order = { cancelDriven: false, tooLateToCancel: toldTooLate, switchedOff: result.scope };
  }
  if (result.outcome === 'refused' || result.outcome === 'payee-changed') {
    // The bank does not take this decision: nothing is driven any more, and people are asked again if it still waits. A
    // cancel that was answered "too late" stays so.
    life.order = {
      cancelDriven: false,
      tooLateToCancel: life.order.tooLateToCancel || life.wantsCancel,
      payeeChanged: result.outcome === 'payee-changed',
    };
  }
  await lookLater(life, terms, tries);
}

/** The order's own status decides, looked at after a pause even if the watch stays silent. */
async function lookLater(life: PayoutLife, { waits }: Terms, tries: number): Promise<void> {
  await condition(() => false, doublingPause(tries, waits.lookAgainMs, waits.lookAgainMaxMs));
  life.hear(undefined);
}

export const BANK_APPROVAL_REQUIRED = because('bank-approval-required');

/** Why people are asked, again as the case may be. */
function reasonOf({ payeeChanged, switchedOff }: OrderTalk): Reason {
  if (payeeChanged) return because('beneficiary-changed');
  if (switchedOff === undefined) return BANK_APPROVAL_REQUIRED;
  return because('switched-off', `${switchedOff}; the approval was not driven, approve again when it is on`);
}

const lost = (): { outcome: 'ambiguous' } => ({ outcome: 'ambiguous' });

export interface BankDecision {
  decision: 'approve' | 'reject';
  by: string;
  remark: string;
}

/** What people decided; undefined when the order moved by itself first. */
async function decide(
  life: PayoutLife,
  { orderId, heard, lookAgainMs, expiredAt }: AuditFound,
): Promise<BankDecision | undefined> {
  if (!life.wantsCancel) {
    const decision = await awaitDecision(life, {
      ask: { kind: 'bank', digest: life.digest, needed: 1, expiresAt: expiredAt },
      state: 'awaiting-bank-approval',
      reason: reasonOf(life.order),
      stored: life.order.payeeChanged || life.order.switchedOff !== undefined ? 'to-store' : 'stored',
      lookAgainMs,
      interrupt: () => life.heard > heard || life.isPatienceOver,
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
        life.note(`order ${orderId} is looked at again`);
        life.hear(undefined);
        return undefined;
    }
  }
  life.order.cancelDriven = true;
  return { decision: 'reject', by: life.cancelRequest?.by ?? '', remark: life.cancelRequest?.reason ?? 'cancelled' };
}
