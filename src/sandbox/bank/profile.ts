import { z } from 'zod';

/**
 * Behaviours the interface leaves open, switchable while the sandbox runs (`PUT /__sandbox/profile`). Kept in memory.
 */
export const profilePatch = z.strictObject({
  /**
   * The same `reference` again: `2003` refuses it, `same-order` answers the first order's id, `none` makes a second
   * order. References are compared over all payments, transfers and exchanges.
   */
  dedupe: z.enum(['2003', 'same-order', 'none']).optional(),
  /** HTTP status of a refusal: always 200, or one that fits the code. */
  errorStatus: z.enum(['always-200', 'matching']).optional(),
  /** How much worse than the quote an exchange is booked, in basis points of the rate. */
  fxDriftBasisPoints: z.int().min(0).max(5_000).optional(),
  /** How much worse exchanges are quoted than at the rates of the seed, in basis points; the booked rate moves along. */
  quoteDriftBasisPoints: z.int().min(0).max(5_000).optional(),
  /** Fee of a transfer in minor units of its currency, on top of the amount. */
  transferFeeMinor: z.int().min(0).max(100_000).optional(),
  /** For this long a new order is missing from the order list, in records and totals. */
  listLagMs: z.int().min(0).max(3_600_000).optional(),
  /** For this long a new order is 2005 when it is read by id. */
  getLagMs: z.int().min(0).max(3_600_000).optional(),
  /** Order of the records of the order list; `shuffled` is another one for each request, the same after each start. */
  pageOrder: z.enum(['newest', 'oldest', 'shuffled']).optional(),
  /** Records of a page at most; a larger `page_size` is answered with this one, as `page_size` says. */
  pageCap: z.int().min(1).max(1_000).optional(),
  /** What `total` of the order list says: how many there are, or one more, so that no reading ever adds up. */
  listTotal: z.enum(['exact', 'one-more']).optional(),
  /** Orders pass through `UNLISTED_STATUS` before they complete. */
  unknownStatus: z.boolean().optional(),
  /** How `client_order_id` comes back: as it was sent, in upper case, or its first 20 characters. */
  references: z.enum(['as-sent', 'upper-case', 'cut']).optional(),
  /** JSON type of amounts, fees and rates in answers. */
  decimals: z.enum(['string', 'number']).optional(),
  /** Answers about card payments: the bare object, or in the envelope of the banking side. */
  cardEnvelope: z.enum(['bare', 'envelope']).optional(),
  /** For this long a card payment is PROCESSING, unless its card says otherwise. */
  cardSettleMs: z.int().min(0).max(3_600_000).optional(),
  /**
   * A known `merchant_request_id` with another body: answered with the first answer, or refused (2003). Bodies are told
   * apart in memory: after a restart each id is taken with any body.
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
