import { condition } from '@temporalio/workflow';
import type { Terms } from '../../domain/policy.ts';
import { because } from '../../domain/reasons.ts';
import type { PayoutLife } from '../life.ts';
import { sends } from '../proxies.ts';
import { awaitDecision } from './await-decision.ts';

/**
 * A bank order waits for its audit: people decide through us (signal, update or cancel), or somebody decides at the bank.
 * Our decision drives the bank's approve or reject; what counts afterwards is what the order shows. The decision has no
 * idempotency key, so a lost answer is repeated only when a later look still shows WAIT_FOR_AUDIT.
 */
export async function awaitBankApproval(life: PayoutLife, orderId: string, terms: Terms): Promise<void> {
  const decided = life.bankDecision ?? (await decide(life, orderId));
  if (decided === undefined) return;
  life.bankDecision = decided;
  if (decided.decision === 'approve') life.tooLateToCancel = true;
  life.show('processing');
  const result =
    decided.decision === 'approve'
      ? await sends.approveOrder
          .executeWithOptions({ summary: `approves at the bank, by ${decided.by}` }, [
            { owner: life.reference, orderId },
          ])
          .catch(lost)
      : await sends.rejectOrder
          .executeWithOptions({ summary: `rejects at the bank, by ${decided.by}` }, [
            { owner: life.reference, orderId, remark: decided.remark },
          ])
          .catch(lost);
  life.note(`${decided.decision} at the bank: ${result.outcome}`);
  if (result.outcome === 'accepted') return;
  // Lost or refused: the order's own status decides, looked at after a pause even if the watch stays silent.
  await condition(() => false, terms.waits.lookAgainMs);
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
  life.cancelDrivenAtBank = true;
  return { decision: 'reject', by: life.cancelRequest?.by ?? '', remark: life.cancelRequest?.reason ?? 'cancelled' };
}
