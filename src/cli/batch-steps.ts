import type { StepGroup } from '../reports/step-groups.ts';

/** For JSON: rows by their reference, times as ISO 8601. */
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
