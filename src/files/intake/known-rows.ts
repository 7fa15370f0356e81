import type { Finding } from '../../domain/finding.ts';
import { lookAlikeKey, payloadDigest, referenceOf } from '../../domain/identity.ts';
import type { PayoutInstruction } from '../../domain/instruction.ts';
import { payoutWorkflowId } from '../../domain/names.ts';
import { sameMoney } from '../../domain/payee.ts';
import { isEnd, isSettled, type ShownState } from '../../domain/payout-state.ts';
import { shownStateOf } from '../../domain/returned.ts';
import { orderAsked } from '../../domain/submission.ts';
import { orderReference } from '../../store/claimed-row.ts';
import { areEarlierUnpaid, earlierReferences, provenUnpaid } from '../../store/proven-unpaid.ts';
import type { ClaimRow, KnownClaim, PayoutRecord, Store } from '../../store/store.ts';
import { itemsInTurns } from '../input.ts';
import { FindingList } from '../rules/finding-list.ts';
import { type BankLists, shownAgainstRetry } from './at-bank.ts';
import type { MayDiscloseOf, ReadFile } from './read-input.ts';

/** How a file's rows relate to the store; known rows are removed from its claims. */
export interface KnownRows {
  /** The batches that took them and that may be named, in order of appearance. */
  batchIds: ReadonlySet<string>;
  /** Rows known with another payload, and rows that ask for a further generation that is not allowed. */
  misused: FindingList;
  /** Rows known unchanged, as findings that name the earlier batch. */
  taken: FindingList;
}

/**
 * Separates new rows from known and misused ones, page by page. Only batches that the caller may see are named. `lists`: absent if
 * nothing is to be paid.
 */
export async function dropKnown(
  store: Store,
  { file, staged }: ReadFile,
  { mayDiscloseOf = async () => true, lists }: { mayDiscloseOf?: MayDiscloseOf; lists?: BankLists } = {},
): Promise<KnownRows> {
  const misused = new FindingList();
  const taken = new FindingList();
  const reported = new Map<string, boolean>();
  const found = ({ row, instruction }: ClaimRow, rule: string, message: string): Finding => {
    staged.drop(row);
    return { file, line: staged.lineOf(row), row, column: 'id', value: instruction.id, rule, message };
  };
  const misuse = (row: ClaimRow, rule: string, message: string): void => {
    const finding = found(row, rule, message);
    misused.add(finding);
    staged.finding(finding);
  };
  const whose = async ({ kind, batchId }: KnownClaim): Promise<string> => {
    if (kind !== 'payout') return kind === 'transfer' ? 'a transfer' : 'an exchange';
    if (batchId === null) return 'a payout outside a batch';
    const mayDisclose = reported.get(batchId) ?? (await mayDiscloseOf(batchId));
    reported.set(batchId, mayDisclose);
    return mayDisclose ? `batch ${batchId}` : 'another batch';
  };
  for await (const page of itemsInTurns(staged.claimPages())) {
    const { rows, broken } = await asGenerations(store, page, lists);
    for (const { row, rule, message } of broken) misuse(row, rule, message);
    const claims = new Map((await store.knownClaims(rows)).map((claim) => [claim.row, claim]));
    for (const row of rows) {
      const claim = claims.get(row.row);
      if (claim === undefined) {
        if (row.generation !== undefined) staged.claim(row);
        continue;
      }
      if (!isSame(row, claim)) {
        misuse(
          row,
          'id-reused',
          `this id was already used by ${await whose(claim)} with different contents; a new payout needs a new id`,
        );
        continue;
      }
      const again = `this payout was already taken by ${await whose(claim)}; remove the row, or run with --invalid skip`;
      const finding = found(row, 'already-taken', again);
      taken.add(finding);
      staged.refuse(finding, row.reference);
    }
  }
  const batchIds = new Set([...reported.keys()].filter((batchId) => reported.get(batchId)));
  return { batchIds, misused, taken };
}

/** The same instruction, or the same payment in another form (a CSV row and its pain.001 transaction, say). */
function isSame(row: ClaimRow, { kind, samePayload, instruction }: KnownClaim): boolean {
  return samePayload || (kind === 'payout' && sameMoney(row.instruction, instruction));
}

/**
 * The batches that took rows of a file: those still open and those with rows for an operator, the oldest first; and the latest of
 * all.
 */
export async function takenBefore(
  store: Store,
  { batchIds }: KnownRows,
): Promise<{ open: string[]; withOperator: string[]; latest: string | undefined }> {
  const batches = (await Promise.all([...batchIds].map((id) => store.batch(id)))).filter((it) => it !== undefined);
  batches.sort((a, b) => a.createdAt - b.createdAt);
  const open: string[] = [];
  const withOperator: string[] = [];
  for (const { batchId } of batches) {
    if (!(await everyRow(store, batchId, isSettled))) open.push(batchId);
    else if (!(await isOverBatch(store, batchId))) withOperator.push(batchId);
  }
  return { open, withOperator, latest: batches.at(-1)?.batchId };
}

/** Whether every row has ended. */
export const isOverBatch = (store: Store, batchId: string): Promise<boolean> => everyRow(store, batchId, isEnd);

async function everyRow(store: Store, batchId: string, holds: (state: ShownState) => boolean): Promise<boolean> {
  const states = await store.stateCounts(batchId);
  return [...states].every(([state, count]) => count === 0 || holds(state));
}

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
async function asGenerations(
  store: Store,
  page: readonly ClaimRow[],
  lists: BankLists | undefined,
): Promise<{ rows: ClaimRow[]; broken: BrokenRetry[] }> {
  const references = page.flatMap(({ instruction }) => instruction.retry_of ?? []);
  if (references.length === 0) return { rows: [...page], broken: [] };
  const earlier = new Map((await store.payoutsOf(references)).map((payout) => [payout.reference, payout]));
  // First, because what the bank shows may contradict what is stored.
  const shown = new Map<string, string>();
  const asked = new Map(
    page.flatMap(({ instruction: { retry_of: of, ...it } }) => (of === undefined ? [] : [[of, it]])),
  );
  for (const [reference, payout] of earlier) {
    const against = lists && (await shownAgainstRetry(lists, payout, asked.get(reference) ?? payout.instruction));
    if (against !== undefined) shown.set(reference, against);
  }
  const exchanged = await boughtFor(store, [...earlier.values()]);
  const unpaid = await provenUnpaid(store, [...earlier.values()], asked);
  const incidents = await store.incidentsOf(references);
  const doubtful = new Set(incidents.filter(({ kind }) => kind !== 'returned').map(({ reference }) => reference));
  const toAgree = new Map(
    incidents
      .filter(({ kind, acknowledged }) => kind === 'returned' && acknowledged === null)
      .map(({ reference, id }) => [reference, id]),
  );
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
        isUnpaid: unpaid.has(reference) && (await areAllUnpaid(store, before, instruction)),
        isDoubtful: doubtful.has(reference),
        shown: shown.get(reference),
        toAgree: toAgree.get(reference),
      }) ?? (bought === undefined || bought === instruction.account_id ? undefined : EXCHANGED);
    if (before === undefined || problem !== undefined) broken.push({ row, ...(problem ?? UNKNOWN) });
    else {
      const again = instruction as typeof row.instruction;
      rows.push(claimRow({ ...row, instruction: again, generation: before.generation + 1 }));
    }
  }
  return { rows, broken };
}

/** Also those before it: the row would be checked against them when it is sent, and held. */
const areAllUnpaid = (
  store: Store,
  before: PayoutRecord | undefined,
  instruction: PayoutInstruction,
): Promise<boolean> =>
  before === undefined
    ? Promise.resolve(false)
    : areEarlierUnpaid(store, { ...before, generation: before.generation + 1, instruction });

/**
 * By reference: the account that holds what was bought for this generation or an earlier one, from any sender of the exchange; or
 * by the exchange of its batch, unless that is proven to have bought nothing.
 */
async function boughtFor(store: Store, payouts: readonly PayoutRecord[]): Promise<Map<string, string>> {
  const retried = new Map<string, string>();
  for (const payout of payouts) {
    for (const earlier of [...earlierReferences(payout), payout.reference]) retried.set(earlier, payout.reference);
  }
  const booked = (await store.bookedExchangesOf([...retried.keys()])).map(({ reference }) => reference);
  const accounts = new Map<string, string>();
  for (const payout of await store.payoutsOf(booked)) {
    const sent = orderAsked(await store.attempts(orderReference(payout, 'exchange')));
    const account = sent !== undefined && 'buyAccountId' in sent ? sent.buyAccountId : payout.assessed?.payingAccountId;
    accounts.set(retried.get(payout.reference) ?? '', account ?? '');
  }
  const waited = (await store.payoutsOf([...retried.keys()])).filter(({ instruction }) => instruction.exchanged_by);
  const exchanges = await store.payoutsOf([
    ...new Set(waited.map(({ instruction }) => instruction.exchanged_by ?? '')),
  ]);
  const boughtNothing = await provenUnpaid(store, exchanges);
  for (const { reference, instruction } of waited) {
    if (boughtNothing.has(instruction.exchanged_by ?? '')) continue;
    accounts.set(retried.get(reference) ?? '', instruction.paying_account_id ?? '');
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

interface RetryFacts {
  isUnpaid: boolean;
  isDoubtful: boolean;
  /** What the bank's lists have against it. */
  shown: string | undefined;
  /** The incident about money that came back, which nobody has acknowledged. */
  toAgree: string | undefined;
}

function brokenBecause(
  { instruction }: ClaimRow,
  before: PayoutRecord | undefined,
  { isUnpaid, isDoubtful, shown, toAgree }: RetryFacts,
): Omit<BrokenRetry, 'row'> | undefined {
  const { uid, id } = instruction;
  if (before?.kind !== 'payout' || before.uid !== uid || before.documentId !== id) return UNKNOWN;
  if (isUnpaid && !isDoubtful && shown === undefined) return undefined;
  if (isUnpaid && !isDoubtful && before.state === 'completed') {
    const message = `its money came back by a statement, and the bank's list of orders does not show that (${shown}); wait until it does, or pay it under a new document id; nothing was sent`;
    return { rule: 'retry-not-proven', message };
  }
  if (isUnpaid && !isDoubtful) {
    return {
      rule: 'retry-not-proven',
      message: `it is not proven that the earlier payout moved no money: ${shown}; nothing was sent`,
    };
  }
  if (toAgree !== undefined && !isDoubtful) {
    const agree = `payouts acknowledge ${toAgree} agrees that it may be paid again`;
    return { rule: 'retry-not-proven', message: `the money of the earlier payout came back; ${agree}` };
  }
  if (before.state === 'completed' && !isDoubtful) {
    const { code, message = 'none of it is known to have come back' } = shownStateOf(before).reason ?? {};
    const part = code === 'partly-returned' ? '; an amount up to that may be paid again' : '';
    return { rule: 'retry-not-proven', message: `the earlier payout is completed: ${message}${part}` };
  }
  const but = isDoubtful ? ', but the bank shows an order that contradicts this' : '';
  return {
    rule: 'retry-not-proven',
    message: `it is not proven that the earlier payout moved no money (${before.state}${but}); wait until it ends, or have an operator resolve it`,
  };
}

/** Gives a row the ids under which it is claimed, started and paid. */
export function claimRow({
  row,
  instruction,
  generation = 0,
  original,
}: Pick<ClaimRow, 'row' | 'instruction' | 'generation' | 'original'>): ClaimRow {
  const reference = referenceOf(instruction.uid, instruction.id, 'payment', generation);
  return {
    row,
    reference,
    workflowId: payoutWorkflowId(reference),
    instruction,
    payloadDigest: payloadDigest(instruction),
    ...(generation === 0 ? {} : { generation }),
    ...(original === undefined ? {} : { original }),
    lookAlikeKey: lookAlikeKey(instruction),
  };
}
