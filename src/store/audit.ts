import type { Database } from './schema.ts';
import type { AuditEntry } from './store.ts';

export async function audit(db: Database, { at, actor, action, subject, detail }: AuditEntry): Promise<void> {
  await db
    .insertInto('audit')
    .values({ at, actor, action, subject, detail: JSON.stringify(detail) })
    .execute();
}

/** In the order in which they were written. */
export async function auditOf(db: Database, subject: string): Promise<AuditEntry[]> {
  const rows = await db.selectFrom('audit').selectAll().where('subject', '=', subject).orderBy('seq').execute();
  return rows.map(({ at, actor, action, detail }) => ({
    at,
    actor,
    action,
    subject,
    detail: JSON.parse(detail) as Record<string, string>,
  }));
}
