import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BenchOptions, readOptions } from '../bench/options.ts';
import { openPlace, PAYOUTS, type Place } from '../bench/place.ts';
import { command } from '../chaos/processes.ts';

/** A bank that settles nothing by itself while payouts are sent, Temporal, and a store in a file. */
export const openGround = (atOnce: number): Promise<Place> =>
  openPlace('embedded', SETTLED_AFTER_MS, { ...readOptions(['--quick']), atOnce } satisfies BenchOptions);

/** 100,000 payouts are sent in more than an hour. */
export const SETTLED_AFTER_MS = 3 * 3_600_000;

export interface Payee {
  uid: string;
  account_id: string;
  beneficiary_id: string;
}

/** Two users of the sandbox. */
export const LARGE: Payee = { uid: 'u-1001', account_id: 'acc-u1001-usd', beneficiary_id: 'ben-u1001-usd-local' };
export const OTHER: Payee = { uid: 'u-1002', account_id: 'acc-u1002-usd', beneficiary_id: 'ben-u1002-usd-local' };

let files = 0;

/** A CSV file of so many rows that no other one has. */
export function fileOf({ dir }: Place, payee: Payee, rows: number): string {
  files += 1;
  const file = join(dir, `file-${files}.csv`);
  const same = `${payee.uid},${payee.account_id},${payee.beneficiary_id},1.00,USD`;
  const lines = Array.from({ length: rows }, (_, n) => `f${files}-${n},${same}`);
  writeFileSync(file, ['id,uid,account_id,beneficiary_id,amount,currency', ...lines, ''].join('\n'));
  return file;
}

/** Runs `payouts` to its end. Rejects when it fails. */
export async function payouts(
  place: Place,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  // Every row looks like every other one.
  const all = { ...place.productEnv('command'), PAYOUTS_LOOK_ALIKE_DAYS: '0', ...env };
  const { code, stderr } = await command(process.execPath, [PAYOUTS, ...args], all).ended;
  if (code !== 0 && code !== STILL_OPEN)
    throw new Error(`payouts ${args[0]} ended with ${code}: ${stderr.slice(-2_000)}`);
}

/** Exit code of a report whose batch goes on. */
const STILL_OPEN = 6;
