/** Input files of payouts that complete at the sandbox without people, unless a row says otherwise. */

export type Row = Readonly<Record<string, string>> & { id: string };

const PAYABLE = {
  uid: 'u-1001',
  account_id: 'acc-u1001-usd',
  amount: '12.50',
  currency: 'USD',
  beneficiary_id: 'ben-u1001-usd-local',
};

/** Waits for the approval of the bank order. */
export const IN_AUDIT = { note: 'sandbox:audit' };

export const payable = (row: Row): Row => ({ ...PAYABLE, ...row });

/** CSV of plain values: none holds a comma, a quote or a line break. */
export function csvOf(rows: readonly Row[]): string {
  const full = rows.map(payable);
  const columns = [...new Set(full.flatMap((row) => Object.keys(row)))];
  const lines = full.map((row) => columns.map((column) => row[column] ?? '').join(','));
  return `${[columns.join(','), ...lines].join('\n')}\n`;
}

export const jsonOf = (rows: readonly Row[]): string => JSON.stringify({ payouts: rows.map(payable) });
