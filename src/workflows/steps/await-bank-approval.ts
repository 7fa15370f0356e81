import { condition } from '@temporalio/workflow';
import { doublingPause, type Terms } from '../../domain/policy.ts';
import { because } from '../../domain/reasons.ts';
import type { PayoutLife } from '../life.ts';
import { sends } from '../proxies.ts';
import { awaitDecision } from './await-decision.ts';

/**
 * A bank order waits for its audit: people decide through us (signal, update or cancel), or somebody decides at the bank.
 * Our decision drives the bank's approve or reject; what counts afterwards is what the order shows. The decision has no
 * idempotency key, so a lost answer is repeated only when a later look still shows WAIT_FOR_AUDIT. `tries` spaces the
 * repetitions.
 */
export async function awaitBankApproval(life: PayoutLife, orderId: string, terms: Terms, tries: number): Promise<void> {
  const decided = life.order.decision ?? (await decide(life, orderId));
  if (decided === undefined) return;
  life.order.decision = decided;
  if (decided.decision === 'approve') life.order.tooLateToCancel = true;
  life.show('processing');
  const result =
    decided.decision === 'approve'
      ? await sends.approveOrder
          .executeWithOptions({ summary: `approves at the bank, by ${decided.by}` }, [
            { owner: life.reference, orderId, by: decided.by },
          ])
          .catch(lost)
      : await sends.rejectOrder
          .executeWithOptions({ summary: `rejects at the bank, by ${decided.by}` }, [
            { owner: life.reference, orderId, by: decided.by, remark: decided.remark },
          ])
          .catch(lost);
  life.note(`${decided.decision} at the bank: ${result.outcome}`);
  if (result.outcome === 'accepted') return;
  if (result.outcome === 'refused') {
    // The bank does not take this decision: nothing is driven any more, and people are asked again if it still waits.
    life.order = { cancelDriven: false, tooLateToCancel: life.wantsCancel };
  }
  // Lost or refused: the order's own status decides, looked at after a pause even if the watch stays silent.
  await condition(() => false, doublingPause(tries, terms.waits.lookAgainMs, terms.waits.lookAgainMaxMs));
  life.hear(undefined);
}

export const BANK_APPROVAL_REQUIRED = because('bank-approval-required');

const lost = (): { outcome: 'ambiguous' } => ({ outcome: 'ambiguous' });

export interface BankDecision {
  decision: 'approve' | 'reject';
  by: string;
  remark: string;
}

/** What people decided; undefined when the order moved by itself first. */
async function decide(life: PayoutLife, orderId: string): Promise<BankDecision | undefined> {
  if (!life.wantsCancel) {
    const heard = life.heard;
    const decision = await awaitDecision(life, {
      ask: { kind: 'bank', digest: life.digest, needed: 1 },
      state: 'awaiting-bank-approval',
      reason: BANK_APPROVAL_REQUIRED,
      stored: 'stored',
      interrupt: () => life.heard > heard,
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
        life.note(`order ${orderId} moved at the bank`);
        life.hear(undefined);
        return undefined;
    }
  }
  life.order.cancelDriven = true;
  return { decision: 'reject', by: life.cancelRequest?.by ?? '', remark: life.cancelRequest?.reason ?? 'cancelled' };
}
