import { condition, patched } from '@temporalio/workflow';
import type { AssessInput } from '../../activities/assess.ts';
import type { OrderRead, ReadOrderInput } from '../../activities/orders.ts';
import type { Payee } from '../../domain/gates.ts';
import type { OrderJudgement } from '../../domain/order-judgement.ts';
import { isNoMoney, isTerminal, statusMeaning, type TerminalMeaning } from '../../domain/order-status.ts';
import type { EndState, Reason } from '../../domain/payout-state.ts';
import { doublingPause, type Terms } from '../../domain/policy.ts';
import { because, type ReasonCode } from '../../domain/reasons.ts';
import type { PayoutLife } from '../life.ts';
import type { ResolveAnswer, ResolveUpdate } from '../messages.ts';
import { read } from '../proxies.ts';
import { awaitBankApproval, BANK_APPROVAL_REQUIRED } from './await-bank-approval.ts';
import { knownOrders, type Others, secondOrder, setAside, takeBack } from './second-orders.ts';
import type { OrderRequest } from './submit-order.ts';

export type Ends = Record<TerminalMeaning, { state: EndState; reason: Reason | null }>;

/** `closed`: an operator closed it as not paid, the bank's status having no known meaning. */
export type Followed = { meaning: TerminalMeaning; judgement: OrderRead } | { meaning: 'closed'; reason: Reason };

/** What a followed order is: how it was asked for, which one it is, and what its end means. */
export interface OrderToFollow {
  request: OrderRequest;
  orderId: string;
  /** Found by a look: nobody may tell of it any more. */
  adopted?: true;
  terms: Terms;
  /** The payee paid, and until when (epoch ms) the bank waits for its audit; where they are known. */
  payee?: Payee;
  expiredAt?: number;
  /** What each end is for the payout, so that the confirming read stores it; absent for an exchange. */
  ends?: () => Ends;
  /** Read the payout again with the paid exchange, in one activity. */
  thenAssess?: AssessInput;
}

/**
 * Follows an order to its end. The watch says when to look, a GET decides; "no money" is believed after a second GET some
 * time later.
 */
export async function followOrder(life: PayoutLife, order: OrderToFollow): Promise<Followed> {
  const { request, terms } = order;
  life.order = { cancelDriven: false, tooLateToCancel: false };
  const follow: Follow = {
    ...order,
    life,
    openSince: Date.now(),
    lastStatus: '',
    parks: 0,
    tries: 0,
    doubts: 0,
    notThere: new Map(),
  };
  const looksAtOnce = order.adopted || life.orderHeardOf(request.expected.reference) !== undefined;
  let heard = looksAtOnce ? life.heard - 1 : life.heard;
  // An exchange is followed to its end whatever is asked: the payout behind it can still stop.
  const cancellable = request.expected.kind === 'payment';
  const cancelAsks = (): boolean =>
    cancellable && life.wantsCancel && life.order.decision === undefined && follow.doubts === 0;
  for (;;) {
    await untilNews(follow, () => life.heard > heard || cancelAsks());
    const told = life.heard > heard;
    heard = life.heard;
    follow.second = await secondOrder(follow);
    const judgement = await look(follow);
    if (judgement.meaning !== 'awaiting-audit' && wasRead(judgement)) {
      if (life.awaited?.kind === 'bank') life.note('the audit was decided at the bank, not through us');
      life.closeQuestion();
    }
    const conflict = conflictOf(follow, judgement);
    if (conflict !== undefined) {
      const closed = await park(follow, conflict, judgement);
      if (closed !== undefined) return closed;
      continue;
    }
    if (life.state === 'needs-operator') await life.enter(cancellable ? 'processing' : 'converting');
    noteDoubt(follow, judgement, told);
    switch (judgement.meaning) {
      case 'open':
        if (cancellable && life.wantsCancel) cancelWhileOpen(follow, judgement);
        break;
      case 'awaiting-audit':
        await awaitBankApproval(life, {
          orderId: follow.orderId,
          terms,
          payee: order.payee,
          expiredAt: order.expiredAt,
          tries: follow.tries,
          heard,
          lookAgainMs: doubtPause(follow),
          cancellable,
        });
        follow.tries += 1;
        break;
      case 'paid':
        return { meaning: 'paid', judgement };
      case 'rejected':
      case 'cancelled':
      case 'failed': {
        const confirmed = await confirmNoMoney(follow, judgement);
        if (confirmed !== undefined) return confirmed;
        break;
      }
      case 'unclear':
        break;
    }
  }
}

/** Waits for news; in doubt about a notice no longer than a growing pause. */
async function untilNews(follow: Follow, news: () => boolean): Promise<void> {
  const pause = doubtPause(follow);
  if (pause === undefined) await follow.life.untilNews(follow.terms.waits.patienceMs, news);
  else await condition(news, pause);
}

function doubtPause({ doubts, terms: { waits } }: Follow): number | undefined {
  return doubts === 0 ? undefined : doublingPause(doubts - 1, waits.lookAgainMs, waits.lookAgainMaxMs);
}

/**
 * The watch told of an end that the order itself does not show yet (a list ahead of it): nobody will tell again, so it is
 * looked at again from here until it has one.
 */
function noteDoubt(follow: Follow, { meaning }: OrderJudgement, told: boolean): void {
  const { life, request, terms } = follow;
  const notice = life.notices.findLast(({ reference }) => reference === request.expected.reference);
  const toldOf = notice === undefined ? 'open' : statusMeaning(notice.status, terms.closedMeans);
  const contradicted = told && toldOf !== meaning && (isTerminal(toldOf) || toldOf === 'unclear');
  if (isTerminal(meaning)) follow.doubts = 0;
  else if (contradicted || follow.doubts > 0) follow.doubts += 1;
}

/** Statuses an order has only after its audit, or without one: no rejection can stop it any more. */
const PAST_AUDIT: ReadonlySet<string> = new Set(['APPROVING', 'APPROVED', 'SUBMITTING', 'SUBMITTED']);

/** An order that may still come to its audit is looked at again; one that is past it goes on. */
function cancelWhileOpen(follow: Follow, { status }: OrderJudgement): void {
  if (PAST_AUDIT.has(status)) follow.life.order.tooLateToCancel = true;
  else follow.doubts += 1;
}

/** Whether the look saw the order at all. */
const wasRead = ({ status }: OrderJudgement): boolean => status !== 'NOT_FOUND' && status !== UNREADABLE.status;

interface Follow extends OrderToFollow, Others {
  openSince: number;
  lastStatus: string;
  /** Visits to an operator, to space the looks in between. */
  parks: number;
  /** Decisions driven at the bank, to space their repetitions. */
  tries: number;
  /** Another order under the reference that is there, as of before the last look. */
  second?: string;
}

/** Whether an audit at the bank is a question to people, or already answered. */
function asksPeople(life: PayoutLife): boolean {
  return life.order.decision === undefined && !life.wantsCancel;
}

/** What is seen of an order when the bank has not answered for the patience of a look. */
const UNREADABLE: Pick<OrderJudgement, 'meaning' | 'status' | 'differences'> = {
  meaning: 'unclear',
  status: 'UNREADABLE',
  differences: [],
};

/** One GET. "Paid" is an end at the first read; "no money" only when a second one says the same as the `first`. */
async function look(follow: Follow, first?: OrderJudgement): Promise<OrderRead> {
  const { life, request, orderId, terms, thenAssess } = follow;
  const judgement: OrderRead = await read(
    'readOrder',
    {
      owner: life.reference,
      orderId,
      expected: request.expected,
      closedMeans: terms.closedMeans,
      becomes: becomes(follow, first),
      thenAssess,
    },
    first === undefined ? 'looks at the order' : 'looks again before "no money" is believed',
  ).catch(() => ({ ...UNREADABLE, orderId }));
  life.bankStatus = judgement.status;
  if (judgement.status !== follow.lastStatus) {
    follow.lastStatus = judgement.status;
    follow.openSince = Date.now();
    life.note(`the bank shows ${judgement.status}`);
  }
  return judgement;
}

/** What the read may store: what it finds is then the payout's state without an event of its own. */
function becomes(follow: Follow, first: OrderJudgement | undefined): ReadOrderInput['becomes'] {
  const { life, ends } = follow;
  const all = ends?.();
  // With another order under the reference no status of this one is the payout's end before people have spoken.
  if (follow.second !== undefined) return {};
  if (first !== undefined)
    return isNoMoney(first.meaning) ? { paid: all?.paid, [first.meaning]: all?.[first.meaning] } : {};
  const audit = { state: 'awaiting-bank-approval' as const, reason: BANK_APPROVAL_REQUIRED };
  return { paid: all?.paid, 'awaiting-audit': asksPeople(life) ? audit : undefined };
}

/** Why an order cannot be decided through the API; undefined when it can. */
function conflictOf(follow: Follow, judgement: OrderJudgement): ReasonCode | undefined {
  if (follow.second !== undefined) return 'duplicate-suspected';
  if (judgement.differences.length > 0) return 'reference-conflict';
  if (judgement.status === UNREADABLE.status) return 'bank-unreachable';
  if (judgement.meaning === 'unclear') return 'status-unclear';
  const stuck = Date.now() - follow.openSince >= follow.terms.waits.statusAgeLimitMs;
  // An audit may take its time; one that we have decided and that does not move is stuck.
  const audited = judgement.meaning === 'awaiting-audit' && follow.life.order.decision !== undefined;
  if (stuck && (judgement.meaning === 'open' || audited)) return 'status-stuck';
  return undefined;
}

/** Hands the order to people and looks again, ever more rarely, until it can be decided. */
async function park(follow: Follow, reason: ReasonCode, judgement: OrderJudgement): Promise<Followed | undefined> {
  const { life, terms } = follow;
  const detail =
    judgement.differences.length > 0 ? `other ${judgement.differences.join(', ')}` : `status ${judgement.status}`;
  await life.enter('needs-operator', because(reason, detail));
  const heard = life.heard;
  const pause = doublingPause(follow.parks, terms.waits.lookAgainMaxMs * 12, terms.waits.patienceMs);
  follow.parks += 1;
  await condition(() => life.resolves.length > 0 || life.heard > heard, pause);
  const pending = life.resolves.shift();
  // The next round looks at once.
  life.hear(undefined);
  if (pending === undefined) return undefined;
  const { action, by } = pending.request;
  // What was seen before the request may be over: a close is judged by what the bank shows now.
  const closes = action === 'close-as-not-paid' && patched('look-before-close');
  if (closes) await condition(() => false, terms.waits.noMoneyRecheckMs);
  const now = closes ? await look(follow) : judgement;
  pending.answer = judgeResolve(follow, pending.request, closes ? conflictOf(follow, now) : reason);
  if (!pending.answer.accepted || action !== 'close-as-not-paid') return undefined;
  return { meaning: 'closed', reason: because('closed-by-operator', `by ${by}, bank status ${now.status}`) };
}

/** An order is there, so its own status ends the payout, unless that status has no meaning: then people say what it is. */
function judgeResolve(
  follow: Follow,
  { action, orderId }: ResolveUpdate,
  reason: ReasonCode | undefined,
): ResolveAnswer {
  if (action === 'keep-looking') return { accepted: true, message: 'looking at the order again' };
  if (action === 'adopt-order' && orderId !== undefined && knownOrders(follow).has(orderId)) {
    for (const other of knownOrders(follow)) if (other !== orderId) setAside(follow.life, other);
    follow.orderId = orderId;
    follow.life.dismissedOrders.delete(orderId);
    if (follow.request.expected.kind === 'payment') follow.life.orderId = orderId;
    return { accepted: true, message: `order ${orderId} is followed; any other is left to you` };
  }
  if (action === 'close-as-not-paid' && reason === 'status-unclear')
    return { accepted: true, message: 'closed as not paid' };
  return {
    accepted: false,
    message: 'the bank has an order under this reference: only its own status ends the payout',
  };
}

/** The second read of a status that says "no money", some time after the first. */
async function confirmNoMoney(follow: Follow, first: OrderJudgement): Promise<Followed | undefined> {
  await condition(() => false, follow.terms.waits.noMoneyRecheckMs);
  takeBack(follow.life);
  follow.second = await secondOrder(follow);
  if (follow.second !== undefined) {
    follow.life.hear(undefined);
    return undefined;
  }
  const second = await look(follow, first);
  if (second.meaning === 'paid' && second.differences.length === 0) return { meaning: 'paid', judgement: second };
  if (isNoMoney(second.meaning) && second.meaning === first.meaning)
    return { meaning: second.meaning, judgement: second };
  follow.life.note(`the bank changed its mind: ${first.status}, then ${second.status}`);
  follow.life.hear(undefined);
  return undefined;
}
