import { sql } from 'kysely';
import { END_STATES } from '../domain/payout-state.ts';
import type { SwitchScope } from '../domain/switch-scope.ts';
import { SWITCH_COLUMNS } from '../domain/switch-scope.ts';
import { type SwitchedOff, type SwitchFacts, switchText, widest } from '../domain/switches.ts';
import type { AuditEntry } from './audit/entry.ts';
import { audit } from './audit-log.ts';
import type { Database } from './engine/database.ts';
import { insertNew, inTransaction, met } from './engine/database.ts';
import type { SwitchRecord } from './schema.ts';

/** With an audit entry. False if it was off already: the first person and reason stay. */
export function switchOff(db: Database, { scope, key, reason, by, at }: SwitchRecord): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    if ((await insertNew(transaction, 'switches', { scope, key, reason, by, at })) === 0) return false;
    await audit(transaction, entryOf('switch off', { scope, key, reason, by, at }));
    return true;
  });
}

/** With an audit entry. False if it was not off. */
export function switchOn(db: Database, record: SwitchRecord): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const { scope, key } = record;
    const its = transaction.deleteFrom('switches').where('scope', '=', scope).where('key', '=', key);
    if (!(await met(its))) return false;
    await audit(transaction, entryOf('switch on', record));
    return true;
  });
}

const entryOf = (action: string, { scope, key, reason, by, at }: SwitchRecord): AuditEntry => ({
  at,
  actor: by,
  action,
  subject: switchText({ scope, key }),
  detail: { reason },
});

/** Switches that are off, oldest first. */
export async function switches(db: Database): Promise<SwitchRecord[]> {
  return db.selectFrom('switches').selectAll().orderBy('at').orderBy('scope').orderBy('key').execute();
}

/** Widest scope of a switch that stops a payout; a paused batch stops its payouts like a switch. */
export async function matchingSwitch(db: Database, touched: SwitchFacts): Promise<SwitchScope | undefined> {
  const batch = db
    .selectFrom('payouts')
    .select('batchId')
    .where('reference', '=', touched.reference)
    .where('batchId', 'is not', null)
    .$castTo<{ batchId: string }>();
  const keys: readonly (readonly [SwitchScope, readonly string[]])[] = [
    ['everything', ['']],
    ['uid', [touched.uid]],
    ['account', touched.accounts],
    ['currency', touched.currencies],
    ['payee', touched.payees],
  ];
  const rows = await db
    .selectFrom('switches')
    .select('scope')
    .where((row) =>
      row.or([
        ...keys
          .filter(([, some]) => some.length > 0)
          .map(([scope, some]) => row.and([row('scope', '=', scope), row('key', 'in', some)])),
        row.and([row('scope', '=', 'batch'), row('key', 'in', batch)]),
      ]),
    )
    .unionAll(
      db
        .selectFrom('batches')
        .select(sql<SwitchScope>`${sql.lit('batch')}`.as('scope'))
        .where('control', '=', 'paused')
        .where('batchId', 'in', batch),
    )
    .execute();
  return widest(rows.map(({ scope }) => scope));
}

/** Number of payouts without an end that a switch would stop, as far as their rows show what they touch. */
export async function openUnder(db: Database, { scope, key }: SwitchedOff): Promise<number> {
  const { count } = await db
    .selectFrom('payouts')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('state', 'not in', END_STATES)
    .$if(scope !== 'everything', (query) => query.where(SWITCH_COLUMNS[scope as keyof typeof SWITCH_COLUMNS], '=', key))
    .executeTakeFirstOrThrow();
  return count;
}
