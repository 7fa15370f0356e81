import type { CardDocument } from '../channels/http/card-documents.ts';
import {
  ACKNOWLEDGE,
  type CardForPeople,
  INBOX,
  INCIDENT,
  INCIDENTS,
  type Inbox,
  READ_MAX,
} from '../channels/http/operations/inbox-operations.ts';
import { commentText, type OpenComment } from '../channels/pages/comments.ts';
import { acknowledgementOf } from '../domain/authority.ts';
import { counted, iso, isoOrNull, labelled, minuteOf, secondOf, shortId, widthOf } from '../domain/display.ts';
import { visible } from '../domain/finding.ts';
import type { Reason } from '../domain/payout-state.ts';
import { Problem } from '../domain/problem.ts';
import { because, isReasonCode, REASONS } from '../domain/reasons.ts';
import { INCIDENTS as INCIDENTS_SAY, incidentText } from '../domain/reconciliation.ts';
import { forOperator } from '../domain/remedy.ts';
import type { DescribedIncident } from '../reports/incident-sides.ts';
import { stepGroupsText } from '../reports/render-steps.ts';
import type { StepGroup } from '../reports/step-groups.ts';
import type { IncidentRecord } from '../store/store.ts';
import { confirm } from './confirm.ts';
import type { Session } from './session.ts';
import { type Asker, holdKey, type SignedOptions, signerOf, viewerOf } from './signer.ts';

/** `payouts inbox`: what waits for people in all batches, by kind, the oldest first. It boots nothing. */
export async function inbox(session: Session, options: Asker & { mine: boolean; kind?: string }): Promise<void> {
  const { mine, kind } = options;
  await holdKey(session, options.key);
  const viewer = mine ? await viewerOf(session, options) : undefined;
  await session.sayHindrances();
  const shown = await session.ask(INBOX, { mine, name: viewer, kind, limit: READ_MAX });
  const { name, groups, payouts, incidents, comments, parked, isCut } = shown;
  const cards = cardsOf(shown.cards, kind);
  const document = {
    for: name,
    kinds: stepsDocument(groups),
    payouts: payouts.map(waitingDocument),
    incidents: incidents.map(incidentDocument),
    comments: comments.map(commentDocument),
    cardPayments: cards.map(({ card: { merchantRequestId: id, state }, reason }) => ({ id, state, reason })),
    parkedEvents: parked.map((it) => it.name),
  };
  const text = inboxText({ name, groups, incidents, comments, isCut }, cards);
  session.output.result(document, [text, ...parked.map(parkedText)].join('\n\n'));
}

function commentDocument({ row: { reference, documentId: id }, last }: OpenComment): object {
  return { reference, id, by: last.actor, text: commentText(last), at: iso(last.at) };
}

function commentLines({ row, last }: OpenComment, width: number): string[] {
  const layout = { indent: 2, labelWidth: 'since  '.length, width };
  return [
    `comment on ${visible(row.documentId)}`,
    ...labelled('who', last.actor, layout),
    ...labelled('says', visible(commentText(last)), layout),
    ...labelled('since', minuteOf(last.at), layout),
    ...labelled('next', `payouts open ${shortId(row.reference)}`, { ...layout, width: Number.POSITIVE_INFINITY }),
  ];
}

type CardWithReason = { card: CardForPeople; reason: Reason };

function cardsOf(records: readonly CardForPeople[], kind: string | undefined): CardWithReason[] {
  return records.flatMap((card) => {
    const reason = neededFor({ ...card, contradicted: card.contradictedAt !== null });
    return reason === undefined || (kind !== undefined && reason.code !== kind) ? [] : [{ card, reason }];
  });
}

/** Shown to operators here, since the receivers of these events receive nothing. */
const parkedText = ({ name, parkedAt }: Inbox['parked'][number]): string =>
  `events to ${name} have been parked since ${minuteOf(parkedAt ?? 0)}: payouts events status`;

function waitingDocument({ row, step }: Inbox['payouts'][number]): object {
  const { reference, documentId: id, uid, batchId, state, reason } = row;
  const { amount, currency } = row.instruction;
  const next = step === null ? null : { ...step, ...timesOf(step) };
  return { reference, id, uid, batchId, row: row.row, amount, currency, state, reason, next };
}

function inboxText(
  { groups, incidents, comments, name, isCut }: Pick<Inbox, 'groups' | 'incidents' | 'comments' | 'name' | 'isCut'>,
  cards: readonly CardWithReason[],
): string {
  const width = widthOf(process.stdout);
  const whom = name ?? 'people';
  if (groups.length + incidents.length + comments.length + cards.length === 0) return `Nothing waits for ${whom}.`;
  const count = groups.reduce((sum, group) => sum + group.count, 0);
  const open = incidents.length === 0 ? '' : `, and ${counted(incidents.length, 'open incident')}`;
  const asked = comments.length === 0 ? '' : `, and ${counted(comments.length, 'comment')}`;
  const unclear = cards.length === 0 ? '' : `, and ${counted(cards.length, 'card payment')}`;
  return [
    `${counted(count, 'payout')} ${count === 1 ? 'waits' : 'wait'} for ${whom}${open}${unclear}${asked}.`,
    ...(isCut
      ? [`Only the oldest ${READ_MAX} were checked; \`payouts list --state held\` and similar filters show others.`]
      : []),
    ...(groups.length === 0 ? [] : ['', stepGroupsText(groups, { now: Date.now(), width })]),
    ...incidents.flatMap((incident) => ['', ...incidentLines(incident, width)]),
    ...cards.flatMap(({ card, reason }) => ['', ...cardForPeopleLines(card, reason, width)]),
    ...comments.flatMap((comment) => ['', ...commentLines(comment, width)]),
  ].join('\n');
}

function incidentLines(incident: DescribedIncident, width: number): string[] {
  const { kind, id, reference, seenAt, sides, todo, byItself } = incident;
  const layout = { indent: 2, labelWidth: 'otherwise  '.length, width };
  return [
    `incident ${id} [${kind}]`,
    ...labelled('why', INCIDENTS_SAY[kind].says, layout),
    ...labelled('what', sides, layout),
    ...labelled('payout', shortId(reference), layout),
    ...labelled('since', minuteOf(seenAt), layout),
    ...labelled('to do', todo, layout),
    ...labelled('next', `payouts acknowledge ${id}`, { ...layout, width: Number.POSITIVE_INFINITY }),
    ...labelled('otherwise', byItself, layout),
  ];
}

/** For JSON: rows by their reference, times as ISO 8601. */
const stepsDocument = (groups: readonly StepGroup[]): object[] =>
  groups.map(({ rows, since, until, ...group }) => ({
    ...group,
    ...timesOf({ since, until }),
    payouts: rows.map(({ reference, documentId: id }) => ({ reference, id })),
  }));

export const timesOf = ({ since, until }: { since: number; until: number | null }) => ({
  since: iso(since),
  until: isoOrNull(until),
});

export const incidentDocument = ({
  id,
  reference,
  orderId,
  kind,
  differs,
  seenAt,
  sides,
}: IncidentRecord & { sides?: string }): object => ({
  id,
  reference,
  orderId,
  kind,
  message: incidentText({ kind, differs }),
  differs: differs ?? null,
  ...(sides !== undefined && { sides }),
  seenAt: iso(seenAt),
});

/** For `card-payment-contradicted` of the card payment itself; the reason of that code is about a payout that depends on one. */
const CONTRADICTED = forOperator(
  'the acquirer has contradicted the end of this card payment',
  'Ask the acquirer which is true. `payouts card resolve ID --action confirm-end` confirms the stored end.',
);

/** Why a card payment needs an operator; undefined if it does not. */
export function neededFor({
  state,
  reason,
  contradicted,
}: Pick<CardDocument, 'state' | 'reason' | 'contradicted'>): Reason | undefined {
  if (contradicted) return { code: 'card-payment-contradicted', message: CONTRADICTED.says };
  return state === 'needs-operator' ? ((reason as Reason | null) ?? because('payment-outcome-unknown')) : undefined;
}

/** What an operator does about a card payment that needs one, with its id in the commands. */
export function todoFor(merchantRequestId: string, { code }: Reason): string {
  const ofCode = isReasonCode(code) ? REASONS[code] : undefined;
  const remedy = code === 'card-payment-contradicted' ? CONTRADICTED : ofCode;
  return (remedy?.todo ?? '').replaceAll('card resolve ID ', `card resolve ${merchantRequestId} `);
}

function cardForPeopleLines(record: CardForPeople, { code, message }: Reason, width: number): string[] {
  const layout = { indent: 2, labelWidth: 'since  '.length, width };
  const { merchantRequestId, updatedAt } = record;
  return [
    `card payment ${merchantRequestId} [${code}]`,
    ...labelled('why', message, layout),
    ...labelled('since', minuteOf(updatedAt), layout),
    ...labelled('next', `payouts card show ${merchantRequestId}`, { ...layout, width: Number.POSITIVE_INFINITY }),
  ];
}

const PAGE = 1_000;

/** `payouts incidents [--open]`: what the bank shows that contradicts stored ends, newest first, and who acknowledged it. */
export async function listIncidents(session: Session, { open }: { open: boolean }): Promise<void> {
  const found: DescribedIncident[] = [];
  for (let after: string | undefined | null; after !== null; ) {
    const { incidents, next } = await session.ask(INCIDENTS, { open, limit: PAGE, after });
    found.push(...incidents);
    after = next;
  }
  const width = widthOf(process.stdout);
  const layout = { indent: 2, labelWidth: 'acknowledged  '.length, width };
  const blocks = found.map(({ id, seenAt, kind, reference, sides, acknowledged }) =>
    [
      `${id}  ${secondOf(seenAt)} UTC  ${kind}  payout ${shortId(reference)}`,
      ...labelled('why', INCIDENTS_SAY[kind].says, layout),
      ...labelled('what', sides, layout),
      ...labelled(
        'acknowledged',
        acknowledged === null ? 'open' : `${acknowledged.by}: ${acknowledged.reason}`,
        layout,
      ),
    ].join('\n'),
  );
  const none = open ? 'There are no open incidents.' : 'There are no incidents.';
  session.output.result({ incidents: found.map(seenToDocument) }, blocks.length === 0 ? none : blocks.join('\n'));
}

/** `payouts acknowledge INCIDENT`: records that somebody has dealt with it, and why it may be closed. */
export async function acknowledge(
  session: Session,
  id: string,
  { reason, yes, ...asker }: SignedOptions & { reason: string },
): Promise<void> {
  const signer = await signerOf(session, asker, 'resolve');
  const { name: by } = signer;
  if (reason.trim() === '' || by.trim() === '') {
    throw new Problem('usage', 'reason-missing', 'An acknowledgement needs a name and a reason.', {
      hint: 'Give --by and --reason, neither of them empty.',
    });
  }
  await session.ask(INCIDENT, { id, by });
  await confirm(`Acknowledge incident ${id}?`, yes);
  const signed = signer.sign?.(acknowledgementOf(id, reason));
  const { incident, isNew } = await session.ask(ACKNOWLEDGE, { id, by, reason, signed });
  const text = isNew
    ? `Acknowledged: ${id} (${incident.kind}, order ${incident.orderId}).`
    : `${id} was already acknowledged by ${incident.acknowledged?.by}: ${incident.acknowledged?.reason}`;
  session.output.result({ incident: seenToDocument(incident), changed: isNew }, text);
}

/** Including who acknowledged it. */
function seenToDocument(incident: IncidentRecord): object {
  const { acknowledged } = incident;
  return {
    ...incidentDocument(incident),
    acknowledged: acknowledged && { ...acknowledged, at: new Date(acknowledged.at).toISOString() },
  };
}
