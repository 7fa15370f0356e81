import { createHash } from 'node:crypto';
import { addDecimals, formatMinor, parseAmount } from '../domain/money.ts';
import type { Days } from '../rules/warnings.ts';
import type { ClaimRow } from '../store/store.ts';
import type { LookAlikes } from './look-alikes.ts';

/** What a run is about to do. */
export interface Plan {
  file: string;
  /**
   * First 16 characters of a SHA-256 over what is paid (reference and payload of every row, and which rows are held as
   * look-alikes): the same rows in another order or format give the same hash.
   */
  hash: string;
  payouts: number;
  newBeneficiaries: number;
  /** Number of rows that pay again what is proven unpaid. */
  retries: number;
  /** Per currency of the payouts, sorted by code. */
  totals: { currency: string; count: number; amount: string }[];
  /** By paying account and currency paid. */
  accounts: { uid: string; accountId: string; currency: string; count: number; amount: string }[];
  /** Rows per execution date, `null` for at once; sorted. */
  executionDates: { date: string | null; count: number }[];
  lookAlikes: LookAlikes;
}

interface Sum {
  count: number;
  amount: string;
}

/** The plan of these claims, read once in the order of their references. */
export function planOf(
  file: string,
  claims: Iterable<ClaimRow>,
  lookAlikes: LookAlikes,
  { today, dueDate }: Days,
): Plan {
  const totals = new Map<string, Sum>();
  const accounts = new Map<string, Sum>();
  const dates = new Map<string | null, number>();
  const hash = createHash('sha256');
  let payouts = 0;
  let newBeneficiaries = 0;
  let retries = 0;
  for (const { instruction, reference, payloadDigest, generation, lookAlikeOf } of claims) {
    const { uid, account_id: accountId, currency, amount } = instruction;
    add(totals, currency, currency, amount);
    add(accounts, JSON.stringify([uid, accountId, currency]), currency, amount);
    const due = instruction.execute_on === undefined ? null : dueDate(instruction.execute_on, currency);
    const date = due !== null && due < today ? null : due;
    dates.set(date, (dates.get(date) ?? 0) + 1);
    if (instruction.beneficiary_id === undefined) newBeneficiaries += 1;
    if (generation !== undefined) retries += 1;
    payouts += 1;
    hash.update(`${reference} ${payloadDigest}${lookAlikeOf === undefined ? '' : ' held'}\n`);
  }
  return {
    file,
    hash: hash.digest('hex').slice(0, 16),
    payouts,
    newBeneficiaries,
    retries,
    totals: sorted(totals).map(([currency, sum]) => ({ currency, ...sum })),
    accounts: sorted(accounts).map(([key, sum]) => {
      const [uid, accountId, currency] = JSON.parse(key) as [string, string, string];
      return { uid, accountId, currency, ...sum };
    }),
    executionDates: [...dates].sort(([a], [b]) => compare(a ?? '', b ?? '')).map(([date, count]) => ({ date, count })),
    lookAlikes,
  };
}

function add(sums: Map<string, Sum>, key: string, currency: string, amount: string): void {
  const sum = sums.get(key) ?? { count: 0, amount: formatMinor(0n, currency) };
  sums.set(key, { count: sum.count + 1, amount: addDecimals(sum.amount, plainAmount(amount, currency)) });
}

function plainAmount(amount: string, currency: string): string {
  const parsed = parseAmount(amount, currency);
  return parsed.ok ? formatMinor(parsed.minor, currency) : amount;
}

const sorted = <T>(map: ReadonlyMap<string, T>): [string, T][] => [...map].sort(([a], [b]) => compare(a, b));

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
