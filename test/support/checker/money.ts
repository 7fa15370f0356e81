import { isMoneyText, sameAmount, sumOf, unitsOf } from './decimals.ts';
import { type Facts, moneyStateOfStatus, type PayoutFacts, referencePosted, type Violation } from './facts.ts';
import type { AccountBooks, ReceivedPost } from './observation.ts';

/** I7, I15: debits are credits, and amounts are exact to the digit. */
export function money(facts: Facts): Violation[] {
  return [
    ...facts.accounts.flatMap((account) => booksAddUp(account)),
    ...entriesAreOrders(facts),
    ...sentElsewhere(facts),
    ...facts.payouts.flatMap((payout) => [
      ...payout.payment.posts.flatMap((post) => amountSent(facts, payout, post, true)),
      ...payout.exchange.posts.flatMap((post) => amountSent(facts, payout, post, false)),
      ...boughtForBatch(facts, payout),
    ]),
  ];
}

function sentElsewhere({ posts }: Facts): Violation[] {
  const elsewhere = posts.filter(({ isElsewhere, route }) => isElsewhere && (route === 'payment' || route === 'fx'));
  return elsewhere.map((post) => ({
    invariant: 'I7',
    reference: referencePosted(post),
    message: 'sent for another customer of the bank',
  }));
}

function booksAddUp({ accountId, opening, balance, held, entries }: AccountBooks): Violation[] {
  const broken = (message: string): Violation => ({
    invariant: 'I7',
    reference: null,
    message: `account ${accountId}: ${message}`,
  });
  const should = sumOf([opening, ...entries.map(({ amount }) => amount)]);
  const is = sumOf([balance, held]);
  return [
    ...(should === undefined || should !== is
      ? [broken('the entries do not lead from the opening to the closing balance')]
      : []),
    ...((unitsOf(balance) ?? -1n) < 0n || (unitsOf(held) ?? -1n) < 0n ? [broken('a negative balance')] : []),
  ];
}

/** Money moves for an order and by its amount; both sides of an exchange, or none. */
function entriesAreOrders({ accounts, orders }: Facts): Violation[] {
  const entries = accounts.flatMap((account) =>
    account.entries.map((entry) => ({ ...entry, currency: account.currency })),
  );
  return orders.flatMap((order): Violation[] => {
    const own = entries.filter(({ orderId }) => orderId === order.orderId);
    const of = (kind: string): bigint | undefined =>
      sumOf(own.filter((entry) => entry.kind === kind).map(({ amount }) => amount));
    const amount = unitsOf(order.amount) ?? 0n;
    const fits = order.moneyMoved
      ? {
          PAYMENT: () => of('payment') === -amount,
          REFUND: () => of('refund') === amount,
          FX: () => of('bought') === amount && (of('sold') ?? 0n) < 0n,
          TRANSFER: () => true,
        }[order.type]()
      : own.length === 0;
    if (fits) return [];
    return [
      {
        invariant: 'I7',
        reference: order.reference,
        message: `order ${order.orderId} and the entries of its money differ`,
      },
    ];
  });
}

/** What its batch buys for a row is bought once, and before the row is paid; or it was not, and somebody has let the row through. */
function boughtForBatch(facts: Facts, { instruction, payment, exchange }: PayoutFacts): Violation[] {
  const { reference } = payment;
  const bought = facts.payouts.find((other) => other.payment.reference === instruction.boughtBy);
  if (bought === undefined) return [];
  const isBought = ({ receivedAt }: ReceivedPost): boolean =>
    bought.payment.orders.some(({ statuses }) =>
      statuses.some(
        ({ at, status }) => at <= receivedAt && moneyStateOfStatus(status, facts.settings.closedMeans) === 'paid',
      ),
    );
  const isLetThrough = ({ receivedAt }: ReceivedPost): boolean =>
    (bought.row?.endedAt ?? receivedAt) < receivedAt &&
    facts.decisions.some(
      (it) =>
        it.reference === reference && it.action === 'approve' && it.question?.kind === 'hold' && it.at <= receivedAt,
    );
  const early = payment.posts.find((post) => !isBought(post) && !isLetThrough(post));
  return [
    ...(exchange.posts.length === 0
      ? []
      : [{ invariant: 'I1' as const, reference, message: 'exchanged for itself, though its batch buys for it' }]),
    ...(early === undefined
      ? []
      : [{ invariant: 'I7' as const, reference, message: 'sent before the exchange of its batch was completed' }]),
  ];
}

function amountSent(
  { fees }: Facts,
  { instruction }: PayoutFacts,
  { body }: ReceivedPost,
  endsRow: boolean,
): Violation[] {
  const reference = typeof body?.reference === 'string' ? body.reference : null;
  const { amount, currency } = body ?? {};
  const broken = (message: string): Violation[] => [{ invariant: 'I15', reference, message }];
  if (currency !== instruction.currency) return broken('sent in another currency');
  if (!isMoneyText(amount, instruction.currency)) return broken('an amount that is no decimal text of its currency');
  if (endsRow) return sameAmount(amount, instruction.amount) ? [] : broken('another amount than instructed');
  // An exchange before a payment buys the amount and, in the same currency, a fee that was asked for at some time.
  const possible = fees
    .filter((it) => it.currency === currency && it.feeCurrency === currency)
    .map(({ fee }) => [instruction.amount, fee]);
  const sums = [[instruction.amount], ...possible].map((parts) => sumOf(parts));
  return fees.length === 0 || sums.includes(unitsOf(amount))
    ? []
    : broken('the exchange buys neither the amount nor amount and fee');
}
