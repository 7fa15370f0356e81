import { z } from 'zod';
import { checksShown, type ShownCheck } from '../../../activities/payee-checks.ts';
import { isBankError, undefinedIf } from '../../../bank/errors.ts';
import { shownValue } from '../../../domain/finding.ts';
import { beneficiaryFields } from '../../../domain/instruction.ts';
import { orderKindsOf, WHAT_AN_ID_IS } from '../../../domain/names.ts';
import {
  AWAITING_DECISION_STATES,
  type BatchControl,
  needsAttention,
  type ShownState,
} from '../../../domain/payout-state.ts';
import { INCIDENTS } from '../../../domain/reconciliation.ts';
import { isOverBatch } from '../../../files/intake/known-rows.ts';
import { type BatchSummary, reportedIncidents } from '../../../reports/batch-report.ts';
import { bothSides, type Comparison, needsBank } from '../../../reports/comparison.ts';
import { incidentSides } from '../../../reports/incident-sides.ts';
import { batchUrl, workflowUrl } from '../../../reports/links.ts';
import { maskedPayee, type PayeeNamed, payeeNamed } from '../../../reports/masked.ts';
import { type NextStep, nextStep } from '../../../reports/next-step.ts';
import {
  eventDocument,
  eventOf,
  listedPayout,
  listedPayoutOf,
  nextStepDocument,
  nextStepOf,
  orderDocument,
  orderOf,
} from '../../../reports/payout-document.ts';
import { summaryOfBatch } from '../../../reports/report-batch.ts';
import { incidentDocument, type ReportedIncident, type ReportedPayout } from '../../../reports/report-document.ts';
import { factsOf, stepContext } from '../../../reports/report-source.ts';
import { reportedPayout } from '../../../reports/reported-payout.ts';
import { storyOf } from '../../../reports/story.ts';
import { orderReference } from '../../../store/claimed-row.ts';
import type { PayoutRecord, Store } from '../../../store/store.ts';
import { findTarget, type Target } from '../../find-target.ts';
import { maySeePayee } from '../may-see.ts';
import { operation, type Place, pathId, visibleBatch, visiblePayout } from '../operation.ts';
import { ANY_ROLE } from '../route-access.ts';
import type { Words } from '../words.ts';

interface BatchProgress {
  /** Rows in each state. */
  byState: [ShownState, number][];
  control: BatchControl;
  /** The batch itself has ended, too: its rows are compared with the bank's orders. */
  isEnded: boolean;
  /** Every row has ended. */
  isOver: boolean;
  /** Rows that ask people, as stored. */
  asking: number;
  /** Rows that are not started until people undo something: the batch is paused or drained, or a switch is off. */
  keptBack: number;
}

export const PROGRESS = operation({
  method: 'GET',
  path: '/v1/batches/:id/progress',
  tag: 'batches',
  summary: 'The progress of a batch, for those who follow it',
  access: ANY_ROLE,
  input: z.strictObject({ id: pathId }),
  answer: z.looseObject({ byState: z.array(z.array(z.union([z.string(), z.int()]))), isOver: z.boolean() }),
  async run(place, { id }): Promise<BatchProgress> {
    const { store } = place;
    const { batchId, control, endedAt } = await visibleBatch(place, id);
    const byState = await store.stateCounts(batchId);
    return {
      byState: [...byState],
      control,
      isEnded: endedAt !== null,
      isOver: await isOverBatch(store, batchId),
      asking: await shownAsking(store, batchId, byState),
      keptBack: await keptBack(store, batchId, byState, control),
    };
  },
});

async function keptBack(
  store: Store,
  batchId: string,
  byState: ReadonlyMap<ShownState, number>,
  control: BatchControl,
): Promise<number> {
  const received = byState.get('received') ?? 0;
  if (received === 0 || control === 'paused' || control === 'draining') return received;
  if ((await store.switches()).length === 0 || (await store.releasable(batchId, 1)).length > 0) return 0;
  const { waiting } = await store.inFlight(batchId);
  return received - waiting;
}

async function shownAsking(store: Store, batchId: string, byState: ReadonlyMap<ShownState, number>): Promise<number> {
  const held = (byState.get('held') ?? 0) === 0 ? [] : await store.rowsIn(batchId, ['held']);
  const byThemselves = held.filter(({ state, reason }) => !needsAttention(state, reason)).length;
  return AWAITING_DECISION_STATES.reduce((sum, state) => sum + (byState.get(state) ?? 0), -byThemselves);
}

/** What `payouts status` shows of one payout. */
export interface PayoutView {
  payout: PayoutRecord;
  /** Its row in the report of its batch. */
  reported: ReportedPayout;
  incidents: ReportedIncident[];
  /** Null: it is completed. */
  step: NextStep | null;
  /** As the row or the last reading of the bank shows it; masked for who neither decides about it nor has handed it over. */
  payee: PayeeNamed;
  /** What it is paid for, masked likewise. */
  note: string | null;
  checks: ShownCheck[];
  /** Null: the bank does not answer now. */
  sides: Comparison[] | null;
  /** In the Temporal UI; null: no UI can be expected to answer. */
  liveUrl: string | null;
}

const payoutDocument = z
  .object({
    payout: listedPayout,
    next: nextStepDocument.nullable().describe('null: it is completed'),
    orders: z.array(orderDocument),
    returns: z.array(z.object({ orderId: z.string(), amount: z.string(), currency: z.string() })),
    incidents: z.array(incidentDocument),
    timeline: z.array(eventDocument).describe('the oldest first'),
  })
  .meta({ id: 'PayoutDetails' });

export const PAYOUT = operation({
  method: 'GET',
  path: '/v1/payouts/:reference',
  tag: 'payouts',
  summary: 'A payout, why it is in its state, what is next and what has happened',
  access: ANY_ROLE,
  input: z.strictObject({ reference: pathId }),
  answer: payoutDocument,
  async run(place, { reference }): Promise<z.output<typeof payoutDocument>> {
    const { store, words = (text: string) => text } = place;
    const row = await visiblePayout(place, reference);
    const step = nextStep(row, await stepContext(place, [row]));
    const orders: z.output<typeof orderDocument>[] = [];
    for (const kind of orderKindsOf(row.kind)) {
      const attempts = await store.attempts(orderReference(row, kind));
      orders.push(...attempts.map((attempt) => orderOf(kind, attempt)));
    }
    return {
      payout: listedPayoutOf(row),
      next: step === undefined ? null : nextStepOf(step, words),
      orders: orders.sort((a, b) => a.sentAt.localeCompare(b.sentAt)),
      returns: (await store.returnsOf([reference])).map(({ orderId, amount, currency }) => ({
        orderId,
        amount,
        currency,
      })),
      incidents: reportedIncidents(await store.incidentsOf([reference]), [row]),
      timeline: (await storyOf(store, row)).map(eventOf),
    };
  },
});

export const PAYOUT_VIEW = operation({
  method: 'GET',
  path: '/v1/payouts/:reference/view',
  hide: true,
  tag: 'payouts',
  summary: 'A payout as it is stored, with what the command shows about it',
  access: ANY_ROLE,
  input: z.strictObject({ reference: pathId }),
  answer: z.looseObject({ payout: z.looseObject({ reference: z.string(), state: z.string() }) }),
  async run(place, { reference }): Promise<PayoutView> {
    const view = await payoutView(place, await visiblePayout(place, reference));
    const { words } = place;
    return words === undefined || view.step === null ? view : { ...view, step: stepSaid(view.step, words) };
  },
});

/** The step in the words of a channel. */
const stepSaid = (step: NextStep, words: Words): NextStep => ({
  ...step,
  todo: words(step.todo),
  commands: step.commands.map(words),
  byItself: words(step.byItself),
});

async function payoutView(place: Place, payout: PayoutRecord): Promise<PayoutView> {
  const { store } = place;
  const { reference, workflowId } = payout;
  const found = await store.incidentsOf([reference]);
  const sidesOf = new Map(found.map((incident) => [incident.id, incidentSides(incident, payout)]));
  const incidents = reportedIncidents(found, [payout]).map((it) => ({
    ...it,
    message: `${INCIDENTS[it.kind].says}: ${sidesOf.get(it.id) ?? ''}`,
  }));
  const step = nextStep(payout, await stepContext(place, [payout])) ?? null;
  const checks = await checksShown(store, payout);
  const live = await place.liveUi();
  const ui = await place.ui();
  const links = { workflowUrl: (id: string) => workflowUrl(ui, id) };
  const [reported] = (await factsOf(store, [payout])).map(([row, facts]) => reportedPayout(row, facts, links));
  if (reported === undefined) throw new Error('a row has facts');
  const sides = await sidesNow(place, payout, incidents.length > 0);
  const liveUrl = live ? workflowUrl(live, workflowId) : null;
  return { payout, reported, incidents, step, ...(await payeeOf(place, payout)), checks, sides, liveUrl };
}

async function payeeOf({ store, caller }: Place, payout: PayoutRecord): Promise<Pick<PayoutView, 'payee' | 'note'>> {
  const { uid, instruction } = payout;
  const { beneficiary_id: payeeId, note } = instruction;
  const [seen] = payeeId === undefined ? [] : await store.payeesOf([{ uid, payeeId }]);
  const items = payeeId === undefined ? beneficiaryFields(instruction) : (seen?.items ?? {});
  return maySeePayee(caller, payout)
    ? { payee: payeeNamed(items), note: note ?? null }
    : { payee: maskedPayee(items), note: shownValue('note', note) };
}

/** The comparisons of a row; null if the bank does not answer. Nothing is started for them. */
async function sidesNow(place: Place, payout: PayoutRecord, hasIncidents: boolean): Promise<Comparison[] | null> {
  const { store, settings } = place;
  const sides = await undefinedIf(isBankError, async () => {
    const bank = hasIncidents || needsBank(payout) ? await place.liveBank() : undefined;
    return bothSides({ store, bank, settings, isMasked: !maySeePayee(place.caller, payout) }, payout);
  });
  return sides ?? null;
}

const TAG = 'batches';

export const SUMMARY = operation({
  method: 'GET',
  path: '/v1/batches/:id/summary',
  hide: true,
  tag: TAG,
  summary: 'The state of a batch, who has to act, and the first rows that were not paid',
  access: ANY_ROLE,
  input: z.strictObject({ id: pathId }),
  answer: z.looseObject({ summary: z.looseObject({}), liveUrl: z.string().nullable() }),
  async run(place, { id }): Promise<{ summary: BatchSummary; liveUrl: string | null }> {
    const { batchId } = await visibleBatch(place, id);
    const linkOf = place.linkOf?.(batchId);
    const summary = await summaryOfBatch({ ...place, ui: await place.ui() }, batchId, { linkOf });
    const live = await place.liveUi();
    return { summary, liveUrl: live === undefined ? null : batchUrl(live, batchId) };
  },
});

export const TARGET = operation({
  method: 'GET',
  path: '/v1/find',
  tag: 'payouts',
  summary: 'What an ID refers to',
  description: WHAT_AN_ID_IS,
  access: ANY_ROLE,
  input: z.strictObject({ id: pathId }),
  answer: z.looseObject({ kind: z.enum(['batch', 'payout']) }),
  run: ({ store, caller }, { id }): Promise<Target> => findTarget(store, id, caller),
});
