import {
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { AwaitedApproval } from '../../domain/approval.ts';
import { doublingPause, HOUR_MS } from '../../domain/durations.ts';
import type { ExchangeProgress } from '../../domain/exchange-progress.ts';
import type { GrantedApprovals } from '../../domain/gates.ts';
import { type PayoutInput, payoutTitle } from '../../domain/instruction.ts';
import type { LegKind, PayoutKind } from '../../domain/names.ts';
import type { LegStart, LegStarts } from '../../services/payout/leg-start.ts';
import type { Prepared } from '../../services/payout/prepare.ts';
import { STUCK } from '../leg/followed-order.ts';
import type { LegMemory, LegPlan, OrderLeg } from '../leg/order-leg.ts';
import { Gates } from '../payout/gates.ts';
import { handleMessages } from '../payout/handlers.ts';
import { HistoryTooLong } from '../payout/long-history.ts';
import { PayoutView } from '../payout/view.ts';
import { call, isSuperseded, permanentCause, sends } from '../proxies.ts';
import { hadRunBefore } from '../ran-before.ts';
import { earlierEnd, type PayoutResult } from './ends.ts';

export type Ready = Extract<Prepared, { kind: 'ready' }>;

/** What a route works with under one claim. */
export interface Run {
  input: PayoutInput;
  prepared: Ready;
  view: PayoutView;
  gates: Gates;
}

/**
 * What a run hands over when it continues as new: its store; what it has sent, which no store can make it forget; and what people
 * have let through, so that nobody is asked again.
 */
export interface RunBefore {
  storeId: string;
  /** Term of its claim; the next run takes the next term. */
  term: number;
  legs: Partial<Record<LegKind, LegMemory>>;
  passes: GrantedApprovals;
  /** The question left unanswered; absent if decisions are signed, because they are then in the store. */
  unanswered?: AwaitedApproval;
}

/** How the workflows of the kinds differ. */
export interface PayoutRoute<Legs> {
  kind: PayoutKind;
  /** Progress of a payout's exchange. */
  progress(starts: LegStarts): ExchangeProgress;
  /** `before`: the same legs, as known to this run before it lost its claim, or to the run it continues. */
  legs(run: Run, before: RunBefore['legs']): Legs;
  orders(legs: Legs): readonly OrderLeg[];
  lead(run: Run, legs: Legs): Promise<PayoutResult>;
}

/**
 * Runs a route from the instruction to a proven end. A cancellation interrupts nothing that may have moved money. A run that lost
 * its claim (after a reset, or because something was sent whose outcome it does not know) takes it again and starts over.
 */
export async function underClaim<Legs>(
  given: PayoutInput,
  before: RunBefore | undefined,
  route: PayoutRoute<Legs>,
): Promise<PayoutResult> {
  // Anybody can start a workflow with any input: `prepare` refuses what is no instruction, so that nothing crashes.
  const input = given ?? {};
  // Ignore `before` from a caller: only a run that continued as new hands anything over.
  const handedOver = workflowInfo().continuedFromExecutionRunId === undefined ? undefined : before;
  const view = new PayoutView(payoutTitle(input), route.kind, handedOver?.unanswered);
  handleMessages(view);
  return CancellationScope.nonCancellable(async () => {
    const result = await claimAndGo(view, input, handedOver, route);
    await condition(allHandlersFinished);
    return result;
  });
}

async function claimAndGo<Legs>(
  view: PayoutView,
  input: PayoutInput,
  handedOver: RunBefore | undefined,
  route: PayoutRoute<Legs>,
): Promise<PayoutResult> {
  let remembered = handedOver;
  let passes = handedOver?.passes;
  const isHandedOver = handedOver !== undefined;
  let term = isHandedOver ? handedOver.term + 1 : undefined;
  for (let lost = 0; ; lost += 1) {
    try {
      const ranBefore = !isHandedOver && hadRunBefore();
      const prepared = await prepare({
        input,
        storeId: remembered?.storeId,
        kind: route.kind,
        ranBefore,
        term,
        isHandedOver,
      });
      if (prepared.kind === 'ended') return earlierEnd(view, prepared);
      if (view.question.isLeftFor(undefined)) await view.hear();
      view.claimed(prepared.claim);
      view.maker = prepared.maker ?? undefined;
      view.isSigned = prepared.terms.signed === true;
      view.attributesAtStart(prepared.claim.reference, input);
      view.assessed(prepared.assessment);
      // Without a pause two runs could take the claim from each other for ever.
      if (lost > LOSSES_WITHOUT_PAUSE) await sleep(doublingPause(lost, prepared.terms.waits.lookAgainMs, HOUR_MS));
      const gates = new Gates(view, prepared.terms, `${input.account_id ?? ''}`, route.progress(prepared), passes);
      const run = { input, prepared, view, gates };
      const legs = route.legs(run, remembered?.legs ?? {});
      const { storeId, term: held } = prepared.claim;
      remembered = { storeId, term: held, legs: byKind(route.orders(legs)), passes: gates.passes };
      return await route.lead(run, legs);
    } catch (error) {
      if (error instanceof HistoryTooLong && remembered !== undefined) {
        view.question.keepForNextRun();
        return continueAsNew<Workflow>(input, {
          ...remembered,
          term: view.claim.term,
          legs: memoriesOf(remembered.legs),
          unanswered: view.isSigned ? undefined : view.question.open,
        });
      }
      if (!isSuperseded(error)) throw error;
      // Another run may have had the payout meanwhile: what people let through before does not count.
      passes = undefined;
      // The next term fences off any send that was scheduled under the old one.
      if (view.isClaimed) term = view.claim.term + 1;
      view.note(
        'the claim was lost, or something was sent that is not settled: the store is asked again what was sent',
      );
    }
  }
}

type Workflow = (given: PayoutInput, before?: RunBefore) => Promise<PayoutResult>;

const byKind = (orders: readonly OrderLeg[]): RunBefore['legs'] =>
  Object.fromEntries(orders.map((leg) => [leg.plan.kind, leg]));

/** Reduces each leg to what is handed over in history. */
const memoriesOf = (legs: RunBefore['legs']): RunBefore['legs'] =>
  Object.fromEntries(
    Object.entries(legs).map(([kind, { known, firstSentAt, lastSentAt, silence, placedIds }]) => [
      kind,
      { known, firstSentAt, lastSentAt, silence, placedIds },
    ]),
  );

const LOSSES_WITHOUT_PAUSE = 3;

/** What the store knows of an order; `prepare` returns it for every order that a row of this kind may send. */
export function startOf(starts: LegStarts, leg: LegKind): LegStart {
  const start = starts[leg];
  if (start === undefined) throw new Error(`a row of this kind sends no ${leg}`);
  return start;
}

type Submit = 'submitPayment' | 'submitTransfer' | 'submitExchange';

/** The common part of every leg's plan; `what` says in the UI what an attempt does. */
export function sharedPlan(
  { input, prepared, view, gates }: Run,
  submit: Submit,
  what: string,
): Pick<LegPlan, 'accountId' | 'assess' | 'foundStuck' | 'send'> {
  return {
    accountId: `${input.account_id ?? ''}`,
    assess: () => gates.assess(),
    foundStuck: prepared.parked?.code === STUCK,
    send: (attempt, look) =>
      sends[submit].executeWithOptions({ summary: `${what}, attempt ${attempt}` }, [
        { claim: view.claim, attempt, look },
      ]),
  };
}

/** A misuse (wrong id, reused id) fails the workflow with the activity's own message; anything else is a bug. */
async function prepare(input: Parameters<typeof call<'prepare'>>[1]): Promise<Prepared> {
  try {
    return await call('prepare', input, 'claims the payout and reads the bank');
  } catch (error) {
    const cause = permanentCause(error);
    if (cause === undefined) throw error;
    throw ApplicationFailure.nonRetryable(cause.message, cause.type);
  }
}
