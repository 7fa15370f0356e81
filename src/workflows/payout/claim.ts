import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { Prepared } from '../../activities/payout.ts';
import type { AwaitedApproval } from '../../domain/authority.ts';
import type { GrantedApprovals } from '../../domain/gates.ts';
import type { PayoutInput } from '../../domain/instruction.ts';
import { mainOrderKindOf, type OrderKind, type PayoutKind } from '../../domain/names.ts';
import { exchangeProgress } from '../../domain/submission.ts';
import { doublingPause, HOUR_MS } from '../../domain/time.ts';
import { hadRunBefore } from '../execution.ts';
import { isSuperseded, prepare } from '../proxies.ts';
import { Gates } from './gates.ts';
import { handleMessages } from './handlers.ts';
import { Order } from './order.ts';
import { type OrderMemory, STUCK } from './order-state.ts';
import { type PayoutResult, PayoutView } from './view.ts';
import { HistoryTooLong } from './waits.ts';

/** The orders of a row: `main` ends it. Only a payout may have an exchange before it. */
interface Orders {
  exchange?: Order;
  main: Order;
}

/** What a run works with under one claim. */
export interface Run extends Orders {
  prepared: Extract<Prepared, { kind: 'ready' }>;
  view: PayoutView;
  gates: Gates;
}

type Memories = Partial<Record<OrderKind, OrderMemory>>;

/**
 * What a run hands over when it continues as new: its store; what it has sent, which no store can make it forget; and what people
 * have let through, so that nobody is asked again.
 */
export interface RunBefore {
  storeId: string;
  /** Term of its claim; the next run takes the next term. */
  term: number;
  orders: Memories;
  passes: GrantedApprovals;
  /** The question left unanswered; absent if decisions are signed, because they are then in the store. */
  unanswered?: AwaitedApproval;
}

/** The route of a row, from what is known under a claim to a proven end. */
type Route = (run: Run) => Promise<PayoutResult>;

/**
 * Runs the route of a row of this kind, from the instruction to its end. A cancellation interrupts nothing that may have moved
 * money. A run that lost its claim (after a reset, or because something was sent whose outcome it does not know) takes it again
 * and starts over.
 */
export async function underClaim(
  kind: PayoutKind,
  given: PayoutInput,
  before: RunBefore | undefined,
  route: Route,
): Promise<PayoutResult> {
  // Anybody can start a workflow with any input: `prepare` refuses what is no instruction, so that nothing crashes.
  const input = given ?? {};
  // Ignore `before` from a caller: only a run that continued as new hands anything over.
  const handedOver = workflowInfo().continuedFromExecutionRunId === undefined ? undefined : before;
  const view = new PayoutView(input, kind, handedOver?.unanswered);
  handleMessages(view);
  return CancellationScope.nonCancellable(async () => {
    const result = await claimAndGo(view, handedOver, route);
    await condition(allHandlersFinished);
    return result;
  });
}

async function claimAndGo(view: PayoutView, handedOver: RunBefore | undefined, route: Route): Promise<PayoutResult> {
  const { kind, input } = view;
  const isHandedOver = handedOver !== undefined;
  let remembered = handedOver;
  let term = isHandedOver ? handedOver.term + 1 : undefined;
  for (let lost = 0; ; lost += 1) {
    try {
      const ranBefore = !isHandedOver && hadRunBefore();
      const asked = { input, storeId: remembered?.storeId, kind, ranBefore, term, isHandedOver };
      const prepared = await prepare(asked, 'claims the payout and reads the bank');
      if (prepared.kind === 'ended') return view.endedBefore(prepared);
      const { claim, terms } = prepared;
      // Another run has had the payout meanwhile: what people let through before does not count.
      const passes = lost > 0 && claim.term !== term ? undefined : remembered?.passes;
      if (view.question.isLeftFor(undefined)) await view.receive();
      view.claimed(prepared);
      const orders = ordersOf(view, prepared, remembered?.orders ?? {});
      view.showsOrders(orders);
      // Without a pause two runs could take the claim from each other for ever.
      if (lost > LOSSES_WITHOUT_PAUSE) await sleep(doublingPause(lost, terms.waits.pollMs, HOUR_MS));
      const gates = new Gates(view, terms, exchangeProgress(kind === 'payout' ? prepared : {}), passes);
      remembered = { storeId: claim.storeId, term: claim.term, orders: memoriesOf(orders), passes: gates.passes };
      return await route({ prepared, view, gates, ...orders });
    } catch (error) {
      if (error instanceof HistoryTooLong && remembered !== undefined) {
        view.question.keepForNextRun();
        const unanswered = view.isSigned ? undefined : view.question.open;
        return continueAsNew<Workflow>(input, { ...remembered, term: view.claim.term, unanswered });
      }
      if (!isSuperseded(error)) throw error;
      // The next term fences off any send that was scheduled under the old one.
      if (view.isClaimed) term = view.claim.term + 1;
      view.note(
        'the claim was lost, or something was sent that is not resolved: the store is asked again what was sent',
      );
    }
  }
}

type Workflow = (given: PayoutInput, before?: RunBefore) => Promise<PayoutResult>;

const LOSSES_WITHOUT_PAUSE = 3;

/** `before`: the same orders, as known to this run before it lost its claim, or to the run it continues. */
function ordersOf(view: PayoutView, prepared: Run['prepared'], before: Memories): Orders {
  const { terms, parked, payment, exchange: conversion } = prepared;
  // `parked` is about the order that is in doubt; about a payment that was never sent nothing can be decided.
  const isOfExchange = conversion?.submission?.tainted === true && payment?.submission?.tainted !== true;
  const orderOf = (kind: OrderKind, endsRow: boolean, earlier?: Order): Order => {
    const { [kind]: start } = prepared;
    if (start === undefined) throw new Error(`a row of this kind sends no ${kind}`);
    const isLeftToPeople = view.kind !== 'payout' || isOfExchange !== endsRow;
    const order = { kind, start, endsRow, earlier, parked: isLeftToPeople ? parked : null };
    return new Order(view, terms, { ...order, foundStuck: parked?.code === STUCK }, before[kind]);
  };
  if (view.kind !== 'payout') return { main: orderOf(mainOrderKindOf(view.kind), true) };
  const exchange = orderOf('exchange', false);
  return { exchange, main: orderOf('payment', true, exchange) };
}

const memoriesOf = (orders: Orders): Memories =>
  Object.fromEntries(Object.values(orders).map(({ kind, memory }) => [kind, memory]));
