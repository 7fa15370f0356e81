import { z } from 'zod';
import { acknowledgementOf, may, mayOperateCard, type Person, personOf } from '../../../domain/authority.ts';
import { visible } from '../../../domain/finding.ts';
import { NEEDS_PEOPLE_STATES, needsAttention, type ShownState } from '../../../domain/payout-state.ts';
import { Problem } from '../../../domain/problem.ts';
import { assertMayAcknowledge, rowsFor } from '../../../people/decisions/scope.ts';
import { scopeFactsOfRow } from '../../../people/decisions/verdict.ts';
import type { StoreReader } from '../../../platform/app.ts';
import { isSlow, SLOWER } from '../../../reports/arrival-text.ts';
import { type DescribedIncident, describedIncident } from '../../../reports/incident-sides.ts';
import { kindOf, type NextStep, nextStep, SWITCHED_OFF, switchedOff } from '../../../reports/next-step.ts';
import { stepContext } from '../../../reports/report-source.ts';
import { type StepGroup, stepGroups } from '../../../reports/step-groups.ts';
import type { CardRecord } from '../../../store/card-store.ts';
import type { IncidentRecord, PayoutRecord, SubscriptionRecord } from '../../../store/store.ts';
import { type OpenComment, openComments } from '../../pages/comments.ts';
import { type VisibleIncident, visibleOf } from '../../pages/incidents-page.ts';
import type { Caller } from '../callers.ts';
import { storableText } from '../documents.ts';
import { maySeeCard, maySeePayout, OPERATING, payoutsSeenBy, seesAll } from '../may-see.ts';
import { flag, operation, type Place, shortText, wholeNumber } from '../operation.ts';
import { encoded, LIMIT, next, page, placeIn } from '../paging.ts';
import { ANY_ROLE, type CallerAccess } from '../route-access.ts';
import { nameOf, signedInput, storeSigned } from './decision-operations.ts';

/** A card payment as somebody sees it who has to decide about it: without what only its page may know. */
export type CardForPeople = Pick<
  CardRecord,
  'merchantRequestId' | 'state' | 'reason' | 'contradictedAt' | 'updatedAt' | 'amount' | 'currency'
>;

export interface Inbox {
  /** Whose it is; null: everybody's. */
  name: string | null;
  /** Of all that wait, the kind with the oldest wait first; each with its rows on this page. */
  groups: readonly StepGroup[];
  /** Of the groups, the one that has waited longest first; those of one page. */
  payouts: { row: PayoutRecord; step: NextStep | null }[];
  /** For the next page of payouts; null: this is the last one. The other members are complete on each page. */
  next: string | null;
  incidents: DescribedIncident[];
  /** Those that its reader has not answered, or answers to theirs. */
  comments: OpenComment[];
  cards: CardForPeople[];
  /** Subscriptions that receive nothing until somebody does something about it. */
  parked: Pick<SubscriptionRecord, 'name' | 'parkedAt'>[];
  /** More rows wait than were read. */
  isCut: boolean;
}

export const READ_MAX = 10_000;

export const INBOX = operation({
  method: 'GET',
  path: '/v1/inbox',
  tag: 'decisions',
  summary: 'What waits for people, by kind, the oldest first',
  access: ANY_ROLE,
  input: z.strictObject({
    mine: flag.describe('only what the caller can decide now'),
    name: shortText.optional().describe('with mine: whose'),
    kind: shortText.optional().describe('reason code'),
    limit: wholeNumber(1, READ_MAX).default(LIMIT).describe('of payouts'),
    after: page.after,
  }),
  answer: z.looseObject({ groups: z.array(z.unknown()), payouts: z.array(z.unknown()), next }),
  async run(place, { mine, name: given, kind, limit, after }): Promise<Inbox> {
    const { caller, config, store } = place;
    const name = mine ? viewer(place, given) : undefined;
    const { policy } = config.settings;
    // Without a policy, everybody may do what operators do.
    const reader = policy === undefined || name === undefined ? caller.person : personOf(policy, name);
    const { rows: waiting, isCut } = await waitingRows(place, kind, name);
    const slow = kind === undefined || kind === SLOWER ? await slowRows(place, place.caller, reader) : [];
    const rows = [...waiting, ...slow];
    const context = await stepContext(place, rows);
    const all = seesAll(caller);
    const behind = after === undefined ? undefined : placeIn(after);
    const paged = rows.filter((row) => behind === undefined || inOrder(behind, placeOfRow(row)) < 0);
    const shown = paged.slice(0, limit);
    const onPage = new Set(shown);
    const last = shown.at(-1);
    return {
      name: name ?? null,
      groups: stepGroups(rows, context).map((group) => ({
        ...group,
        rows: group.rows.filter((row) => onPage.has(row)),
      })),
      payouts: shown.map((row) => ({ row, step: nextStep(row, context) ?? null })),
      incidents: await openIncidents(place, reader, kind),
      comments: kind === undefined ? await openComments(place, { ...caller, name: name ?? caller.name }) : [],
      cards: (await store.cards.forPeople())
        .filter((card) => maySeeCard(caller, card) && (reader === undefined || mayOperateCard(reader, card)))
        .map(cardForPeople),
      parked: all ? (await store.subscriptions()).filter(({ parkedAt }) => parkedAt !== null).map(parkedOne) : [],
      isCut,
      next: paged.length <= limit || last === undefined ? null : encoded(placeOfRow(last)),
    };
  },
});

type PlaceOfRow = readonly [since: number, reference: string];
/** It stays while a row waits for the same, so that a reader of all pages sees it once. */
const placeOfRow = ({ stateSince, reference }: PayoutRecord): PlaceOfRow => [stateSince, reference];
const inOrder = ([a, one]: PlaceOfRow, [b, other]: PlaceOfRow): number =>
  a - b || (one < other ? -1 : Number(one > other));

const parkedOne = ({ name, parkedAt }: SubscriptionRecord): Inbox['parked'][number] => ({ name, parkedAt });

const cardForPeople = ({
  merchantRequestId,
  state,
  reason,
  contradictedAt,
  updatedAt,
  amount,
  currency,
}: CardRecord): CardForPeople => ({ merchantRequestId, state, reason, contradictedAt, updatedAt, amount, currency });

/** Over HTTP everybody reads for themselves. */
function viewer({ caller }: Place, given: string | undefined): string {
  const name = caller.name ?? given;
  if (name !== undefined && (given === undefined || given === name)) return name;
  if (name === undefined) {
    throw new Problem('usage', 'name-missing', 'Whose inbox it is, is not known: this request proves no name.', {
      hint: 'Add name=NAME, or send a token with a name.',
    });
  }
  throw new Problem('forbidden', 'not-your-name', 'Everybody sees only their own inbox.', { hint: 'Omit the name.' });
}

async function waitingRows(
  place: Place,
  kind: string | undefined,
  name: string | undefined,
): Promise<{ rows: PayoutRecord[]; isCut: boolean }> {
  const wants = (it: string): boolean => kind === undefined || it === kind;
  const deps = { store: place.store, settings: place.config.settings, now: place.now };
  const off = await place.store.switches();
  const read = await oldest(place, NEEDS_PEOPLE_STATES);
  // A read of its own: most of them may have nothing to do with the switch, and would take the place of what asks people.
  const unstarted = off.length > 0 && wants(SWITCHED_OFF) ? await oldest(place, ['received']) : [];
  const waiting = [
    ...read.filter((row) => needsAttention(row.state, row.reason) && wants(kindOf(row))),
    ...unstarted.filter((row) => switchedOff(row, off) !== undefined),
  ]
    .filter((row) => maySeePayout(place.caller, row))
    .sort((a, b) => inOrder(placeOfRow(a), placeOfRow(b)));
  const isCut = Math.max(read.length, unstarted.length) === READ_MAX;
  return { rows: name === undefined ? waiting : await rowsFor(deps, waiting, name), isCut };
}

const PROCESSING_MAX = 1_000;

/** Of the oldest ones that are with the bank, those that are there for longer than others were; for who may resolve. */
export async function slowRows(
  place: StoreReader,
  caller: Caller,
  reader: Person | undefined,
): Promise<PayoutRecord[]> {
  if (reader !== undefined && !may(reader, 'resolve')) return [];
  const inProgress = await place.store.searchPayouts(
    { states: ['processing'], seenBy: payoutsSeenBy(caller) },
    { order: 'oldest', limit: PROCESSING_MAX },
  );
  const context = await stepContext(place, inProgress);
  return inProgress.filter((row) => isSlow(row, context));
}

const oldest = ({ store, caller }: Place, states: readonly ShownState[]): Promise<PayoutRecord[]> =>
  store.searchPayouts({ states, seenBy: payoutsSeenBy(caller) }, { order: 'oldest', limit: READ_MAX });

async function openIncidents(
  { store, caller }: Place,
  reader: Person | undefined,
  kind: string | undefined,
): Promise<DescribedIncident[]> {
  if (reader !== undefined && !may(reader, 'resolve')) return [];
  const found = await store.incidents({ open: true, limit: READ_MAX });
  const seen = (await visibleOf(caller, store, found)).map(described);
  return seen.filter((it) => kind === undefined || it.kind === kind).toReversed();
}

const described = ({ incident, payout }: VisibleIncident): DescribedIncident => describedIncident(incident, payout);

const TAG = 'incidents';
const READING: CallerAccess = { roles: ['approver', 'operator', 'auditor'], scope: 'each' };

export const INCIDENTS = operation({
  method: 'GET',
  path: '/v1/incidents',
  tag: TAG,
  summary: 'What the bank shows that contradicts stored ends, newest first',
  access: READING,
  input: z.strictObject({ open: flag.describe('only those that nobody has acknowledged'), ...page }),
  answer: z.looseObject({ incidents: z.array(z.looseObject({ id: z.string() })), next }),
  async run(
    { store, caller },
    { open, limit, after },
  ): Promise<{ incidents: DescribedIncident[]; next: string | null }> {
    const [seenAt, id] = after === undefined ? [Number.MAX_SAFE_INTEGER, ''] : placeIn(after);
    const read = await store.incidents({ open, limit: limit + 1, after: { seenAt, id } });
    const found = read.slice(0, limit);
    const last = found.at(-1);
    return {
      incidents: (await visibleOf(caller, store, found)).map(described),
      next: read.length <= limit || last === undefined ? null : encoded([last.seenAt, last.id]),
    };
  },
});

/** `by`: whose scope has to hold it, where that is not the caller's. */
export const INCIDENT = operation({
  method: 'GET',
  path: '/v1/incidents/:id',
  tag: TAG,
  summary: 'An incident that the caller may acknowledge',
  access: OPERATING,
  input: z.strictObject({ id: shortText, by: storableText.optional() }),
  answer: z.looseObject({ incident: z.looseObject({ id: z.string() }) }),
  run: async (place, { id, by = '' }) => ({ incident: await theirs(place, id, place.caller.name ?? by) }),
});

export const ACKNOWLEDGE = operation({
  method: 'POST',
  path: '/v1/incidents/:id/acknowledgement',
  tag: TAG,
  summary: 'Record that an incident was dealt with, and how',
  access: OPERATING,
  input: z.strictObject({ id: shortText, by: storableText.optional(), reason: storableText, signed: signedInput }),
  answer: z.looseObject({ incident: z.looseObject({ id: z.string() }), isNew: z.boolean() }),
  async run(place, { id, by: given, reason, signed }): Promise<{ incident: IncidentRecord; isNew: boolean }> {
    const { store, now } = place;
    const by = nameOf(place, given, signed);
    const known = await theirs(place, id, by);
    const payout = await store.payout(known.reference);
    const about = acknowledgementOf(id, reason);
    await storeSigned(place, signed, about, payout && scopeFactsOfRow(payout));
    const acknowledged = await store.acknowledgeIncident(id, { by, reason, at: now() });
    if (acknowledged === undefined) throw unknownIncident(id);
    return acknowledged;
  },
});

/** Throws a `Problem` if there is none, if the caller may not see it, or if it is outside of the scope of a person. */
async function theirs({ store, caller, config }: Place, id: string, name: string): Promise<IncidentRecord> {
  const known = await store.incident(id);
  const [seen] = await visibleOf(caller, store, known === undefined ? [] : [known]);
  if (seen === undefined) throw unknownIncident(id);
  await assertMayAcknowledge({ store, policy: config.settings.policy, name }, seen.incident);
  return seen.incident;
}

const unknownIncident = (id: string): Problem =>
  new Problem('not-found', 'unknown-id', `There is no incident "${visible(id)}".`, {
    hint: 'payouts incidents --open shows those that nobody has acknowledged.',
  });
