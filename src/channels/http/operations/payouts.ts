import { z } from 'zod';
import { checksShown, type ShownCheck } from '../../../activities/payee-checks.ts';
import { isBankError, undefinedIf } from '../../../bank/errors.ts';
import { reportedIncidents } from '../../../reports/batch-report.ts';
import type { Comparison } from '../../../reports/comparison.ts';
import { bothSides, needsBank } from '../../../reports/comparison.ts';
import { workflowUrl } from '../../../reports/links.ts';
import { type NextStep, nextStep } from '../../../reports/next-step.ts';
import type { ReportedIncident, ReportedPayout } from '../../../reports/report-document.ts';
import { factsOf, stepContext } from '../../../reports/report-source.ts';
import { reportedPayout } from '../../../reports/reported-payout.ts';
import type { PayoutRecord } from '../../../store/store.ts';
import { ANY_ROLE } from '../route-access.ts';
import { pathId } from './inputs.ts';
import { operation, type Place } from './place.ts';
import { visiblePayout } from './visible.ts';

/** What `payouts status` shows of one payout. */
export interface PayoutView {
  payout: PayoutRecord;
  /** Its row in the report of its batch. */
  reported: ReportedPayout;
  incidents: ReportedIncident[];
  /** Null: it is completed. */
  step: NextStep | null;
  checks: ShownCheck[];
  /** Null: the bank does not answer now. */
  sides: Comparison[] | null;
  /** In the Temporal UI; null: no UI can be expected to answer. */
  liveUrl: string | null;
}

export const PAYOUT = operation({
  method: 'GET',
  path: '/v1/payouts/:reference',
  tag: 'payouts',
  summary: 'The state of a payout, what it waits for, and for whom',
  access: ANY_ROLE,
  input: z.strictObject({ reference: pathId }),
  answer: z.looseObject({ payout: z.looseObject({ reference: z.string(), state: z.string() }) }),
  run: async (place, { reference }) => payoutView(place, await visiblePayout(place, reference)),
});

async function payoutView(place: Place, payout: PayoutRecord): Promise<PayoutView> {
  const { store } = place;
  const { reference, workflowId } = payout;
  const incidents = reportedIncidents(await store.incidentsOf([reference]), [payout]);
  const step = nextStep(payout, await stepContext(place, [payout])) ?? null;
  const checks = await checksShown(store, payout);
  const live = await place.liveUi();
  const ui = await place.ui();
  const links = { workflowUrl: (id: string) => workflowUrl(ui, id) };
  const [reported] = (await factsOf(store, [payout])).map(([row, facts]) => reportedPayout(row, facts, links));
  if (reported === undefined) throw new Error('a row has facts');
  const sides = await sidesNow(place, payout, incidents.length > 0);
  return { payout, reported, incidents, step, checks, sides, liveUrl: live ? workflowUrl(live, workflowId) : null };
}

/** The comparisons of a row; null if the bank does not answer. Nothing is started for them. */
async function sidesNow(place: Place, payout: PayoutRecord, hasIncidents: boolean): Promise<Comparison[] | null> {
  const { store, settings } = place;
  const sides = await undefinedIf(isBankError, async () => {
    const bank = hasIncidents || needsBank(payout) ? await place.liveBank() : undefined;
    return bothSides({ store, bank, settings }, payout);
  });
  return sides ?? null;
}
