import { referenceOf } from '../../domain/identity.ts';
import { orderAsked } from '../../domain/submission.ts';
import { legReference } from '../../store/claimed-row.ts';
import { provenUnpaid } from '../../store/proven-unpaid.ts';
import type { ClaimRow, PayoutRecord, Store } from '../../store/store.ts';
import { type BankLists, shownAgainstRetry } from './at-bank.ts';
import { claimRow } from './claims.ts';

interface BrokenRetry {
  row: ClaimRow;
  rule: 'retry-unknown' | 'retry-not-proven' | 'retry-exchanged';
  message: string;
}

/**
 * Turns rows that name an earlier payout in `retry_of` into its next generation, with a new reference; other rows are unchanged.
 * `retry_of` does not count as part of the payment, so a row submitted twice is the same payout twice. `lists`: absent if nothing
 * is to be paid.
 */
export async function asGenerations(
  store: Store,
  page: readonly ClaimRow[],
  lists: BankLists | undefined,
): Promise<{ rows: ClaimRow[]; broken: BrokenRetry[] }> {
  const references = page.flatMap(({ instruction }) => instruction.retry_of ?? []);
  if (references.length === 0) return { rows: [...page], broken: [] };
  const earlier = new Map((await store.payoutsOf(references)).map((payout) => [payout.reference, payout]));
  // First, because what the bank shows may contradict what is stored.
  const shown = new Map<string, string>();
  for (const [reference, payout] of earlier) {
    const against = lists && (await shownAgainstRetry(lists, payout));
    if (against !== undefined) shown.set(reference, against);
  }
  const exchanged = await boughtFor(store, [...earlier.values()]);
  const unpaid = await provenUnpaid(store, [...earlier.values()]);
  const doubtful = new Set((await store.incidentsOf(references)).map(({ reference }) => reference));
  const rows: ClaimRow[] = [];
  const broken: BrokenRetry[] = [];
  for (const row of page) {
    const { retry_of: reference, ...instruction } = row.instruction;
    if (reference === undefined) {
      rows.push(row);
      continue;
    }
    const before = earlier.get(reference);
    // After an exchange, only the account that holds the bought money may pay.
    const bought = exchanged.get(reference);
    const problem =
      brokenBecause(row, before, {
        isUnpaid: unpaid.has(reference),
        isDoubtful: doubtful.has(reference),
        shown: shown.get(reference),
      }) ?? (bought === undefined || bought === instruction.account_id ? undefined : EXCHANGED);
    if (before === undefined || problem !== undefined) broken.push({ row, ...(problem ?? UNKNOWN) });
    else {
      const again = instruction as typeof row.instruction;
      rows.push(claimRow({ ...row, instruction: again, generation: before.generation + 1 }));
    }
  }
  return { rows, broken };
}

/** By reference: the account that holds what was bought for this generation or an earlier one, whoever sent the exchange. */
async function boughtFor(store: Store, payouts: readonly PayoutRecord[]): Promise<Map<string, string>> {
  const retried = new Map<string, string>();
  for (const { uid, documentId, generation, reference } of payouts) {
    for (let earlier = 0; earlier <= generation; earlier += 1) {
      retried.set(referenceOf(uid, documentId, 'payment', earlier), reference);
    }
  }
  const booked = (await store.bookedExchangesOf([...retried.keys()])).map(({ reference }) => reference);
  const accounts = new Map<string, string>();
  for (const payout of await store.payoutsOf(booked)) {
    const sent = orderAsked(await store.attempts(legReference(payout, 'exchange')));
    const account = sent !== undefined && 'buyAccountId' in sent ? sent.buyAccountId : payout.assessed?.payingAccountId;
    accounts.set(retried.get(payout.reference) ?? '', account ?? '');
  }
  return accounts;
}

const EXCHANGED = {
  rule: 'retry-exchanged',
  message:
    'money was already exchanged for the earlier payout, and this row would exchange again; use the account in the payout currency as account_id',
} as const;

const UNKNOWN = {
  rule: 'retry-unknown',
  message: 'retry_of is not a payout with this uid and id; copy it from the report, or delete it',
} as const;

function brokenBecause(
  { instruction }: ClaimRow,
  before: PayoutRecord | undefined,
  { isUnpaid, isDoubtful, shown }: { isUnpaid: boolean; isDoubtful: boolean; shown: string | undefined },
): Omit<BrokenRetry, 'row'> | undefined {
  const { uid, id } = instruction;
  if (before?.kind !== 'payout' || before.uid !== uid || before.documentId !== id) return UNKNOWN;
  if (isUnpaid && !isDoubtful && shown === undefined) return undefined;
  if (isUnpaid && !isDoubtful) {
    return { rule: 'retry-not-proven', message: `the earlier payout is not proven unpaid: ${shown}; nothing was sent` };
  }
  const state = isDoubtful ? `${before.state}, but the bank shows an order that contradicts this` : before.state;
  return {
    rule: 'retry-not-proven',
    message: `the earlier payout is not proven unpaid (${state}); wait until it ends, or resolve it first`,
  };
}
