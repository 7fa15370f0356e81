import { stepContext } from '../compose/next-steps.ts';
import { type StepGroup, stepGroups } from '../reports/next-step.ts';
import type { PayoutRecord } from '../store/store.ts';
import type { Session } from './session.ts';

/** Rows of a batch that wait or ended unpaid, by kind: who acts, how, and until when. */
export async function batchSteps(session: Session, batchId: string): Promise<StepGroup[]> {
  const store = await session.store();
  const rows: PayoutRecord[] = [];
  for await (const row of store.rows(batchId)) if (row.state !== 'completed' && row.reason !== null) rows.push(row);
  return stepGroups(rows, await stepContext(session.config, store, rows));
}

/** For a document: every row by its reference, every time as ISO 8601. */
export const stepsDocument = (groups: readonly StepGroup[]): object[] =>
  groups.map(({ rows, since, until, ...group }) => ({
    ...group,
    ...timesOf({ since, until }),
    payouts: rows.map(({ reference, documentId: id }) => ({ reference, id })),
  }));

export const timesOf = ({ since, until }: { since: number; until: number | null }) => ({
  since: new Date(since).toISOString(),
  until: until === null ? null : new Date(until).toISOString(),
});
