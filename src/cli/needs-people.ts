import type { CardDocument } from '../channels/http/card-documents.ts';
import type { CardForPeople } from '../channels/http/operations/inbox.ts';
import { iso, isoOrNull, minuteOf } from '../domain/display.ts';
import type { Reason } from '../domain/payout-state.ts';
import { because, isReasonCode, REASONS } from '../domain/reasons.ts';
import { incidentText } from '../domain/reconciliation.ts';
import { forOperator } from '../domain/remedy.ts';
import { labelled } from '../domain/wrap.ts';
import type { StepGroup } from '../reports/step-groups.ts';
import type { IncidentRecord } from '../store/store.ts';

/** For JSON: rows by their reference, times as ISO 8601. */
export const stepsDocument = (groups: readonly StepGroup[]): object[] =>
  groups.map(({ rows, since, until, ...group }) => ({
    ...group,
    ...timesOf({ since, until }),
    payouts: rows.map(({ reference, documentId: id }) => ({ reference, id })),
  }));

export const timesOf = ({ since, until }: { since: number; until: number | null }) => ({
  since: iso(since),
  until: isoOrNull(until),
});

export const incidentDocument = ({ id, reference, orderId, kind, differs, seenAt }: IncidentRecord): object => ({
  id,
  reference,
  orderId,
  kind,
  message: incidentText({ kind, differs }),
  differs: differs ?? null,
  seenAt: iso(seenAt),
});

/** For `card-payment-contradicted` of the card payment itself; the reason of that code is about a payout that depends on one. */
const CONTRADICTED = forOperator(
  'the acquirer has contradicted the end of this card payment',
  'Ask the acquirer which is true. `payouts card resolve ID --action confirm-end --evidence TEXT` confirms the stored end.',
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

export function cardForPeopleLines(record: CardForPeople, { code, message }: Reason, width: number): string[] {
  const layout = { indent: 2, labelWidth: 'since  '.length, width };
  const { merchantRequestId, updatedAt } = record;
  return [
    `card payment ${merchantRequestId} [${code}]`,
    ...labelled('why', message, layout),
    ...labelled('since', minuteOf(updatedAt), layout),
    ...labelled('next', `payouts card show ${merchantRequestId}`, { ...layout, width: Number.POSITIVE_INFINITY }),
  ];
}
