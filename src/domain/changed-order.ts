import { compareDecimals, decimalsEqual } from './money.ts';
import { type Difference, differencesOf, type ExpectedOrder, isArrival, type OrderFacts } from './order-judgement.ts';
import { isNoMoney, stageMeaning } from './order-status.ts';

/** What an order is compared with after its end: what was sent, what was booked, and what the fee may be. Pure. */
export interface SettledTerms {
  expected: ExpectedOrder;
  /** Order ids that the bank told for the reference, or that people adopted. */
  ownIds: readonly string[];
  /** As read when the order ended; absent: no money moved, or nobody read it. */
  booked?: BookedValues;
  /** Highest fee that was agreed to, decimal string; absent: no cap. */
  feeAtMost?: string;
  /** Where a transfer arrives. */
  arrivesAt?: { uid: string; accountId: string };
  /** Differences that people accepted when they adopted the order. */
  accepted: readonly AcceptedDifference[];
}

export interface AcceptedDifference extends Pick<Difference, 'field' | 'shown'> {
  orderId: string;
}

/** Of the order with this id only: a record for the other leg of an exchange may show a fee of its own. */
export interface BookedValues {
  orderId: string;
  fee?: string;
  feeCurrency?: string;
  sellAmount?: string;
  rate?: string;
}

/** In what the order now differs, without what people accepted; account ids are masked. */
export function changesOf(order: OrderFacts, terms: SettledTerms): Difference[] {
  const { expected, accepted } = terms;
  const { order_id: orderId, stage } = order;
  const differs = [
    // Whoever compares it knows that it is ours, in whatever form the bank shows the reference.
    ...differencesOf(order, isArrival(order) ? arriving(order, terms) : expected, [orderId]),
    ...(isNoMoney(stageMeaning(stage)) ? [] : sinceBooked(order, terms)),
  ];
  const isAccepted = ({ field, shown }: Difference): boolean =>
    accepted.some((it) => it.orderId === orderId && it.field === field && it.shown === shown);
  return differs.map(forPeople).filter((it) => !isAccepted(it));
}

/** The interface does not show whose `transaction_uid` the arriving side of a transfer has: that of either user is right. */
function arriving({ transaction_uid: shown }: OrderFacts, { expected, arrivesAt }: SettledTerms): ExpectedOrder {
  const { uid = expected.uid, accountId } = arrivesAt ?? {};
  return { ...expected, uid: shown === expected.uid ? shown : uid, accountId, direct: 'IN' };
}

function sinceBooked(order: OrderFacts, { booked, feeAtMost }: SettledTerms): Difference[] {
  if (booked?.orderId !== order.order_id) return [];
  const { fee, fee_currency, sell_amount: sold, rate } = order;
  const differs: Difference[] = [];
  const check = (field: string, ours: string | undefined, shown: string | undefined): void => {
    if (ours !== undefined && shown !== undefined && !decimalsEqual(ours, shown)) differs.push({ field, ours, shown });
  };
  check('sell_amount', booked.sellAmount, sold);
  check('rate', booked.rate, rate);
  if (fee === undefined) return differs;
  const shown = withCurrency(fee, fee_currency);
  const { feeCurrency: currency = fee_currency } = booked;
  const isChanged = booked.fee !== undefined && !(decimalsEqual(booked.fee, fee) && currency === fee_currency);
  if (isChanged) differs.push({ field: 'fee', ours: withCurrency(booked.fee ?? '', booked.feeCurrency), shown });
  if (feeAtMost !== undefined && compareDecimals(fee, feeAtMost) === 1) {
    differs.push({ field: FEE_CAP, ours: feeAtMost, shown });
  }
  return differs;
}

/** The fee that the bank booked is above the highest one that was agreed to. */
const FEE_CAP = 'fee above its cap';

const withCurrency = (amount: string, currency = ''): string => `${amount} ${currency}`.trim();

/** Bounds a key of the store, of which PostgreSQL takes some 2,700 bytes. */
const SHOWN_MAX = 200;

/** As stored and shown: account ids masked, nothing that steers a terminal, and no value long enough to fill one. */
export function forPeople({ field, ...values }: Difference): Difference {
  const { ours, shown } = field.endsWith('_account') ? masked(values) : values;
  return { field, ours, shown: shown.slice(0, SHOWN_MAX).replaceAll(/\p{C}/gu, '?') };
}

/** Enough of each end to tell the two apart, and at least four characters. */
function masked({ ours, shown }: Omit<Difference, 'field'>): Omit<Difference, 'field'> {
  const longest = Math.max(ours.length, shown.length);
  let kept = 4;
  while (kept < longest && ours.slice(-kept) === shown.slice(-kept)) kept += 1;
  const [a, b] = [ours, shown].map((value) => (value.length > kept ? `***${value.slice(-kept)}` : value));
  return { ours: a ?? '', shown: b ?? '' };
}

/** How our side of a difference came about; other fields are what was sent. */
const OURS_IS: Readonly<Record<string, string>> = {
  status: 'stored',
  fee: 'booked',
  sell_amount: 'booked',
  rate: 'booked',
  [FEE_CAP]: 'agreed',
};

/** Both values: `transaction_amount: sent 12.00, shown 120.00`. */
export const differenceText = ({ field, ours, shown }: Difference): string =>
  `${field}: ${OURS_IS[field] ?? 'sent'} ${ours || 'nothing'}, shown ${shown || 'nothing'}`;
