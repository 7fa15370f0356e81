import type { Selectable } from 'kysely';
import type { OrderFacts } from '../domain/order-judgement.ts';
import type { AcceptedDifference } from '../domain/reconciliation.ts';
import type { Json } from './engine/json-columns.ts';

/** Tables of what the bank has shown. */
export interface ShownTables {
  returns: ReturnRecord;
  bookedExchanges: BookedExchange;
  paidOrders: PaidOrderRecord;
  unaskedOrders: UnaskedOrderTable;
  acceptedDifferences: AcceptedDifferenceRow;
  listLooks: ListLook;
  listLags: ListLag;
}

export interface ReturnRecord {
  orderId: string;
  /** Reference of the payout the money came back from. */
  reference: string;
  amount: string;
  currency: string;
  seenAt: number;
}

/** A booked exchange as the bank shows it; null: not shown. Amounts are unsigned. */
export interface BookedExchange {
  /** Reference of the payout it was made for, or of the stand-alone exchange. */
  reference: string;
  orderId: string;
  soldAmount: string | null;
  soldCurrency: string | null;
  boughtAmount: string | null;
  boughtCurrency: string | null;
  /** As written by the bank. */
  rate: string | null;
  fee: string | null;
  feeCurrency: string | null;
  seenAt: number;
}

/** A paid order as the bank showed it when its payout was completed (`PaidShown`); null: not shown. */
export interface PaidOrderRecord {
  /** Reference of the payout. */
  reference: string;
  orderId: string;
  amount: string | null;
  currency: string | null;
  accountId: string | null;
  seenAt: number;
}

/** An order at the bank that this store did not send, as far as it knows. */
interface UnaskedOrderTable {
  orderId: string;
  /** The list that showed it first. */
  uid: string;
  currency: string;
  clientOrderId: string | null;
  /** `ownStem` of `clientOrderId`. */
  stem: string | null;
  /** As the list showed it last. */
  shown: Json<OrderFacts> | null;
  seenAt: number;
}

export type UnaskedOrder = Selectable<UnaskedOrderTable>;

/** The last whole look at a list that was believed, and whose orders were noted. */
export interface ListLook {
  uid: string;
  currency: string;
  beganAt: number;
  /** Start of the list, epoch ms of the bank's clock; 0: the whole list. */
  reachesFrom: number;
  /** The store's last resumption after which such a look was made: `resumptionOf`; null: none. */
  resumption: number | null;
}

/** How long a list was seen to lack an order that the bank had accepted and then listed, at most. */
export interface ListLag {
  uid: string;
  currency: string;
  lagMs: number;
}

/** A value of an order that two people accepted when they adopted it. */
export interface AcceptedDifferenceRow extends AcceptedDifference {
  /** Reference of the payout, even if the order is its exchange. */
  reference: string;
}
