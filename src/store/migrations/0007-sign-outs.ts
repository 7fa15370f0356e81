import { type Kysely, sql } from 'kysely';

/** Sign-outs of which a sign-in provider has notified a gateway, for all gateways. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of SIGN_OUTS.split(';\n')) await sql.raw(statement).execute(db);
}

const SIGN_OUTS = `
create table sign_outs (
  id text primary key,
  subject text, sid text,
  issued_at bigint not null, at bigint not null
);
create index sign_outs_by_subject on sign_outs (subject);
create index sign_outs_by_sid on sign_outs (sid)`;
