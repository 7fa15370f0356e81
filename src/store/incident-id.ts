import { createHash } from 'node:crypto';
import type { Incident } from '../domain/reconciliation.ts';

/** Short enough to type, and the same for the same incident: `inc-` and 48 bits of a digest. Stored, so never change it. */
export function incidentId({ reference, orderId, kind }: Incident): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([reference, orderId, kind]))
    .digest('hex');
  return `inc-${digest.slice(0, 12)}`;
}
