import { ACKNOWLEDGE, INCIDENT, INCIDENTS } from '../channels/http/operations/inbox.ts';
import { acknowledgementOf } from '../domain/authority.ts';
import { secondOf } from '../domain/display.ts';
import { Problem } from '../domain/problem.ts';
import { differenceText } from '../domain/reconciliation.ts';
import type { IncidentRecord } from '../store/store.ts';
import { confirm } from './confirm.ts';
import type { Session } from './session.ts';
import { type SignedOptions, signerOf } from './signer.ts';
import { table } from './table.ts';
import { incidentDocument } from './waiting.ts';

/** `payouts incidents [--open]`: what the bank shows that contradicts stored ends, newest first, and who acknowledged it. */
export async function listIncidents(session: Session, { open }: { open: boolean }): Promise<void> {
  const { incidents: found } = await session.ask(INCIDENTS, { open });
  const rows = found.map(({ id, seenAt, kind, reference, orderId, differs, acknowledged }) => [
    id,
    secondOf(seenAt),
    kind,
    reference,
    orderId,
    differs === undefined ? '' : differenceText(differs),
    acknowledged === null ? 'open' : `${acknowledged.by}: ${acknowledged.reason}`,
  ]);
  const heads = ['incident', 'seen (UTC)', 'kind', 'payout', 'order', 'differs', 'acknowledged'];
  const none = open ? 'There are no open incidents.' : 'There are no incidents.';
  session.output.result({ incidents: found.map(seenToDocument) }, rows.length === 0 ? none : table(heads, rows));
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
      hint: 'Give --by NAME and --reason TEXT, neither of them empty.',
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
