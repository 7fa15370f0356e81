import { z } from 'zod';
import { checksShown, type ShownCheck } from '../../../activities/payee-checks.ts';
import { someAtOnce } from '../../../domain/iterate.ts';
import { shownStateOf } from '../../../domain/returned.ts';
import { ROWS_MAX } from '../../../files/input.ts';
import { type ReadQuestion, readQuestion } from '../../../people/decisions/shown-question.ts';
import type { Comparison } from '../../../reports/comparison.ts';
import { bothSides, needsBank } from '../../../reports/comparison.ts';
import { kindOf } from '../../../reports/next-step.ts';
import { payoutState } from '../../../reports/report-document.ts';
import type { PayoutRecord } from '../../../store/store.ts';
import { findTarget } from '../../find-target.ts';
import { maySeePayee, maySeePayout } from '../may-see.ts';
import { flag, listOf, operation, type Place, pathId, wholeNumber } from '../operation.ts';
import { ANY_ROLE } from '../route-access.ts';

/** A payout that waits for people. What is shown and signed about it is made from this, by the signer's process. */
export interface WaitingPayout extends ReadQuestion {
  checks: ShownCheck[];
}

export interface Waiting {
  payouts: WaitingPayout[];
  /** The row after which others may follow; null: none does. */
  next: number | null;
  /** Of the first ones that have two sides; none unless they are asked for. */
  sides: Comparison[];
}

const COMPARED_MAX = 5;
/** Rows that are read for one answer. */
const PAGE = 200;

export const WAITING = operation({
  method: 'GET',
  path: '/v1/waiting',
  tag: 'decisions',
  summary: 'The next payouts under an ID in these states, with what each of them asks',
  description: 'Who decides about a payout signs the digest of its question, `asked`.',
  access: ANY_ROLE,
  input: z.strictObject({
    id: pathId,
    states: listOf(payoutState),
    kinds: listOf(z.string()).optional().describe('reason codes; absent: all'),
    ask: flag.describe('as the bank shows them now, to be decided'),
    after: wholeNumber(0, ROWS_MAX).default(0).describe('the row after which to continue: `next` of the answer before'),
    compare: flag.describe('with both sides of what looks alike, was changed or exists twice'),
  }),
  answer: z.looseObject({
    payouts: z.array(
      z.looseObject({
        row: z.looseObject({ reference: z.string(), state: payoutState }),
        asked: z
          .looseObject({ question: z.string(), digest: z.string(), needed: z.int() })
          .optional()
          .describe('absent: nothing now'),
        isSigned: z.boolean().describe('decisions about it are signed'),
      }),
    ),
    next: z.int().nullable(),
  }),
  async run(place, { id, states, kinds, ask, after, compare }): Promise<Waiting> {
    const { store, caller } = place;
    const target = await findTarget(store, id, caller);
    const found =
      target.kind === 'batch'
        ? await store.rowPage(target.batch.batchId, { states, isReleased: true, after, limit: PAGE })
        : [target.payout];
    const payouts = found.filter(
      (row) =>
        states.includes(shownStateOf(row).state) &&
        maySeePayout(caller, row) &&
        (kinds === undefined || kinds.includes(kindOf(row))),
    );
    return {
      payouts: await waiting(place, payouts, ask),
      next: found.length < PAGE ? null : (found.at(-1)?.row ?? null),
      sides: compare ? await comparisons(place, payouts) : [],
    };
  },
});

/** Payouts read from the bank at the same time. */
const AT_ONCE = 10;

async function waiting(place: Place, payouts: readonly PayoutRecord[], ask: boolean): Promise<WaitingPayout[]> {
  const { store, settings } = place;
  const deps = { store, settings, bank: ask ? await place.bank() : undefined };
  const found = new Map<string, WaitingPayout>();
  await someAtOnce(payouts, AT_ONCE, async (row) => {
    const checks = await checksShown(store, row);
    found.set(row.reference, { ...(await readQuestion(deps, row)), checks });
  });
  return payouts.flatMap(({ reference }) => found.get(reference) ?? []);
}

async function comparisons(place: Place, payouts: readonly PayoutRecord[]): Promise<Comparison[]> {
  const { store, settings } = place;
  const bank = payouts.some(needsBank) ? await place.bank() : undefined;
  const found: Comparison[] = [];
  for (const row of payouts) {
    if (found.length >= COMPARED_MAX) break;
    found.push(...(await bothSides({ store, bank, settings, isMasked: !maySeePayee(place.caller, row) }, row)));
  }
  return found;
}
