import type { PayoutInstruction } from '../../domain/instruction.ts';
import type { ExpectedOrder } from '../../domain/order-judgement.ts';
import type { PaymentOrder } from '../../domain/sent-order.ts';
import type { PayoutLife } from '../life.ts';
import { sends } from '../proxies.ts';
import type { OrderRequest } from './submit-order.ts';

export interface Payment {
  instruction: PayoutInstruction;
  /** Account that pays, as far as it is known: an order of another one is not ours. */
  accountId: string | undefined;
  /** What is sent, asked for at the first attempt and the same on every later one. */
  order(): PaymentOrder;
  /** Fixes what is sent: bytes of an earlier attempt are in force. */
  fix(order: PaymentOrder): void;
}

/** The payment of a payout whose gates are clear. */
export function paymentRequest(life: PayoutLife, { instruction, accountId, order, fix }: Payment): OrderRequest {
  const { uid, currency, amount } = instruction;
  const { reference, workflowId } = life;
  const currencies = [currency];
  const expected: ExpectedOrder = { kind: 'payment', reference, uid, accountId, currency, amount };
  return {
    expected,
    accountId: instruction.account_id,
    currencies,
    showing: 'submitting',
    send: (attempt, othersInDoubt) =>
      sends.submitPayment.executeWithOptions({ summary: `pays ${currency} ${amount}, attempt ${attempt}` }, [
        { reference, attempt, othersInDoubt, workflowId, uid, currencies, ...order() },
      ]),
    expect(sent) {
      if (!('beneficiaryId' in sent)) return;
      fix(sent);
      expected.accountId = sent.accountId;
    },
  };
}
