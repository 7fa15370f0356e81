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
});

export type Profile = Required<z.infer<typeof profilePatch>>;

export const DEFAULT_PROFILE: Profile = { dedupe: '2003', errorStatus: 'always-200', fxDriftBasisPoints: 0 };
