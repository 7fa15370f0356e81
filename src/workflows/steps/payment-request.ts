import type { Prepared } from '../../activities/prepare.ts';
import type { Assessment } from '../../domain/gates.ts';
import type { PayoutLife } from '../life.ts';
import { sends } from '../proxies.ts';
import type { OrderRequest } from './submit-order.ts';

type Ready = Extract<Prepared, { kind: 'ready' }>;

/** The payment of a payout whose gates are clear: the same bytes on every attempt. */
export function paymentRequest(
  life: PayoutLife,
  { reference, instruction }: Ready,
  assessment: Assessment,
  expiredAt: number,
): OrderRequest {
  const accountId = assessment.payingAccountId ?? instruction.account_id;
  const { beneficiary } = assessment;
  const beneficiaryId = beneficiary.known ? beneficiary.id : '';
  const currencies = [instruction.currency];
  return {
    expected: {
      kind: 'payment',
      reference,
      uid: instruction.uid,
      accountId: assessment.payingAccountId,
      currency: instruction.currency,
      amount: instruction.amount,
    },
    accountId: instruction.account_id,
    currencies,
    showing: 'submitting',
    send: (attempt) =>
      sends.submitPayment.executeWithOptions(
        { summary: `pays ${instruction.currency} ${instruction.amount}, attempt ${attempt}` },
        [
          {
            reference,
            attempt,
            workflowId: life.workflowId,
            uid: instruction.uid,
            currencies,
            accountId,
            beneficiaryId,
            amount: instruction.amount,
            currency: instruction.currency,
            expiredAt,
            note: instruction.note,
            reason: instruction.reason,
            chargeType: instruction.charge_type,
          },
        ],
      ),
  };
}
