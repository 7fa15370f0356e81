import { sameAmount, sumOf } from './decimals.ts';
import { isBeyondKnowledge, isNoted, shownFrom } from './documents.ts';
import {
  askedAs,
  END_STATES,
  type Facts,
  groupBy,
  moneyStateOf,
  moneyStateOfStatus,
  type PayoutFacts,
  type ReferenceFacts,
  type Violation,
} from './facts.ts';
import type { BankOrder } from './observation.ts';
import { isRefusal } from './refusals.ts';

/** I4, I5, I6, I9: what is reported is what the bank shows, once, and for good. */
export function outcomes(facts: Facts): Violation[] {
  return [
    ...facts.payouts.flatMap((payout) => [
      ...paidIsPaid(facts, payout),
      ...unpaidIsUnpaid(facts, payout),
      ...returnsAreReal(facts, payout),
    ]),
    ...everyRowOnce(facts),
    ...endsStay(facts),
    ...resultsAreRows(facts),
  ];
}

function wasPaid({ statuses }: BankOrder, { settings }: Facts, until: number): boolean {
  return statuses.some(({ at, status }) => at <= until && moneyStateOfStatus(status, settings.closedMeans) === 'paid');
}

function paidIsPaid(facts: Facts, { row, payment, instruction }: PayoutFacts): Violation[] {
  if (row?.state !== 'completed') return [];
  const { reference } = payment;
  const broken = (message: string): Violation[] => [{ invariant: 'I4', reference, message }];
  const paid = payment.orders.filter((order) => wasPaid(order, facts, row.endedAt ?? Number.POSITIVE_INFINITY));
  const order = paid.find(({ orderId }) => orderId === row.orderId) ?? paid[0];
  // Where one of them was beyond knowledge, all references of the document are judged together.
  const isJudged =
    facts.homes !== undefined ||
    (facts.rollbacks ?? []).length > 0 ||
    paid.some((it) => isBeyondKnowledge(facts, payment, it));
  if (order === undefined || (paid.length > 1 && !isJudged))
    return broken(`reported as completed with ${paid.length} completed orders`);
  if (row.orderId !== order.orderId) return broken(`reported with order ${row.orderId}, paid by ${order.orderId}`);
  const account = facts.accounts.find(({ accountId }) => accountId === instruction.accountId);
  const differing = [
    order.uid !== instruction.uid && 'user',
    order.currency !== instruction.currency && 'currency',
    !sameAmount(order.amount, instruction.amount) && 'amount',
    account?.currency === instruction.currency && order.accountId !== instruction.accountId && 'account',
    row.fee !== null && !(sameAmount(row.fee, order.fee) && row.feeCurrency === order.feeCurrency) && 'fee',
  ].filter((name) => name !== false);
  return differing.length === 0 ? [] : broken(`completed by an order with another ${differing.join(', ')}`);
}

function unpaidIsUnpaid(facts: Facts, { row, payment, exchange }: PayoutFacts): Violation[] {
  if (row === undefined || !END_STATES.has(row.state) || row.state === 'completed') return [];
  // A person may close what has no known meaning; an exchange that is done stays done.
  const closed = row.reasonCode === 'closed-by-operator';
  const contradicts = (order: BankOrder, allowed: readonly string[]): boolean => {
    const moneyState = moneyStateOf(order, facts);
    return !allowed.includes(moneyState) && !(closed && moneyState === 'unclear');
  };
  const contradicting = [
    ...payment.orders.filter((order) => contradicts(order, ['no-money'])).map((order) => ({ order, under: payment })),
    ...exchange.orders
      .filter((order) => contradicts(order, ['no-money', 'paid']))
      .map((order) => ({ order, under: exchange })),
  ];
  return contradicting.flatMap(({ order, under }): Violation[] => {
    const { orderId, statuses } = order;
    const what = `reported as ${row.state} (${row.reasonCode}), and the bank has order ${orderId} as ${statuses.at(-1)?.status}`;
    const broken = (message: string): Violation[] => [{ invariant: 'I5', reference: payment.reference, message }];
    if (!isAfterEnd(facts, order, under, row.endedAt)) return broken(what);
    return isNoted(facts, order) ? [] : broken(`${what}; nobody was notified`);
  });
}

/** What the bank did beyond all that could be known when the payout ended; where nothing is compared later, it cannot be reported. */
function isAfterEnd(facts: Facts, order: BankOrder, under: ReferenceFacts, endedAt: number | null): boolean {
  if (facts.comparedAt === undefined || endedAt === null) return false;
  const post = under.posts.find(({ madeId }) => madeId === order.orderId);
  const isOfOtherHome = (post?.home ?? 0) !== 0;
  const isForgotten = (facts.rollbacks ?? []).some((at) => (post?.receivedAt ?? at) <= at && at <= endedAt);
  if (!isOfOtherHome && !isForgotten && !isBeyondKnowledge(facts, under, order)) return false;
  // Nobody searches for what was refused.
  if (post !== undefined && isRefusal(post)) return true;
  return isOfOtherHome || shownFrom(facts, order) > endedAt - (facts.settings.readAgeMs ?? 0);
}

function returnsAreReal({ orders }: Facts, { row, payment }: PayoutFacts): Violation[] {
  const refunds = orders.filter((order) => order.type === 'REFUND' && askedAs(order) === payment.reference);
  const ids = new Set<string>();
  return (row?.returns ?? []).flatMap(({ orderId, amount, currency }): Violation[] => {
    const refund = refunds.find((order) => order.orderId === orderId);
    const real = refund !== undefined && sameAmount(refund.amount, amount) && refund.currency === currency;
    if (real && !ids.has(orderId)) {
      ids.add(orderId);
      return [];
    }
    return [
      { invariant: 'I9', reference: payment.reference, message: `a return that the bank does not show: ${orderId}` },
    ];
  });
}

const STATES: ReadonlySet<string> = new Set([
  ...END_STATES,
  ...['received', 'preparing', 'scheduled', 'held', 'awaiting-funds', 'awaiting-approval', 'converting'],
  ...['submitting', 'resolving', 'awaiting-bank-approval', 'processing', 'needs-operator'],
]);

function everyRowOnce({ payouts, rows }: Facts): Violation[] {
  const violations: Violation[] = [];
  const add = (reference: string | null, message: string): void => {
    violations.push({ invariant: 'I6', reference, message });
  };
  for (const { payment, row, instruction } of payouts) {
    const { reference } = payment;
    if (rows.filter((it) => it.reference === reference).length !== 1) add(reference, 'not reported exactly once');
    if (row === undefined) continue;
    if (!STATES.has(row.state)) add(reference, `reported in the unknown state ${row.state}`);
    if (!sameAmount(row.amount, instruction.amount) || row.currency !== instruction.currency)
      add(reference, 'reported with another amount');
  }
  if (rows.length !== payouts.length) add(null, `${payouts.length} instructions, ${rows.length} rows`);
  for (const [currency, accepted] of groupBy(payouts, ({ instruction }) => instruction.currency)) {
    const asked = sumOf(accepted.map(({ instruction }) => instruction.amount));
    const reported = sumOf(rows.filter((row) => row.currency === currency).map(({ amount }) => amount));
    if (asked !== reported) add(null, `the rows in ${currency} do not add up to what was accepted`);
  }
  return violations;
}

/** An older copy in the store's place has forgotten the ends that were seen before. */
function endsStay({ statesSeen, rows, restores }: Facts): Violation[] {
  const ends = new Map<string, string>();
  const replacedAt = Math.max(...restores);
  const kept = statesSeen.filter(({ at }) => at > replacedAt);
  const seen = [...kept, ...rows.map(({ reference, state }) => ({ reference, state }))];
  return seen.flatMap(({ reference, state }): Violation[] => {
    const end = ends.get(reference);
    if (END_STATES.has(state) && end === undefined) ends.set(reference, state);
    if (end === undefined || end === state) return [];
    return [{ invariant: 'I9', reference, message: `left its end ${end} for ${state}` }];
  });
}

function resultsAreRows({ results, rows }: Facts): Violation[] {
  return results.flatMap(({ reference, state, orderId, failure }): Violation[] => {
    if (failure !== null) return [{ invariant: 'I13', reference, message: `its workflow failed: ${failure}` }];
    const row = rows.find((it) => it.reference === reference);
    const same = row !== undefined && row.state === state && (state !== 'completed' || row.orderId === orderId);
    if (same) return [];
    return [
      {
        invariant: 'I6',
        reference,
        message: `its workflow returned ${state}, its row says ${row?.state ?? 'nothing'}`,
      },
    ];
  });
}
