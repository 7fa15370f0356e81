import { INCIDENTS } from '../domain/reconciliation.ts';
import type { IncidentRecord } from '../store/store.ts';

export const incidentDocument = ({ id, reference, orderId, kind, seenAt }: IncidentRecord): object => ({
  id,
  reference,
  orderId,
  kind,
  message: INCIDENTS[kind].says,
  seenAt: new Date(seenAt).toISOString(),
});
