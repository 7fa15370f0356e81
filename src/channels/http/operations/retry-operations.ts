import { z } from 'zod';
import { EXCHANGES } from '../../../domain/agreed-cost.ts';
import { madeDigest, referenceOf } from '../../../domain/identity.ts';
import type { ExchangeBound, PayoutInstruction } from '../../../domain/instruction.ts';
import { ACCOUNTS_MAX, quotedExchange } from '../../../files/intake/exchange-quotes.ts';
import { IntakeRefusal } from '../../../files/intake/intake-refusal.ts';
import { assertPlan, type PlanDocument, type PlannedRow, takeUnpaid } from '../../../files/intake/take-file.ts';
import type { ClaimRow, PlannedDecision, Store } from '../../../store/store.ts';
import { makerOf } from '../callers.ts';
import { storableText } from '../documents.ts';
import { batchSigned, handedByOf, signedIntake, untilAsked } from '../intake-turns.ts';
import { flag, listOf, operation, pathId, shortText, visibleBatch, wholeNumber } from '../operation.ts';
import { signedInput } from './decision-operations.ts';

/** A row that is to be paid again, with all that proves to its maker that they have signed it before. */
export interface RetriedRow extends PlannedRow {
  instruction: PayoutInstruction;
  generation: number;
  /** What the maker signed of the generation before; absent: nothing. */
  before?: PlannedDecision & { bound: ExchangeBound };
}

type Handed =
  | { outcome: 'planned'; document: PlanDocument; rows?: RetriedRow[] }
  | { outcome: 'claimed' | 'under-way'; batchId: string };

const ROWS_MAX = 9_999_999;

/** They come back as a plan has them. */
const quotes = z
  .array(quotedExchange)
  .max(ACCOUNTS_MAX)
  .readonly()
  .meta({ items: { type: 'object' }, description: 'with signed: `quotes` of the plan' });

export const RETRY = operation({
  method: 'POST',
  path: '/v1/batches/:id/retry',
  tag: 'batches',
  summary: 'Pay rows of a batch again that are proven unpaid, under new references',
  description: 'Options as those of submitBatch.',
  access: { roles: ['maker'], scope: 'each' },
  input: z.strictObject({
    id: pathId,
    rows: listOf(wholeNumber(1, ROWS_MAX)).optional().describe('data rows; absent: all that are proven unpaid'),
    canary: wholeNumber(1, ROWS_MAX).optional(),
    exchange: z.enum(EXCHANGES).optional(),
    allowLookAlikes: flag,
    by: storableText.optional(),
    dryRun: flag,
    plan: shortText.optional(),
    signs: flag.describe('as rows of submitBatch'),
    signed: signedInput,
    quotes: quotes.optional(),
  }),
  answer: z.looseObject({ handed: z.looseObject({ outcome: z.string() }) }),
  async run(place, { id, rows, by: given, plan, signs, signed, quotes, ...options }): Promise<{ handed: Handed }> {
    const { batchId } = await visibleBatch(place, id);
    const { store, caller, now, config } = place;
    const by = makerOf(caller, given);
    const ownId = signed && (await batchSigned({ store, settings: config.settings, now }, caller, signed));
    const handedBy = { ...handedByOf(store, caller), maker: by, ...signedIntake(signs, signed, quotes) };
    const asked = { ...options, ...handedBy, invalid: 'stop', by, isAttended: true, batchId: ownId } as const;
    const rowSet = rows === undefined ? undefined : new Set(rows);
    let retried: RetriedRow[] | undefined;
    const taking = await takeUnpaid(await place.app(), { batchId, rows: rowSet }, asked, async (planned) => {
      assertPlan(planned.plan, plan);
      if (signs) retried = await signedBefore(store, batchId, by, planned.staged.claims());
    });
    if (taking instanceof IntakeRefusal) throw taking;
    if (taking.outcome === 'planned') return { handed: { ...taking, rows: retried } };
    const outcome = taking.outcome === 'claimed' ? 'claimed' : 'under-way';
    if (outcome === 'claimed') await untilAsked(place, taking.batchId);
    return { handed: { outcome, batchId: taking.batchId } };
  },
});

/** The rows as they are signed, each with what its maker signed of it in the batch before. */
async function signedBefore(
  store: Store,
  batchId: string,
  by: string | undefined,
  claims: Iterable<ClaimRow>,
): Promise<RetriedRow[]> {
  const rows: RetriedRow[] = [];
  for (const { reference, instruction, generation = 0 } of claims) {
    const earlier = referenceOf(instruction.uid, instruction.id, 'payment', generation - 1);
    const { sell_currency, max_rate, paying_account_id, exchanged_by } =
      (await store.payout(earlier))?.instruction ?? {};
    const bound = { sell_currency, max_rate, paying_account_id, exchanged_by };
    const madeBefore = madeDigest({ ...instruction, ...bound });
    const made = await store.plannedDecisionsOf({ batchId, reference: earlier, question: 'make' });
    const before = made.find(({ subject, rowDigest }) => subject === by && rowDigest === madeBefore);
    const digest = madeDigest(instruction);
    rows.push({ reference, digest, instruction, generation, ...(before && { before: { ...before, bound } }) });
  }
  return rows;
}
