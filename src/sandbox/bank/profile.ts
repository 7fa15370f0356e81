import { z } from 'zod';

/** Behaviours that the interface leaves open, changeable while the sandbox runs (`PUT /__sandbox/profile`). In memory. */
export const profilePatch = z.strictObject({
  /**
   * For a repeated `reference`: `2003` refuses it, `same-order` answers with the first order's id, `none` makes another order.
   * References are compared across payments, transfers and exchanges.
   */
  dedupe: z.enum(['2003', 'same-order', 'none']).optional(),
  /** HTTP status of a refusal: always 200, or one that matches the code. */
  errorStatus: z.enum(['always-200', 'matching']).optional(),
  /** How much worse than quoted an exchange is booked, in basis points of the rate. */
  fxDriftBasisPoints: z.int().min(0).max(5_000).optional(),
  /** How much worse than the seed's rates exchanges are quoted, in basis points; the booked rate changes along. */
  quoteDriftBasisPoints: z.int().min(0).max(5_000).optional(),
  /** Fee of a transfer in minor units of its currency, on top of the amount. */
  transferFeeMinor: z.int().min(0).max(100_000).optional(),
  /** How long a new order is missing from the order list, both in records and total. */
  listLagMs: z.int().min(0).max(3_600_000).optional(),
  /** How long a new order gives 2005 when read by id. */
  getLagMs: z.int().min(0).max(3_600_000).optional(),
  /** Order of records in the order list; `shuffled` changes with each request, but is the same after each start. */
  pageOrder: z.enum(['newest', 'oldest', 'shuffled']).optional(),
  /** The largest page size; with a larger one requested, the answer's `page_size` is this one. */
  pageCap: z.int().min(1).max(1_000).optional(),
  /** `total` in the order list: the true number, or one more, so that no reading ever seems complete. */
  listTotal: z.enum(['exact', 'one-more']).optional(),
  /** Whether orders pass through `UNLISTED_STATUS` before they complete. */
  unknownStatus: z.boolean().optional(),
  /** Form of `client_order_id` in answers: as sent, in upper case, or its first 20 characters. */
  references: z.enum(['as-sent', 'upper-case', 'cut']).optional(),
  /** JSON type of amounts, fees and rates in answers. */
  decimals: z.enum(['string', 'number']).optional(),
  /** Card answers: a bare object, or in the banking envelope. */
  cardEnvelope: z.enum(['bare', 'envelope']).optional(),
  /** How long a card payment is PROCESSING, unless its card decides otherwise. */
  cardSettleMs: z.int().min(0).max(3_600_000).optional(),
  /**
   * A known `merchant_request_id` with another body: answered with the first answer, or refused (2003). Bodies are compared by
   * seals in memory: after a restart, any body is accepted.
   */
  cardReplay: z.enum(['replay', 'refuse-changed']).optional(),
});

export type Profile = Required<z.infer<typeof profilePatch>>;

export const DEFAULT_PROFILE: Profile = {
  dedupe: '2003',
  errorStatus: 'always-200',
  fxDriftBasisPoints: 0,
  quoteDriftBasisPoints: 0,
  transferFeeMinor: 0,
  listLagMs: 0,
  getLagMs: 0,
  pageOrder: 'newest',
  pageCap: 100,
  listTotal: 'exact',
  unknownStatus: false,
  references: 'as-sent',
  decimals: 'string',
  cardEnvelope: 'bare',
  cardSettleMs: 700,
  cardReplay: 'replay',
};
