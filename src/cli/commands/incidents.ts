import { differenceText } from '../../domain/changed-order.ts';
import { Problem } from '../../domain/problem.ts';
import { resolveDigest } from '../../domain/question-digest.ts';
import { secondOf } from '../../reports/display.ts';
import { visible } from '../../rules/finding.ts';
import { assertMayAcknowledge } from '../../services/decisions/incident-scope.ts';
import type { IncidentRecord } from '../../store/store.ts';
import { confirm } from '../confirm.ts';
import { incidentDocument } from '../needs-people.ts';
import type { Session } from '../session.ts';
import { type SignedOptions, signAndStore, signerOf } from '../signer.ts';
import { table } from '../table.ts';

// Incidents are in the store: both commands need only that.

const SHOWN_MAX = 1_000;

/** `payouts incidents [--open]`: what the bank shows that contradicts stored ends, newest first, and who acknowledged it. */
export async function listIncidents(session: Session, { open }: { open: boolean }): Promise<void> {
  const store = await session.store();
  const found = await store.incidents({ open, limit: SHOWN_MAX });
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
  const store = await session.store();
  const known = await store.incident(id);
  if (known === undefined) throw unknownIncident(id);
  await assertMayAcknowledge({ store, policy: session.config.settings.policy, name: by }, known);
  await confirm(`Acknowledge incident ${id}?`, yes);
  const digest = resolveDigest('acknowledge', id);
  await signAndStore(store, signer, { question: 'resolve', reference: id, digest, remark: reason });
  const acknowledged = await store.acknowledgeIncident(id, { by, reason, at: Date.now() });
  if (acknowledged === undefined) throw unknownIncident(id);
  const { incident, isNew } = acknowledged;
  const text = isNew
    ? `Acknowledged: ${id} (${incident.kind}, order ${incident.orderId}).`
    : `${id} was already acknowledged by ${incident.acknowledged?.by}: ${incident.acknowledged?.reason}`;
  session.output.result({ incident: seenToDocument(incident), changed: isNew }, text);
}

const unknownIncident = (id: string): Problem =>
  new Problem('not-found', 'unknown-id', `There is no incident "${visible(id)}".`, {
    hint: 'payouts incidents --open shows those that nobody has acknowledged.',
  });

/** Including who acknowledged it. */
function seenToDocument(incident: IncidentRecord): object {
  const { acknowledged } = incident;
  return {
    ...incidentDocument(incident),
    acknowledged: acknowledged && { ...acknowledged, at: new Date(acknowledged.at).toISOString() },
  };
}
