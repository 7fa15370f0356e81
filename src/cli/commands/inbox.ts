import { stepContext } from '../../compose/report-source.ts';
import { may, mayOperateCard, type Person, personOf } from '../../domain/authority.ts';
import { NEEDS_PEOPLE_STATES, needsAttention, type PayoutState, type Reason } from '../../domain/payout-state.ts';
import { incidentText } from '../../domain/reconciliation.ts';
import { counted, minuteOf } from '../../reports/display.ts';
import { incidentRemedy, kindOf, nextStep, type StepContext } from '../../reports/next-step.ts';
import { stepGroupsText } from '../../reports/render-steps.ts';
import { type StepGroup, stepGroups } from '../../reports/step-groups.ts';
import { SWITCHED_OFF, switchedOff } from '../../reports/switched-off.ts';
import { labelled, widthOf } from '../../reports/wrap.ts';
import { awaitsDecisionBy } from '../../services/decisions/awaits-decision.ts';
import { openQuestion } from '../../services/decisions/open-question.ts';
import { approvedBy } from '../../services/decisions/verdict.ts';
import type { CardRecord } from '../../store/card-store.ts';
import type { IncidentRecord, PayoutRecord, Store, SubscriptionRecord } from '../../store/store.ts';
import { cardForPeopleLines, incidentDocument, neededFor, stepsDocument, timesOf } from '../needs-people.ts';
import type { Session } from '../session.ts';
import { type Asker, viewerOf } from '../signer.ts';

const READ_MAX = 10_000;

/** `payouts inbox`: what waits for people in all batches, by kind, the oldest first. It reads the store and boots nothing. */
export async function inbox(session: Session, options: Asker & { mine: boolean; kind?: string }): Promise<void> {
  const store = await session.store();
  const name = options.mine ? await viewerOf(session, options) : undefined;
  const { policy } = session.config.settings;
  // Without a policy, everybody may do what operators do.
  const reader: Person | undefined = policy === undefined || name === undefined ? undefined : personOf(policy, name);
  const wants = (kind: string): boolean => options.kind === undefined || kind === options.kind;
  const off = await store.switches();
  const read = await oldest(store, NEEDS_PEOPLE_STATES);
  // A read of its own: most of them may have nothing to do with the switch, and would take the place of what asks people.
  const unstarted = off.length > 0 && wants(SWITCHED_OFF) ? await oldest(store, ['received']) : [];
  const waiting = [
    ...read.filter((row) => needsAttention(row.state, row.reason) && wants(kindOf(row))),
    ...unstarted.filter((row) => switchedOff(row, off) !== undefined),
  ].sort((a, b) => a.updatedAt - b.updatedAt);
  const rows = name === undefined ? waiting : await rowsFor(session, store, waiting, name);
  const context = await stepContext(session.config, store, rows);
  const groups = stepGroups(rows, context);
  const found = await store.incidents({ open: true, limit: READ_MAX });
  const acknowledges = reader === undefined || may(reader, 'resolve');
  const incidents = found.filter(({ kind }) => acknowledges && wants(kind)).toReversed();
  const unclear = (await store.cards.forPeople()).filter(
    (card) => reader === undefined || mayOperateCard(reader, card),
  );
  const cards = cardsOf(unclear, options.kind);
  const parked = (await store.subscriptions()).filter(({ parkedAt }) => parkedAt !== null);
  const document = {
    for: name ?? null,
    kinds: stepsDocument(groups),
    payouts: rows.map((row) => waitingDocument(row, context)),
    incidents: incidents.map(incidentDocument),
    cardPayments: cards.map(({ card: { merchantRequestId: id, state }, reason }) => ({ id, state, reason })),
    parkedEvents: parked.map((it) => it.name),
  };
  const text = inboxText(
    groups,
    { incidents, cards },
    { name, isCut: Math.max(read.length, unstarted.length) === READ_MAX },
  );
  session.output.result(document, [text, ...parked.map(parkedText)].join('\n\n'));
}

const oldest = (store: Store, states: readonly PayoutState[]): Promise<PayoutRecord[]> =>
  store.searchPayouts({ states, oldestFirst: true }, READ_MAX);

function cardsOf(records: readonly CardRecord[], kind: string | undefined): { card: CardRecord; reason: Reason }[] {
  return records.flatMap((card) => {
    const reason = neededFor(card);
    return reason === undefined || (kind !== undefined && reason.code !== kind) ? [] : { card, reason };
  });
}

/** Shown to operators here, since whoever was to receive these events receives nothing. */
const parkedText = ({ name, parkedAt }: SubscriptionRecord): string =>
  `events to ${name} have been parked since ${minuteOf(parkedAt ?? 0)}: payouts events status`;

async function rowsFor(
  { config: { settings } }: Session,
  store: Store,
  rows: readonly PayoutRecord[],
  name: string,
): Promise<PayoutRecord[]> {
  const mine: PayoutRecord[] = [];
  for (const row of rows) {
    if (!awaitsDecisionBy(settings.policy, name, row, [])) continue;
    const asked = await openQuestion({ store, settings }, row);
    const approved = await approvedBy({ store, settings, now: Date.now }, row, asked);
    if (awaitsDecisionBy(settings.policy, name, row, approved)) mine.push(row);
  }
  return mine;
}

function waitingDocument(row: PayoutRecord, context: StepContext): object {
  const { reference, documentId: id, uid, batchId, state, reason } = row;
  const { amount, currency } = row.instruction;
  const step = nextStep(row, context);
  const next = step === undefined ? null : { ...step, ...timesOf(step) };
  return { reference, id, uid, batchId, row: row.row, amount, currency, state, reason, next };
}

function inboxText(
  groups: readonly StepGroup[],
  { incidents, cards }: { incidents: readonly IncidentRecord[]; cards: ReturnType<typeof cardsOf> },
  { name, isCut }: { name: string | undefined; isCut: boolean },
): string {
  const width = widthOf(process.stdout);
  const whom = name === undefined ? 'people' : name;
  if (groups.length + incidents.length + cards.length === 0) return `Nothing waits for ${whom}.`;
  const count = groups.reduce((sum, group) => sum + group.count, 0);
  const open = incidents.length === 0 ? '' : `, and ${counted(incidents.length, 'open incident')}`;
  const unclear = cards.length === 0 ? '' : `, and ${counted(cards.length, 'card payment')}`;
  return [
    `${counted(count, 'payout')} ${count === 1 ? 'waits' : 'wait'} for ${whom}${open}${unclear}.`,
    ...(isCut
      ? [`Only the oldest ${READ_MAX} were checked; \`payouts list --state held\` and similar filters show others.`]
      : []),
    ...(groups.length === 0 ? [] : ['', stepGroupsText(groups, { now: Date.now(), width })]),
    ...incidents.flatMap((incident) => ['', ...incidentLines(incident, width)]),
    ...cards.flatMap(({ card, reason }) => ['', ...cardForPeopleLines(card, reason, width)]),
  ].join('\n');
}

function incidentLines(incident: IncidentRecord, width: number): string[] {
  const { kind, id, reference, orderId, seenAt } = incident;
  const layout = { indent: 2, labelWidth: 'otherwise  '.length, width };
  const { todo, byItself } = incidentRemedy(incident);
  return [
    `incident ${id} [${kind}]`,
    ...labelled('why', `${incidentText(incident)} (order ${orderId}, payout ${reference})`, layout),
    ...labelled('since', minuteOf(seenAt), layout),
    ...labelled('to do', todo, layout),
    ...labelled('next', `payouts acknowledge ${id} --reason TEXT`, { ...layout, width: Number.POSITIVE_INFINITY }),
    ...labelled('otherwise', byItself, layout),
  ];
}
