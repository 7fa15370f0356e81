import { condition, sleep } from '@temporalio/workflow';
import { NO_REFERENCE, NOT_FOUND, ORDER_OF_ANOTHER, type OrderJudgement } from '../../domain/order-judgement.ts';
import { isNoMoney } from '../../domain/order-status.ts';
import type { ResolveRequest } from '../../domain/payout-state.ts';
import { because, type ReasonCode } from '../../domain/reasons.ts';
import { doublingPause } from '../../domain/time.ts';
import { accepted, refused } from '../execution/inbox.ts';
import { noted } from '../execution/two-people.ts';
import type { ResolveAnswer } from '../messages.ts';
import { continueAsNewIfLong } from '../payout/long-history.ts';
import { awaitBankApproval, forgetDecision } from './audit.ts';
import { Follow, LOOKS_TO_CONFIRM, type NoMoneyRead, STUCK, UNREADABLE } from './followed-order.ts';
import type { LegResult, OrderLeg } from './order-leg.ts';
import { searchOnce } from './search.ts';
import { countOrdersAgain, knownOrders, readShowsOrder, secondOrder, setAside } from './second-orders.ts';

type Followed = Exclude<LegResult, { kind: 'gates' }>;

/**
 * Follows the order of a leg to its end. The watch says when to look, a GET decides; "no money" is believed only after a second
 * GET some time later.
 */
export async function followOrder(leg: OrderLeg): Promise<Followed> {
  const follow = new Follow(leg);
  const { view, plan } = leg;
  const { inbox } = view;
  const cancelAsks = (): boolean =>
    plan.cancellable && inbox.wantsCancel && leg.decision === undefined && follow.quickReads === 0;
  // Somebody asked for a look while the order was being sent: a restored store may have forgotten the order, and nothing else
  // will report it.
  const isAskedToLook = inbox.isReadRequested;
  inbox.take();
  if (leg.readsAtOnce || isAskedToLook || inbox.noticesFor(leg.reference).length > 0) inbox.readAgain();
  for (;;) {
    if (follow.quickReads === 0 && leg.decision === undefined && leg.holdsNoStatement) continueAsNewIfLong(view);
    await follow.untilNews(() => inbox.hasNews || cancelAsks());
    const hadNews = inbox.take();
    follow.second = await secondOrder(follow);
    const { toldPaid } = follow;
    if (toldPaid !== undefined) {
      view.question.close();
      return leg.paidAs(toldPaid);
    }
    const judgement = await follow.read();
    if (judgement.meaning !== 'awaiting-audit' && wasRead(judgement)) {
      if (view.question.awaited?.kind === 'bank')
        view.note(`the bank asks for no approval any more: ${judgement.status}`);
      view.question.close();
    }
    const conflict = follow.conflictOf(judgement);
    if (conflict !== undefined) {
      if (await looksAgainFirst(follow, conflict)) continue;
      const closed = await park(follow, conflict, judgement);
      if (closed !== undefined) return closed;
      continue;
    }
    follow.conflicts = 0;
    if (view.state === 'needs-operator') await view.enter(plan.following);
    follow.noteNotBorneOut(judgement, hadNews);
    switch (judgement.meaning) {
      case 'open':
        if (plan.cancellable && inbox.wantsCancel) cancelWhileOpen(follow, judgement);
        break;
      case 'awaiting-audit':
        await awaitBankApproval(follow, judgement.expiredAt);
        break;
      case 'paid':
        return { kind: 'paid', read: judgement };
      case 'rejected':
      case 'cancelled':
      case 'failed': {
        const confirmed = await confirmNoMoney(follow, { ...judgement, meaning: judgement.meaning });
        if (confirmed !== undefined) return confirmed;
        break;
      }
      case 'unclear':
        break;
    }
  }
}

/** Whether the read saw the order at all. */
const wasRead = ({ status }: OrderJudgement): boolean => status !== NOT_FOUND && status !== UNREADABLE.status;

/** If an audit may still follow, looks again soon; an order past its audit can no longer be cancelled. */
function cancelWhileOpen(follow: Follow, { stage }: OrderJudgement): void {
  if (stage === 'past-audit') follow.leg.view.inbox.cancelStage = 'too-late';
  else follow.quickReads += 1;
}

/** What one answer of the bank may be wrong about. A second order stops the payout at once; no answer is one for an hour. */
const TO_CONFIRM: ReadonlySet<ReasonCode> = new Set(['reference-conflict', 'status-unclear']);

/** Whether a conflict has to be seen again, after a few seconds, before people are asked. */
async function looksAgainFirst(follow: Follow, conflict: ReasonCode): Promise<boolean> {
  const { view, terms } = follow.leg;
  const { lookAgainMs, lookAgainMaxMs } = terms.waits;
  const isToConfirm =
    TO_CONFIRM.has(conflict) && view.state !== 'needs-operator' && follow.conflicts < LOOKS_TO_CONFIRM;
  if (!isToConfirm) return false;
  await sleep(doublingPause(follow.conflicts, lookAgainMs, lookAgainMaxMs), {
    summary: 'reads the order again before people are asked',
  });
  follow.conflicts += 1;
  view.inbox.readAgain();
  return true;
}

/** Hands the order to people and keeps reading it, within seconds at first, until it can be decided. */
async function park(follow: Follow, reason: ReasonCode, judgement: OrderJudgement): Promise<Followed | undefined> {
  const { view, terms } = follow.leg;
  const { inbox } = view;
  const detail =
    judgement.differences.length > 0 ? `other ${judgement.differences.join(', ')}` : `status ${judgement.status}`;
  await view.enter('needs-operator', because(reason, detail));
  const pause = doublingPause(follow.parks, terms.waits.lookAgainMs, terms.waits.lookAgainMaxMs * 12);
  follow.parks += 1;
  await condition(() => inbox.resolves.length > 0 || inbox.hasNews, pause);
  const pending = inbox.asked;
  // The next round reads the order at once.
  inbox.readAgain();
  if (pending === undefined) return undefined;
  const { action, by } = pending.request;
  // What was seen before the request may be outdated: a close is judged by what the bank shows now.
  const closes = action === 'close-as-not-paid';
  if (closes) await beforeNoMoney(follow, 'reads the order again before it is closed');
  const now = closes ? await follow.read() : judgement;
  const answer: Settled =
    closes && follow.isSecondUnread
      ? refused('another order under this reference could not be read just now; try again')
      : await judgeResolve(follow, pending.request, closes ? follow.conflictOf(now) : reason, now);
  const { people = by, ...verdict } = answer;
  inbox.answer(pending, verdict);
  if (!verdict.accepted || !closes) return undefined;
  return {
    kind: 'unpaid',
    state: 'failed',
    reason: because('closed-by-operator', `by ${people}, bank status ${now.status}`),
    isStored: false,
    read: now,
  };
}

/** Waits some time after the first read, then counts every other order under the reference again. */
async function beforeNoMoney(follow: Follow, summary: string): Promise<void> {
  const { leg } = follow;
  await sleep(leg.terms.waits.noMoneyRecheckMs, { summary });
  countOrdersAgain(leg);
  follow.second = await secondOrder(follow);
}

/**
 * Judges an operator's request. There is an order, so its own status ends the payout; only if that is unclear or the order
 * differs do people decide.
 */
async function judgeResolve(
  follow: Follow,
  request: ResolveRequest,
  reason: ReasonCode | undefined,
  read: OrderJudgement,
): Promise<Settled> {
  const { leg } = follow;
  const { action, orderId } = request;
  if (action === 'keep-looking') return accepted('checking the order again');
  const isAboutThis = action === 'close-as-not-paid' || (action === 'adopt-order' && orderId === leg.orderId);
  if (reason === 'reference-conflict' && isAboutThis) {
    return settleDifference(leg, request, read);
  }
  const isUnknown = reason === STUCK && read.status === NOT_FOUND;
  if (isUnknown && action === 'close-as-not-paid') {
    return closeUnknown(leg, request);
  }
  if (action === 'adopt-order' && orderId !== undefined && knownOrders(leg).has(orderId)) {
    // Anybody who may signal can name an order.
    const isNamedOnly = orderId !== leg.orderId && !(await readShowsOrder(follow, orderId));
    if (isNamedOnly) return refused('the bank does not show just now that this order may pay it');
    for (const other of knownOrders(leg)) if (other !== orderId) setAside(leg, other);
    if (leg.orderId !== orderId) forgetDecision(follow);
    leg.follows(orderId);
    leg.dismissed.delete(orderId);
    return accepted(`order ${orderId} is followed; any other is left to you`);
  }
  if (action === 'close-as-not-paid' && reason === 'status-unclear') return accepted('closed as not paid');
  return refused('the bank has an order under this reference: only its own status ends the payout');
}

/**
 * The order differs from what was sent: two people may say that it is the right one all the same, or that this payout took no
 * money.
 */
function settleDifference(
  leg: OrderLeg,
  { action, by }: ResolveRequest,
  { meaning, differences, orderId }: OrderJudgement,
): Settled {
  const adopts = action === 'adopt-order';
  if (adopts && differences.includes(ORDER_OF_ANOTHER)) return refused('it is the order of another payout');
  const isOthers = differences.includes(ORDER_OF_ANOTHER) || differences.includes(NO_REFERENCE);
  if (!adopts && !isOthers && meaning !== 'unclear' && !isNoMoney(meaning)) {
    return refused('the bank shows an order that takes money, or still may');
  }
  const differs = 'the order is not what was sent';
  if (!adopts) return closedByTwo(leg, { action, by }, differs);
  const isAdopted = leg.adoptsDespite({ orderId, differences }, by);
  return isAdopted ? accepted(`order ${orderId} is followed, as two people have said`) : refused(noted(differs));
}

/** No read by its id finds the order. Its lists may still show it, or another one: no person can say against them that there is none. */
async function closeUnknown(leg: OrderLeg, request: ResolveRequest): Promise<Settled> {
  const search = await searchOnce(leg, 0, true);
  if (search === undefined) return refused('the order list could not be read just now; try again');
  if (search.kind !== 'nothing') return refused('the order list of the bank shows an order that may be this one');
  return closedByTwo(leg, request, 'the bank does not show the order that it accepted');
}

/** `why`: what the bank shows instead of an end; people who saw different things do not agree. */
function closedByTwo(leg: OrderLeg, { action, by }: Pick<ResolveRequest, 'action' | 'by'>, why: string): Settled {
  const people = leg.people.agree(`${action}: ${why}`, by);
  return people === undefined ? refused(noted(why)) : { ...accepted('closed as not paid by two people'), people };
}

/** `people`: both names, if two were needed. */
type Settled = ResolveAnswer & { people?: string };

/** Reads a status that says "no money" a second time, some time after the first. */
async function confirmNoMoney(follow: Follow, first: NoMoneyRead): Promise<Followed | undefined> {
  const { leg } = follow;
  const { view, plan } = leg;
  await beforeNoMoney(follow, 'before "no money" is believed');
  if (follow.second !== undefined || follow.isSecondUnread) {
    view.inbox.readAgain();
    return undefined;
  }
  const second = await follow.read(first);
  const { meaning } = second;
  if (meaning === 'paid' && second.differences.length === 0) return { kind: 'paid', read: second };
  if (isNoMoney(meaning) && meaning === first.meaning && second.differences.length === 0) {
    return { ...leg.unpaidBy({ ...second, meaning }), isStored: plan.endsPayout, read: second };
  }
  view.note(`the bank changed its mind: ${first.status}, then ${second.status}`);
  view.inbox.readAgain();
  return undefined;
}
