import {
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { Prepared } from '../activities/prepare.ts';
import type { SettledLegs } from '../activities/records.ts';
import type { PayoutInput } from '../domain/instruction.ts';
import type { TerminalMeaning } from '../domain/order-status.ts';
import type { EndState, Reason } from '../domain/payout-state.ts';
import { doublingPause } from '../domain/policy.ts';
import { because, type ReasonCode } from '../domain/reasons.ts';
import { STUCK } from './leg/follow.ts';
import { type LegMemory, type LegResult, OrderLeg } from './leg/order-leg.ts';
import { FreshHistory } from './payout/fresh-history.ts';
import { Gates, type Unpaid } from './payout/gates.ts';
import { handleMessages } from './payout/handlers.ts';
import { PayoutView } from './payout/view.ts';
import { isSuperseded, permanentCause, read, sends } from './proxies.ts';

/** What a payout returns. Every business outcome is a return value; the workflow fails only for a bug or a misuse. */
export interface PayoutResult {
  reference: string;
  state: EndState;
  reason: Reason | null;
  orderId: string | null;
  fee: string | null;
  feeCurrency: string | null;
}

/**
 * One payout, from the instruction to a proven end: prepare, clear the gates, convert if needed, submit by reference, follow the
 * order. Nothing that may have moved money is interrupted by a cancellation.
 */
export async function payout(given: PayoutInput, before?: RunBefore): Promise<PayoutResult> {
  // Anybody can start a workflow with anything: what is no instruction is refused by `prepare`, not by a crash.
  const input = given ?? {};
  const view = new PayoutView(`${input.currency ?? ''} ${input.amount ?? ''}, document ${input.id ?? ''}`);
  handleMessages(view);
  return CancellationScope.nonCancellable(async () => {
    // Nobody but a run of this payout hands anything over.
    const isHandedOver = workflowInfo().continuedFromExecutionRunId !== undefined;
    const result = await underClaim(view, input, isHandedOver ? before : undefined);
    await condition(allHandlersFinished);
    return result;
  });
}

/** What a run that goes on in a fresh history hands over: its store, and what it has sent, which no store can make it forget. */
export interface RunBefore {
  storeId: string;
  exchange: LegMemory;
  payment: LegMemory;
}

/** A run whose claim was lost (it was reset, say, or something was sent that it has not settled) takes it anew and begins again. */
async function underClaim(view: PayoutView, input: PayoutInput, first: RunBefore | undefined): Promise<PayoutResult> {
  let before = first;
  for (let lost = 0; ; lost += 1) {
    try {
      const prepared = await prepare({ input, storeId: before?.storeId });
      if (prepared.kind === 'ended') return earlierEnd(view, prepared);
      view.claimed(prepared.claim);
      view.maker = prepared.maker ?? undefined;
      view.attributesAtStart(prepared.claim.reference, `${input.currency ?? ''}`, input.batchId);
      // Whoever takes the claim from us again and again is slowed down, and so are we.
      if (lost > LOSSES_IN_A_ROW) await sleep(doublingPause(lost, prepared.terms.waits.lookAgainMs, HOUR_MS));
      const gates = gatesOf(view, prepared, `${input.account_id ?? ''}`);
      const legs: Legs = legsOf(view, prepared, gates, input, before);
      before = { storeId: prepared.claim.storeId, ...legs };
      return await route(view, prepared, gates, legs);
    } catch (error) {
      if (error instanceof FreshHistory && before !== undefined) {
        const { storeId, exchange, payment } = before;
        await condition(allHandlersFinished);
        return continueAsNew<typeof payout>(input, {
          storeId,
          exchange: memoryOf(exchange),
          payment: memoryOf(payment),
        });
      }
      if (!isSuperseded(error)) throw error;
      view.note('the claim was lost: the store is asked again what was sent');
    }
  }
}

const memoryOf = ({ known, firstSentAt, lastSentAt }: LegMemory): LegMemory => ({ known, firstSentAt, lastSentAt });

const LOSSES_IN_A_ROW = 3;
const HOUR_MS = 3_600_000;

type Ready = Extract<Prepared, { kind: 'ready' }>;
type Legs = { exchange: OrderLeg; payment: OrderLeg };

/** What was sent and is in doubt is settled before anything else; then the gates, the exchange, the gates again, the payment. */
async function route(view: PayoutView, prepared: Ready, gates: Gates, legs: Legs): Promise<PayoutResult> {
  const { exchange, payment } = legs;
  let found = prepared.assessment;
  view.digest = found.digest;
  for (;;) {
    const settlesPayment = !exchange.isInDoubt && (payment.isInDoubt || payment.parked !== null);
    if (!exchange.isInDoubt && !settlesPayment) {
      const cleared = await gates.clear(found);
      if (cleared.kind === 'unpaid') return close(view, legs, cleared);
      found = cleared.found;
    }
    const converts = exchange.isInDoubt || (!settlesPayment && found.exchange !== undefined);
    const result = await (converts ? exchange : payment).run();
    if (result.kind === 'unpaid') return result.isStored ? ended(view, result) : close(view, legs, result);
    if (result.kind === 'paid' && !converts) return completed(view, result.read);
    gates.exchangeSent = exchange.wasSent;
    if (result.kind === 'gates') {
      found = await gates.after(result, found);
      continue;
    }
    const refused = await booked(view, gates, result);
    if (refused !== undefined) return close(view, legs, refused);
    found = await reread(gates, result);
  }
}

type Booked = Extract<LegResult, { kind: 'paid' }>;

/** The money is in the payout currency: nothing said about the exchange counts for the payment, which is another order. */
async function booked(view: PayoutView, gates: Gates, { read: { aboveCap } }: Booked): Promise<Unpaid | undefined> {
  gates.exchanged = true;
  view.inbox.cancelStanding = 'open';
  view.bankStatus = null;
  return aboveCap === true ? gates.acceptRate() : undefined;
}

/** What was read along with the booked exchange, unless people were waited for since. */
const reread = (gates: Gates, { read: { aboveCap, assessment } }: Booked) =>
  aboveCap === true || assessment === undefined ? gates.assess() : assessment;

function gatesOf(view: PayoutView, { terms, payment, exchange }: Ready, accountId: string): Gates {
  // A payment is sent only after its exchange.
  const exchanged = exchange.isPaid || payment.submission.attempts > 0;
  return new Gates(view, terms, accountId, { exchanged, exchangeSent: exchange.submission.attempts > 0 });
}

function legsOf(
  view: PayoutView,
  prepared: Ready,
  gates: Gates,
  input: PayoutInput,
  before: RunBefore | undefined,
): Legs {
  const { terms, parked } = prepared;
  const { currency = '', amount = '', account_id: account = '' } = input;
  const shared = { accountId: `${account}`, assess: () => gates.assess(), foundStuck: parked?.code === STUCK };
  const send = (activity: 'submitPayment' | 'submitExchange', what: string) => (attempt: number) =>
    sends[activity].executeWithOptions({ summary: `${what}, attempt ${attempt}` }, [{ claim: view.claim, attempt }]);
  const exchange: OrderLeg = new OrderLeg(
    { view, terms, parked: null, others: () => ({}) },
    prepared.exchange,
    {
      ...shared,
      kind: 'exchange',
      submitting: 'converting',
      following: 'converting',
      cancellable: false,
      send: send('submitExchange', `buys ${currency} for ${amount} and the fee`),
      endBy: (meaning) => exchangeEnd(meaning, view),
      endsPayout: false,
      thenAssess: { exchanged: true, exchangeSent: true },
    },
    before?.exchange,
  );
  const payment = new OrderLeg(
    { view, terms, parked, others: (): SettledLegs => exchange.settled },
    prepared.payment,
    {
      ...shared,
      kind: 'payment',
      submitting: 'submitting',
      following: 'processing',
      cancellable: true,
      send: send('submitPayment', `pays ${currency} ${amount}`),
      endBy: (meaning, leg) => paymentEnd(meaning, leg, exchange.isBooked),
      endsPayout: true,
    },
    before?.payment,
  );
  return { exchange, payment };
}

/** What each end of the payment's order is for the payout. */
function paymentEnd(meaning: TerminalMeaning, { view, decision }: OrderLeg, isExchanged: boolean) {
  const byCancel = view.inbox.cancelStanding === 'driven';
  const unpaidBy = (state: Unpaid['state'], code: ReasonCode) => ({
    state,
    reason: withExchange(isExchanged, because(code)),
  });
  switch (meaning) {
    case 'paid':
      return { state: 'completed' as const, reason: null };
    case 'rejected':
      if (byCancel) return unpaidBy('cancelled', 'cancelled-by-request');
      return unpaidBy('rejected', decision?.decision === 'reject' ? 'approval-rejected' : 'bank-rejected');
    case 'cancelled':
      return unpaidBy('cancelled', byCancel ? 'cancelled-by-request' : 'bank-cancelled');
    case 'failed':
      return unpaidBy('failed', 'bank-failed');
  }
}

function exchangeEnd(meaning: TerminalMeaning, { inbox }: PayoutView): { state: Unpaid['state']; reason: Reason } {
  return inbox.cancelStanding === 'driven'
    ? { state: 'cancelled', reason: because('cancelled-by-request') }
    : { state: 'failed', reason: because('exchange-failed', `order ${meaning}`) };
}

/** An exchange is never undone automatically: who reads why nothing was paid reads that the money is in another currency. */
function withExchange(isBooked: boolean, { code, message }: Reason): Reason {
  return isBooked ? { code, message: `${message}; the exchange stays as booked` } : { code, message };
}

/** A misuse (wrong id, reused id) fails the workflow with the activity's own words; anything else is a bug. */
async function prepare(input: Parameters<typeof read<'prepare'>>[1]): Promise<Prepared> {
  try {
    return await read('prepare', input, 'claims the payout and reads the bank');
  } catch (error) {
    const cause = permanentCause(error);
    if (cause === undefined) throw error;
    throw ApplicationFailure.nonRetryable(cause.message, cause.type);
  }
}

async function close(view: PayoutView, { exchange, payment }: Legs, { state, reason }: Unpaid): Promise<PayoutResult> {
  await view.close(state, withExchange(exchange.isBooked, reason), payment.settled);
  return resultOf(view, state);
}

function completed(view: PayoutView, read: Booked['read']): PayoutResult {
  fees(view, read);
  view.show('completed');
  return resultOf(view, 'completed');
}

/** The read that confirmed the end has stored it. */
function ended(view: PayoutView, { state, reason, read }: Extract<LegResult, { kind: 'unpaid' }>): PayoutResult {
  fees(view, read);
  view.show(state, reason);
  return resultOf(view, state);
}

function fees(view: PayoutView, read: Booked['read'] | undefined): void {
  view.fee = read?.fee ?? null;
  view.feeCurrency = read?.feeCurrency ?? null;
}

function earlierEnd(
  view: PayoutView,
  { reference, state, reason, orderId, fee, feeCurrency }: Extract<Prepared, { kind: 'ended' }>,
): PayoutResult {
  Object.assign(view, { orderId, fee, feeCurrency });
  view.show(state, reason);
  return { reference, state, reason, orderId, fee, feeCurrency };
}

function resultOf({ claim, reason, orderId, fee, feeCurrency }: PayoutView, state: EndState): PayoutResult {
  return { reference: claim.reference, state, reason, orderId, fee, feeCurrency };
}
