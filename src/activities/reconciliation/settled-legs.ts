import type { Order } from '../../bank/schemas/orders.ts';
import { agreedCost } from '../../domain/agreed-cost.ts';
import type { BookedValues, SettledTerms } from '../../domain/changed-order.ts';
import { type LegKind, mainLegOf } from '../../domain/names.ts';
import { type Fact, factsOfExchange, factsOfPayment, type StoredExchange } from '../../domain/reconciliation.ts';
import { expectedOrder, type SentOrder } from '../../domain/sent-order.ts';
import { orderAsked } from '../../domain/submission.ts';
import { capsOf } from '../../people/decisions/signed-parts.ts';
import { legReference } from '../../store/claimed-row.ts';
import type { BookedExchange, PayoutRecord, SendAttempt } from '../../store/store.ts';
import type { LookDeps } from '../look-at-list.ts';

type Judge = (orders: readonly Order[]) => Fact[];

/** Judges the orders of these rows by what the store has of them: what was sent, what was booked, what people accepted. */
export async function settledLegs({ store, settings }: LookDeps, rows: readonly PayoutRecord[]) {
  const references = rows.map(({ reference }) => reference);
  const booked = new Map((await store.bookedExchangesOf(references)).map((it) => [it.reference, it]));
  const accepted = Map.groupBy(await store.acceptedDifferencesOf(references), ({ reference }) => reference);
  const { terms } = settings;
  const { closedMeans } = terms;
  const termsOf = (row: PayoutRecord, leg: LegKind, attempts: readonly SendAttempt[]): SettledTerms => {
    const sent = orderAsked<SentOrder>(attempts);
    const exchange = leg === 'exchange' ? booked.get(row.reference) : undefined;
    const isMain = leg === mainLegOf(row.kind);
    const ids = [...attempts.map(({ orderId }) => orderId), isMain ? row.orderId : null, exchange?.orderId ?? null];
    return {
      expected: expectedOrder(leg, legReference(row, leg), row.instruction, row.assessed, sent),
      ownIds: [...new Set(ids.filter((id) => id !== null))],
      booked: exchange === undefined ? bookedFee(row, isMain) : bookedValues(exchange),
      ...(isMain && { feeAtMost: agreedCost({ fee: row.assessed?.fee }, capsOf(row, terms)).feeAtMost }),
      ...(sent !== undefined &&
        'destinationUid' in sent && { arrivesAt: { uid: sent.destinationUid, accountId: sent.destinationAccountId } }),
      accepted: accepted.get(row.reference) ?? [],
    };
  };
  return {
    /** Orders under the row's own reference. */
    ofRow(row: PayoutRecord, attempts: readonly SendAttempt[] = []): Judge {
      const leg = mainLegOf(row.kind);
      const known = termsOf(row, leg, attempts);
      const exchange = { accepted: row.orderId === null ? [] : [row.orderId], isBooked: false };
      return leg === 'exchange'
        ? (orders) => factsOfExchange(row, exchange, orders, closedMeans, known)
        : (orders) => factsOfPayment(row, orders, closedMeans, known);
    },
    /** Orders under the derived reference of a payout's exchange; without `attempts`, the store has forgotten them. */
    ofExchange(row: PayoutRecord, attempts: readonly SendAttempt[] | undefined): Judge {
      const known = termsOf(row, 'exchange', attempts ?? []);
      const isPaid = attempts?.some(({ settled }) => settled === 'paid') === true;
      const exchange: StoredExchange = {
        accepted: known.ownIds,
        isBooked: isPaid || booked.has(row.reference),
        isForgotten: attempts === undefined,
      };
      return (orders) => factsOfExchange(row, exchange, orders, closedMeans, known);
    },
  };
}

const bookedValues = ({ orderId, fee, feeCurrency, soldAmount, rate }: BookedExchange): BookedValues => ({
  orderId,
  fee: fee ?? undefined,
  feeCurrency: feeCurrency ?? undefined,
  sellAmount: soldAmount ?? undefined,
  rate: rate ?? undefined,
});

/** Of a completed payment or transfer. */
const bookedFee = ({ state, orderId, fee, feeCurrency }: PayoutRecord, isMain: boolean): BookedValues | undefined =>
  isMain && state === 'completed' && orderId !== null
    ? { orderId, fee: fee ?? undefined, feeCurrency: feeCurrency ?? undefined }
    : undefined;
