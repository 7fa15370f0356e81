/**
 * Midnight UTC of an ISO 8601 date, in epoch ms; undefined for what is no day of the calendar, which `Date` would correct (30
 * February is 2 March), and for a year below 100.
 */
export function midnightOf(date: string): number | undefined {
  const at = /^(?!00)\d{4}-\d{2}-\d{2}$/.test(date) ? Date.parse(`${date}T00:00:00Z`) : Number.NaN;
  return Number.isFinite(at) && new Date(at).toISOString().startsWith(date) ? at : undefined;
}
