import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { AwaitedApproval } from '../../domain/authority.ts';
import type { GrantedApprovals } from '../../domain/gates.ts';
import type { PayoutInput } from '../../domain/instruction.ts';
import type { PayoutKind } from '../../domain/names.ts';
import { exchangeProgress } from '../../domain/submission.ts';
import { doublingPause, HOUR_MS } from '../../domain/time.ts';
import { Gates } from '../payout/gates.ts';
import { handleMessages } from '../payout/handlers.ts';
import { HistoryTooLong } from '../payout/long-history.ts';
import { PayoutView } from '../payout/view.ts';
import { isSuperseded, prepare } from '../proxies.ts';
import { hadRunBefore } from '../ran-before.ts';
import { earlierEnd, type PayoutResult } from './ends.ts';
import { type LegMemories, type Legs, legsOf, type Run } from './legs.ts';

/**
 * What a run hands over when it continues as new: its store; what it has sent, which no store can make it forget; and what people
 * have let through, so that nobody is asked again.
 */
export interface RunBefore {
  storeId: string;
  /** Term of its claim; the next run takes the next term. */
  term: number;
  legs: LegMemories;
  passes: GrantedApprovals;
  /** The question left unanswered; absent if decisions are signed, because they are then in the store. */
  unanswered?: AwaitedApproval;
}

/** The route of a row, from what is known under a claim to a proven end. */
type Route = (run: Run, legs: Legs) => Promise<PayoutResult>;

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
  let remembered = handedOver;
  let passes = handedOver?.passes;
  const isHandedOver = handedOver !== undefined;
  let term = isHandedOver ? handedOver.term + 1 : undefined;
  for (let lost = 0; ; lost += 1) {
    try {
      const ranBefore = !isHandedOver && hadRunBefore();
      const asked = { input, storeId: remembered?.storeId, kind, ranBefore, term, isHandedOver };
      const prepared = await prepare(asked, 'claims the payout and reads the bank');
      if (prepared.kind === 'ended') return earlierEnd(view, prepared);
      // Another run has had the payout meanwhile: what people let through before does not count.
      if (lost > 0 && prepared.claim.term !== term) passes = undefined;
      if (view.question.isLeftFor(undefined)) await view.hear();
      view.claimed(prepared);
      // Without a pause two runs could take the claim from each other for ever.
      if (lost > LOSSES_WITHOUT_PAUSE) await sleep(doublingPause(lost, prepared.terms.waits.lookAgainMs, HOUR_MS));
      const progress = exchangeProgress(kind === 'payout' ? prepared : {});
      const gates = new Gates(view, prepared.terms, progress, passes);
      const run = { prepared, view, gates };
      const legs = legsOf(run, remembered?.legs ?? {});
      const { storeId, term: held } = prepared.claim;
      remembered = { storeId, term: held, legs: byKind(legs), passes: gates.passes };
      return await route(run, legs);
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
      // Nobody is asked twice, and one told "approved" and the other "rejected", because the bank shows an order unexpectedly.
      passes = remembered?.passes;
      // The next term fences off any send that was scheduled under the old one.
      if (view.isClaimed) term = view.claim.term + 1;
      view.note(
        'the claim was lost, or something was sent that is not settled: the store is asked again what was sent',
      );
    }
  }
}

type Workflow = (given: PayoutInput, before?: RunBefore) => Promise<PayoutResult>;

const byKind = (legs: Legs): LegMemories => Object.fromEntries(Object.values(legs).map((leg) => [leg.plan.kind, leg]));

/** Reduces each leg to what is handed over in history. */
const memoriesOf = (legs: LegMemories): LegMemories =>
  Object.fromEntries(
    Object.entries(legs).map(([kind, { known, firstSentAt, lastSentAt, silence, placedIds }]) => [
      kind,
      { known, firstSentAt, lastSentAt, silence, placedIds },
    ]),
  );

const LOSSES_WITHOUT_PAUSE = 3;
