import type { Database } from './database.ts';
import { json } from './json-columns.ts';
import type { AuditEntry } from './schema.ts';

export const auditRepository = { audit, auditOf };

export async function audit(db: Database, { detail, ...entry }: AuditEntry): Promise<void> {
  await db
    .insertInto('audit')
    .values({ ...entry, detail: json(detail) })
    .execute();
}

/** In the order in which they were written. */
async function auditOf(db: Database, subject: string): Promise<AuditEntry[]> {
  return db
    .selectFrom('audit')
    .select(['at', 'actor', 'action', 'subject', 'detail'])
    .where('subject', '=', subject)
    .orderBy('seq')
    .execute();
}
