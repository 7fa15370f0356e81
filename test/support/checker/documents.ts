import {
  type Facts,
  groupBy,
  moneyStateOf,
  moneyStateOfStatus,
  NO_MONEY,
  type PayoutFacts,
  type ReferenceFacts,
  type Violation,
} from './facts.ts';
import type { BankOrder, ReceivedPost } from './observation.ts';
import { isOrderRefused, isRefusal } from './refusals.ts';

/**
 * I1 over every reference of a document: for any generation, store or copy of a home that asked, it is paid once and exchanged
 * once. What the bank did beyond all that a client can know is allowed, as long as no list showed it in time, and must be reported.
 */
export function documents(facts: Facts): Violation[] {
  return [...payoutsByDocument(facts).values()].flatMap((payouts) => [
    ...once(facts, payouts, 'payment'),
    ...once(facts, payouts, 'exchange'),
  ]);
}

type OrderKind = 'payment' | 'exchange';

/** An order with the write that it was made by; the bank has made some by itself. */
interface Made {
  payout: PayoutFacts;
  under: ReferenceFacts;
  order: BankOrder;
  post: ReceivedPost | undefined;
}

const payoutsByDocument = ({ payouts }: Facts): Map<string, PayoutFacts[]> =>
  groupBy(payouts, ({ instruction }) => `${instruction.uid}/${instruction.id}`);

function once(facts: Facts, payouts: readonly PayoutFacts[], orderKind: OrderKind): Violation[] {
  const made = payouts.flatMap((payout) => madeUnder(payout, payout[orderKind]));
  const counting = made.filter((it) => {
    const moneyState = moneyStateOf(it.order, facts);
    return moneyState !== 'no-money' && !(moneyState === 'unclear' && isClosedByPeople(it));
  });
  if (counting.length < 2) return [];
  const broken = ({ under }: Made, message: string): Violation => ({
    invariant: 'I1',
    reference: under.reference,
    message,
  });
  const orders = counting.map(({ order }) => order.orderId).join(', ');
  const what = `${counting.length} orders of one document that took or may take money, as ${orderKind}: ${orders}`;
  for (const second of counting) {
    const first = counting.find((other) => other !== second && mustBeKnown(facts, orderKind, other, second));
    if (first !== undefined) return [broken(second, `${what}; ${first.order.orderId} could be known`)];
  }
  const [any] = counting;
  const generations = new Set(counting.map(({ payout }) => payout));
  // Who pays a document again after its exchange is done has decided to sell again.
  if (
    any === undefined ||
    (orderKind === 'exchange' && !counting.some((it) => isBeyondKnowledge(facts, it.under, it.order)))
  )
    return [];
  const isReported =
    counting.some(({ order }) => isNoted(facts, order)) || payouts.some(isWithPeople) || isTooLate(facts, counting);
  return isReported ? [] : [broken(any, `${what}, of ${generations.size} generations; nobody was notified`)];
}

const madeUnder = (payout: PayoutFacts, under: ReferenceFacts): Made[] =>
  under.orders.map((order) => ({
    payout,
    under,
    order,
    post: under.posts.find(({ madeId }) => madeId === order.orderId),
  }));

/** People have found out what a status without a known meaning says of the money; then the document may be paid again. */
const isClosedByPeople = ({ payout: { row } }: Made): boolean => row?.reasonCode === 'closed-by-operator';

/** Whether the sender of the second one could know of the first one then. */
function mustBeKnown(facts: Facts, orderKind: OrderKind, first: Made, second: Made): boolean {
  const { post } = second;
  // The bank has made it by itself, or was asked for it before the other one.
  if (post === undefined || (first.post?.receivedAt ?? first.order.createdAt) > post.receivedAt) return false;
  const isOfOther = first.payout !== second.payout;
  const isForgotten = (facts.rollbacks ?? []).some(
    (at) => (first.post?.receivedAt ?? at) <= at && at <= post.receivedAt,
  );
  const isOfOtherHome = first.post !== undefined && first.post.home !== post.home;
  const resumptions = resumptionsBefore(facts, post);
  // A home that goes on as it always was asks nobody what another one has sent, unless it sends or pays a second time itself.
  const isAgain = second.payout.instruction.generation > 0 || isRepeated(second.under, post);
  if (isOfOtherHome && resumptions.length === 0 && !isAgain) return false;
  const isBeyond = isBeyondKnowledge(facts, first.under, first.order) || isForgotten || isOfOtherHome;
  // A document that is paid again after a known exchange may exchange again.
  if (!isBeyond) return !(orderKind === 'exchange' && isOfOther);
  const shownAt = shownFrom(facts, first.order);
  const asked = isOfOther ? (second.payout.instruction.askedAt ?? Number.NEGATIVE_INFINITY) : Number.NEGATIVE_INFINITY;
  const resumed = Math.max(Number.NEGATIVE_INFINITY, ...resumptions);
  // The store has that attempt: the list is read after its answer, and after a refusal once it shows what was done all the same.
  const answered =
    isForgotten || isOfOtherHome || first.post === undefined
      ? Number.NEGATIVE_INFINITY
      : first.post.receivedAt + (isOrderRefused(first.post) ? facts.settings.listLagMs : 0);
  return shownAt <= Math.max(asked, resumed, answered, post.receivedAt - (facts.settings.readAgeMs ?? 0));
}

const isRepeated = ({ posts }: ReferenceFacts, { receivedAt, home }: ReceivedPost): boolean =>
  posts.some((earlier) => earlier.receivedAt < receivedAt && earlier.home === home);

/** When the store that a write comes from was taken up again by somebody who cannot know what was sent meanwhile. */
const resumptionsBefore = ({ rollbacks = [], homes = [] }: Facts, { receivedAt, home = 0 }: ReceivedPost): number[] =>
  [...rollbacks, ...homes.filter((it) => it.home === home).map(({ from }) => from)].filter((at) => at <= receivedAt);

/** From when on the list shows that the order takes or may take money. */
export function shownFrom(facts: Facts, order: BankOrder): number {
  const { closedMeans, statusLagMs = 0 } = facts.settings;
  const last = order.statuses.findLastIndex(({ status }) => moneyStateOfStatus(status, closedMeans) === 'no-money');
  const since = last === -1 ? order.createdAt : (order.statuses[last + 1]?.at ?? order.createdAt) + statusLagMs;
  return Math.max(order.listedAt, since);
}

/**
 * The bank did what no protocol allows for: it executed later than the proof window, or showed it later; executed what it said it
 * refused; repaired what had been without money for longer than the second read takes.
 */
export function isBeyondKnowledge(facts: Facts, { posts }: ReferenceFacts, order: BankOrder): boolean {
  const { settings } = facts;
  if (order.reissues !== undefined) return true;
  const post = posts.find(({ madeId }) => madeId === order.orderId);
  if (cameBack(facts, order)) return true;
  if (post === undefined) return false;
  const isLate = (post.committedAt ?? post.receivedAt) - post.receivedAt > settings.lateCommitMs;
  return isLate || order.listedAt - order.createdAt > settings.listLagMs || isRefusal(post);
}

/** What is listed after the last comparison nobody can have noted. */
export const isNoted = ({ notedOrders, comparedAt }: Facts, { orderId, listedAt }: BankOrder): boolean =>
  notedOrders.includes(orderId) || (comparedAt !== undefined && listedAt >= comparedAt);

const isWithPeople = ({ row }: PayoutFacts): boolean => row?.state === 'needs-operator';

/** Where nothing is compared after an end, what is listed later is reported to nobody. */
const isTooLate = ({ comparedAt }: Facts, made: readonly Made[]): boolean =>
  comparedAt === undefined &&
  made.some(({ payout: { row }, order }) => row?.endedAt != null && order.listedAt >= (row.endedAt ?? 0));

/** What the bank shows now otherwise than it did when a payout ended is reported to people. Of payments that ended unpaid: `outcomes`. */
export function reported(facts: Facts): Violation[] {
  if (facts.comparedAt === undefined) return [];
  return [...payoutsByDocument(facts).values()].flatMap((payouts) => {
    if (payouts.some(isWithPeople)) return [];
    return payouts.flatMap((payout) => {
      const { row, payment, exchange } = payout;
      const drifting =
        row?.state === 'completed' ? [...payment.orders, ...exchange.orders].filter(({ drift }) => drift) : [];
      const sold = exchange.orders.filter((order) => cameBack(facts, order) && moneyStateOf(order, facts) === 'paid');
      const unreported = (order: BankOrder, what: string): Violation[] => {
        const message = `order ${order.orderId} ${what}, and nobody was notified`;
        return isNoted(facts, order) ? [] : [{ invariant: 'I5', reference: payment.reference, message }];
      };
      return [
        ...drifting.flatMap((order) => unreported(order, `shows another ${order.drift?.field} than before`)),
        ...(row?.endedAt == null || row.state === 'completed' ? [] : sold).flatMap((order) =>
          unreported(order, 'has exchanged after all'),
        ),
      ];
    });
  });
}

/** An order that had no money for longer than the second read takes. */
function cameBack({ settings: { noMoneyRecheckMs } }: Facts, { statuses }: BankOrder): boolean {
  const ended = statuses.findIndex(({ status }) => NO_MONEY.has(status));
  const next = ended === -1 ? undefined : statuses[ended + 1];
  return (
    noMoneyRecheckMs !== undefined && next !== undefined && next.at - (statuses[ended]?.at ?? 0) > noMoneyRecheckMs
  );
}

/** Whether another generation of the same document took or may take money: people say what becomes of this one. */
export function isPaidByOther(facts: Facts, payout: PayoutFacts): boolean {
  const { uid, id } = payout.instruction;
  return facts.payouts.some(
    (other) =>
      other !== payout &&
      other.instruction.uid === uid &&
      other.instruction.id === id &&
      [...other.payment.orders, ...other.exchange.orders].some((order) => moneyStateOf(order, facts) !== 'no-money'),
  );
}
