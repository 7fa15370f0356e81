import type { Bank, SendOptions } from '../../api/bank.ts';
import { isSamePerson } from '../../domain/approval.ts';
import type { Claim } from '../../domain/claim.ts';
import {
  type ExchangeOrder,
  exchangeOrder,
  type LegKind,
  type PaymentOrder,
  paymentOrder,
  type SentOrder,
} from '../../domain/sent-order.ts';
import { type AttemptResult, orderInForce } from '../../domain/submission.ts';
import { touchedBy } from '../../domain/switches.ts';
import type { PayoutRecord, WatchKey } from '../../store/store.ts';
import { claimedRow, legReference } from './claimed-row.ts';
import { type Admitted, type Caller, type Sender, sendOnce } from './send-once.ts';

export interface OrderSender extends Sender {
  bank: Pick<Bank, 'transactions'>;
  /** Wakes the watch of a key where none is alive. */
  wakeWatch(key: WatchKey): Promise<void>;
  watchLeaseMs: number;
  /** Life of an order's audit at the bank from its first attempt. */
  auditTtlMs: number;
}

/** What a workflow may say about an order: which payout, which of its orders, and the number of the attempt. */
export interface OrderAttempt {
  claim: Claim;
  leg: LegKind;
  attempt: number;
}

interface Asked {
  row: PayoutRecord;
  reference: string;
  order: SentOrder;
}

/**
 * One attempt at an order of a payout. What is sent is made of the claimed row, of what was last read for it, and of the bytes of
 * an earlier attempt where one may have been executed; the approvals that this reading asks for must be stored.
 *
 * @throws Superseded when the run does not hold the claim any more; no byte has left
 */
export async function sendOrder(
  sender: OrderSender,
  caller: Caller,
  { claim, leg, attempt }: OrderAttempt,
): Promise<AttemptResult> {
  let placed: { reference: string; orderId: string } | undefined;
  const result = await sendOnce<Asked, AttemptResult>(sender, caller, {
    admit: () => admit(sender, caller, { claim, leg, attempt }),
    stoppedBy: async ({ row, order }) => {
      const scope = await sender.store.switchOver(touchedBy(row, [order]));
      return scope === undefined ? undefined : { outcome: 'not-sent', why: 'switched-off', scope };
    },
    post: async ({ row, reference, order }, options) => {
      const orderId = await post(sender.bank, row.uid, reference, order, options);
      placed = { reference, orderId };
      return orderId;
    },
  });
  if (placed !== undefined) await sender.store.noteOrder(placed.reference, { orderId: placed.orderId });
  return result;
}

async function admit(
  sender: OrderSender,
  { runId }: Caller,
  { claim, leg, attempt }: OrderAttempt,
): Promise<Admitted<Asked> | { held: AttemptResult }> {
  const { store, now, auditTtlMs } = sender;
  const row = await claimedRow(store, claim, runId);
  const reference = legReference(row, leg);
  const order = orderInForce<SentOrder>(await store.attempts(reference)) ?? orderOf(row, leg, now() + auditTtlMs);
  if (order === undefined || !(await isApproved(sender, row, order)))
    return { held: { outcome: 'not-sent', why: 'changed' } };
  await open(sender, row, reference, order);
  return { reference, attempt, request: { row, reference, order }, record: order, claim };
}

/** The order of a row as it was last read; undefined when that reading does not say whom or what to pay. */
function orderOf(row: PayoutRecord, leg: LegKind, auditUntil: number): SentOrder | undefined {
  const { instruction, assessed } = row;
  if (assessed === null) return undefined;
  return leg === 'payment'
    ? paymentOrder(instruction, assessed, auditUntil)
    : exchangeOrder(assessed.exchange, instruction, auditUntil);
}

/**
 * The last reading shows nothing against it, and distinct people other than the maker, as many as it asks for, have approved just
 * what it shows. An order that is sent again pays the payee of that reading.
 */
async function isApproved(
  { store }: Sender,
  { reference, assessed, by: maker }: PayoutRecord,
  order: SentOrder,
): Promise<boolean> {
  if (assessed === null || assessed.obstacle !== undefined || !assessed.beneficiary.known) return false;
  if ('beneficiaryId' in order && order.beneficiaryId !== assessed.beneficiary.id) return false;
  const people: string[] = [];
  for (const by of await store.approvalsOf(reference, assessed.digest)) {
    if (maker !== null && ![maker, ...people].some((other) => isSamePerson(other, by))) people.push(by);
  }
  return people.length >= assessed.approvalsNeeded;
}

/** Puts the reference into the open set and wakes its watch where none is alive. */
async function open(
  { store, now, watchLeaseMs, wakeWatch }: OrderSender,
  { uid, workflowId }: PayoutRecord,
  reference: string,
  order: SentOrder,
): Promise<void> {
  const at = now();
  const currencies = 'sellCurrency' in order ? [order.currency, order.sellCurrency] : [order.currency];
  const watchAliveSince = at - watchLeaseMs;
  const asleep = await store.openOrder({ reference, workflowId, uid, currencies, at, watchAliveSince });
  await Promise.all(asleep.map(wakeWatch));
}

/** Interface section 4. */
async function post(
  { transactions }: Pick<Bank, 'transactions'>,
  uid: string,
  reference: string,
  order: SentOrder,
  options: SendOptions,
): Promise<string> {
  const placed =
    'beneficiaryId' in order
      ? await transactions.payment(paymentBody(uid, reference, order), options)
      : await transactions.fx(exchangeBody(reference, order), options);
  return placed.order_id;
}

const paymentBody = (uid: string, reference: string, order: PaymentOrder) => ({
  uid,
  account_id: order.accountId,
  beneficiary_id: order.beneficiaryId,
  reference,
  amount: order.amount,
  currency: order.currency,
  expired_at: order.expiredAt,
  note: order.note,
  reason: order.reason,
  charge_type: order.chargeType,
});

const exchangeBody = (reference: string, order: ExchangeOrder) => ({
  sell_account: order.sellAccountId,
  buy_account: order.buyAccountId,
  amount: order.amount,
  currency: order.currency,
  reference,
  expired_at: order.expiredAt,
});
