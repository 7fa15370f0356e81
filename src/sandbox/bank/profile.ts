import { z } from 'zod';

/** Behaviours that the interface leaves open, changeable while the sandbox runs (`PUT /__sandbox/profile`). In memory. */
export const profileBody = z.strictObject({
  /**
   * For a repeated `reference`: `2003` refuses it, `same-order` answers with the first order's id, `none` makes another order.
   * References are compared across payments, transfers and exchanges.
   */
  dedupe: z.enum(['2003', 'same-order', 'none']).default('2003'),
  /** HTTP status of a refusal: always 200, or one that matches the code. */
  errorStatus: z.enum(['always-200', 'matching']).default('always-200'),
  /** How much worse than quoted an exchange is booked, in basis points of the rate. */
  fxDriftBasisPoints: z.int().min(0).max(5_000).default(0),
  /** How much worse than the seed's rates exchanges are quoted, in basis points; the booked rate changes along. */
  quoteDriftBasisPoints: z.int().min(0).max(5_000).default(0),
  /** Fee of an exchange in minor units of the currency that is sold, on top of what is sold. */
  exchangeFeeMinor: z.int().min(0).max(100_000).default(0),
  /** Fee of a transfer in minor units of its currency, on top of the amount. */
  transferFeeMinor: z.int().min(0).max(100_000).default(0),
  /** How long a new order is missing from the order list, both in records and total. */
  listLagMs: z.int().min(0).max(3_600_000).default(0),
  /** How long a new order gives 2005 when read by id. */
  getLagMs: z.int().min(0).max(3_600_000).default(0),
  /** Order of records in the order list; `shuffled` changes with each request, but is the same after each start. */
  pageOrder: z.enum(['newest', 'oldest', 'shuffled']).default('newest'),
  /** The largest page size; with a larger one requested, the answer's `page_size` is this one. */
  pageCap: z.int().min(1).max(1_000).default(100),
  /** `total` in the order list: the true number, or one more, so that no reading ever seems complete. */
  listTotal: z.enum(['exact', 'one-more']).default('exact'),
  /** Whether orders pass through `UNLISTED_STATUS` before they complete. */
  unknownStatus: z.boolean().default(false),
  /** Form of `client_order_id` in answers: as sent, in upper case, or its first 20 characters. */
  references: z.enum(['as-sent', 'upper-case', 'cut']).default('as-sent'),
  /** JSON type of amounts, fees and rates in answers. */
  decimals: z.enum(['string', 'number']).default('string'),
  /** Card answers: a bare object, or in the banking envelope. */
  cardEnvelope: z.enum(['bare', 'envelope']).default('bare'),
  /** How long a card payment is PROCESSING, unless its card decides otherwise. */
  cardSettleMs: z.int().min(0).max(3_600_000).default(700),
  /**
   * A known `merchant_request_id` with another body: answered with the first answer, or refused (2003). Bodies are compared by
   * seals in memory: after a restart, any body is accepted.
   */
  cardReplay: z.enum(['replay', 'refuse-changed']).default('replay'),
});

export type Profile = z.infer<typeof profileBody>;

export const DEFAULT_PROFILE: Profile = profileBody.parse({});
