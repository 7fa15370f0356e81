import type { Bank } from '../bank/bank.ts';
import { readIfThere } from '../bank/bank-orders.ts';
import type { SendOptions } from '../bank/call-options.ts';
import { says, undefinedIf } from '../bank/errors.ts';
import { payeeDigest } from '../bank/payee-lists.ts';
import type { Order } from '../bank/schemas/orders.ts';
import type { Assessment, Payee } from '../domain/gates.ts';
import { isBetween } from '../domain/money.ts';
import { orderDifferences, type RejectedAs } from '../domain/order-judgement.ts';
import { expectedOrder, listsOf, type PaymentOrder, type SentOrder } from '../domain/sent-order.ts';
import { type AttemptResult, inDoubt, orderAsked } from '../domain/submission.ts';
import { switchFactsOf } from '../domain/switches.ts';
import { boughtWithin } from '../people/decisions/asked.ts';
import { limitPassed, mayRelease } from '../people/decisions/let-through.ts';
import { type Caller, claimedRow, orderReference, orderReferences } from '../store/claimed-row.ts';
import type { PayoutRecord, SendAttempt, Store } from '../store/store.ts';
import { readToSend } from './assess.ts';
import type { ActivityDeps } from './deps.ts';
import { learnedForm } from './find.ts';
import type { OrderKindInput } from './payout.ts';
import { putIntoOpenSet, sendOnce } from './send.ts';

export interface OrderDecision extends OrderKindInput {
  orderId: string;
  by: string;
}

/**
 * `payee-changed`: nothing was sent, the bank does not show the payee that was paid. `not-signed`: nothing was sent, decisions
 * that the policy requires for this order are not signed, or it is above a limit of the policy in force, in words.
 */
type OrderApproved =
  | AttemptResult
  | { outcome: 'payee-changed'; detail?: string }
  | { outcome: 'not-signed'; limit?: string };

/** Compares the payee again before the bank is asked to proceed: nobody has agreed to pay one that was changed since. */
export const approveOrder = (deps: ActivityDeps, caller: Caller, decision: OrderDecision): Promise<OrderApproved> =>
  drive(deps, caller, decision, {
    action: 'approve',
    as: 'approve',
    refusedBy: async (row) => {
      const payee = decision.orderKind === 'payment' ? await paidPayee(deps, row) : undefined;
      if (payee === 'forgotten') return { outcome: 'payee-changed', detail: FORGOTTEN };
      if (payee !== undefined && !(await shows(deps, payee))) return { outcome: 'payee-changed' };
      return whyNotReleased(deps, row, decision);
    },
    stoppedBy: (row) => stoppedBySwitch(deps, row, decision),
    post: ({ orders }, options) => orders.approve(decision.orderId, options),
  });

export interface OrderRejection extends OrderDecision {
  remark: string;
  /** The rejection carries out a cancel; absent: an approver rejected the order. */
  isCancel?: boolean;
}

/** A rejection moves no money, so no switch stops it. */
export const rejectOrder = (deps: ActivityDeps, caller: Caller, decision: OrderRejection): Promise<OrderApproved> =>
  drive(deps, caller, decision, {
    action: 'reject',
    as: decision.isCancel === true ? 'cancel' : 'reject',
    refusedBy: async () => undefined,
    stoppedBy: async () => undefined,
    post: ({ orders }, options) => orders.reject(decision.orderId, decision.remark, options),
  });

interface Drive {
  action: 'approve' | 'reject';
  /** Kind under which it is recorded. */
  as: DrivenAs;
  refusedBy(row: PayoutRecord): Promise<OrderApproved | undefined>;
  stoppedBy(row: PayoutRecord): Promise<OrderApproved | undefined>;
  post(bank: Bank, options: SendOptions): Promise<void>;
}

/** A decision has no idempotency key: it is recorded like an order, and after any answer the order's own status counts. */
async function drive(
  deps: ActivityDeps,
  caller: Caller,
  { claim, orderKind, orderId, by }: OrderDecision,
  { action, as, refusedBy, stoppedBy, post }: Drive,
): Promise<OrderApproved> {
  const { store, now } = deps;
  let isFirst = false;
  return sendOnce<PayoutRecord, OrderApproved>(deps, caller, {
    async admit() {
      const row = await claimedRow(store, claim, caller.runId);
      const held = await refusedBy(row);
      if (held !== undefined) return { held };
      const { reference, term } = claim;
      await store.changePayout(reference, { state: 'processing', reason: null, term, at: now() });
      await store.audit({
        at: now(),
        actor: by,
        action: `${action} at the bank`,
        subject: reference,
        detail: { orderId },
      });
      const key = keyOf(as, orderId);
      const made = await store.attempts(key);
      isFirst = made.length === 0;
      return {
        ...{ reference: key, attempt: (made.at(-1)?.attempt ?? 0) + 1, request: row, claim },
        expect: () => expectNews(deps, row, orderKind),
      };
    },
    stoppedBy,
    post: async (_row, options) => {
      await post(deps.bank, options);
      return orderId;
    },
    // An audit that still waits, or waits again, is news. Only once: the bank may accept a decision again and again without
    // effect.
    accepted: async (row) => {
      if (isFirst) await store.noteOrder(orderReference(row, orderKind), { notifiedStatus: null });
    },
  });
}

/**
 * The bank is about to act on the order: one that waited until the lists no longer show it, and is therefore read ever more
 * rarely, is young again for the watch.
 */
async function expectNews(deps: ActivityDeps, row: PayoutRecord, orderKind: OrderDecision['orderKind']): Promise<void> {
  const reference = orderReference(row, orderKind);
  const sent = orderAsked<SentOrder>(await deps.store.attempts(reference));
  // Of what a restored store has forgotten, the run itself reads the order in the end.
  if (sent === undefined) return;
  await putIntoOpenSet(deps, row, reference, { lists: listsOf(row.uid, sent), since: deps.now() });
}

type DrivenAs = 'approve' | RejectedAs;

/** Key under which a decision about an order is recorded; no order reference looks like it. */
const keyOf = (as: DrivenAs, orderId: string): string => `${as}/${orderId}`;

/** How the order was first rejected through us, in any run, as far as the bank may have received that. */
export async function rejectedAs(store: Store, orderId: string): Promise<RejectedAs | undefined> {
  const ways = ['reject', 'cancel'] as const;
  const [first] = inDoubt(await store.attemptsOf(ways.map((as) => keyOf(as, orderId))));
  return ways.find((as) => first?.reference === keyOf(as, orderId));
}

const NOT_SIGNED = { outcome: 'not-signed' } as const;

/**
 * Undefined if the bank shows the order that people have signed, as many as the policy now in force asks have signed its release,
 * and no limit of it is passed. An amount that the bank does not show cannot be compared, so nobody releases it through us.
 */
async function whyNotReleased(
  deps: ActivityDeps,
  row: PayoutRecord,
  { orderKind, orderId }: OrderDecision,
): Promise<OrderApproved | undefined> {
  const { policy, terms } = deps.settings;
  if (policy === undefined) return undefined;
  const [shown, read] = await Promise.all([readIfThere(deps, orderId), readToSend(deps, row, orderKind)]);
  const reference = orderReference(row, orderKind);
  const expected = expectedOrder(orderKind, reference, row.instruction, read, undefined);
  const amount = orderKind === 'exchange' ? shown?.buy_amount : shown?.transaction_amount;
  if (shown === undefined || amount === undefined || read.obstacle !== undefined) return NOT_SIGNED;
  const { atLeast, atMost } = boughtWithin(row, expected.amount, read, terms);
  // An exchange also bought the fee, as the bank quoted it when the exchange was sent.
  if (orderKind === 'exchange' && isBetween(amount, atLeast, atMost)) expected.amount = amount;
  expected.shownAs = await learnedForm(deps.store, reference);
  if (orderDifferences(shown, expected, [orderId]).length > 0) return NOT_SIGNED;
  const booked = asBooked(read, shown);
  if (!(await mayRelease(deps, row, booked, orderId))) return NOT_SIGNED;
  const limit = await limitPassedAtBank(deps, row, booked, reference);
  return limit === undefined ? undefined : { ...NOT_SIGNED, limit };
}

async function limitPassedAtBank(
  deps: ActivityDeps,
  row: PayoutRecord,
  { beneficiary, payingAccountId, exchange }: Assessment,
  reference: string,
): Promise<string | undefined> {
  const sentAt = inDoubt(await deps.store.attempts(reference)).at(-1)?.sentAt;
  const beneficiaryId = beneficiary?.known === true ? beneficiary.id : undefined;
  return limitPassed(deps, row, { beneficiaryId, payingAccountId, exchange, sentAt });
}

/** What is sold is what the bank shows, which has a rate of its own. */
const asBooked = ({ exchange, ...read }: Assessment, { sell_amount: sold }: Order): Assessment => ({
  ...read,
  ...(exchange && { exchange: { ...exchange, ...(sold !== undefined && { quotedSellAmount: sold }) } }),
});

const FORGOTTEN = 'a restored store does not know whom it was sent to, so it cannot be compared: decide at the bank';

/** The payee as it was sent, despite later reads; of a store that was replaced by an older copy, as it was last read. */
async function paidPayee({ store }: ActivityDeps, row: PayoutRecord): Promise<Payee | 'forgotten'> {
  const sent = orderAsked<PaymentOrder>(await store.attempts(orderReference(row, 'payment')));
  if (sent !== undefined) return { id: sent.beneficiaryId, digest: sent.payeeDigest };
  return row.assessed?.beneficiary?.known === true ? row.assessed.beneficiary : 'forgotten';
}

async function shows({ bank }: ActivityDeps, payee: Payee): Promise<boolean> {
  const shown = await undefinedIf(says('beneficiary-not-found'), () => bank.beneficiaries.get(payee.id));
  return shown !== undefined && payeeDigest(shown) === payee.digest;
}

/** An approval releases money, so switches stop it like an order, for anything that was sent. */
async function stoppedBySwitch(
  { store, now }: ActivityDeps,
  row: PayoutRecord,
  { orderId, by }: OrderDecision,
): Promise<OrderApproved | undefined> {
  const { reference } = row;
  const attempts = await store.attemptsOf(Object.values(orderReferences(row)));
  const sent = attempts.flatMap(({ request }: SendAttempt) => request ?? []);
  const scope = await store.matchingSwitch(switchFactsOf(row, sent));
  if (scope === undefined) return undefined;
  const detail = { orderId, scope };
  await store.audit({ at: now(), actor: by, action: 'approve held back', subject: reference, detail });
  return { outcome: 'not-sent', why: 'switched-off', scope };
}
