import { holdsCardNumber } from '../domain/card-number.ts';
import { shortId } from '../domain/display.ts';
import { visible } from '../domain/finding.ts';
import { pagesOf } from '../domain/iterate.ts';
import { groupedAmount } from '../domain/money.ts';
import { cardWorkflowId, parseWorkflowId, WHAT_AN_ID_IS } from '../domain/names.ts';
import { Problem } from '../domain/problem.ts';
import type { CardRecord } from '../store/card-store.ts';
import type { BatchRecord, PayoutRecord, Store } from '../store/store.ts';
import type { Caller } from './http/callers.ts';
import { maySee, maySeeCard, maySeePayout } from './http/may-see.ts';

export type Target = { kind: 'batch'; batch: BatchRecord } | { kind: 'payout'; payout: PayoutRecord };

/** Of a command, which sees everything in the store that it can read. */
const EVERYTHING: Caller = { name: undefined };

const LATEST = 'latest';
/** A shorter prefix would match too much. */
const PREFIX_MIN = 4;
const CANDIDATES_MAX = 10;
const BATCHES_AT_ONCE = 10;

/**
 * What an ID refers to: a batch, or one payout by reference, workflow id, order id or document id; a unique prefix of one of
 * these; or `latest`, the newest batch. An exact match wins over a prefix; of a document that was paid again, the last generation
 * is taken. Throws a `Problem` that lists the candidates if there are several. What the caller may not see does not exist.
 */
export async function findTarget(store: Store, id: string, caller: Caller = EVERYTHING): Promise<Target> {
  const isSeen = async (target: Target): Promise<boolean> =>
    target.kind === 'batch' ? maySee(caller, store, target.batch) : maySeePayout(caller, target.payout);
  if (id === LATEST) return newestBatch(store, caller);
  const parsed = parseWorkflowId(id);
  const key = parsed?.key ?? id;
  const batch = await store.batch(key);
  if (batch !== undefined && parsed?.kind !== 'payout') return seen({ kind: 'batch', batch }, isSeen, id);
  const exact = lastGenerations(await store.findPayouts(id, CANDIDATES_MAX));
  const all = exact.length > 0 ? exact.map(asTarget) : await beginningWith(store, key, parsed?.kind);
  const found: Target[] = [];
  for (const candidate of all) if (await isSeen(candidate)) found.push(candidate);
  const [target] = found;
  if (target === undefined) throw unknownId(id);
  if (found.length > 1) throw ambiguous(id, found);
  return target;
}

async function newestBatch(store: Store, caller: Caller): Promise<Target> {
  const behind = (last?: BatchRecord) => store.batches(BATCHES_AT_ONCE, last);
  for await (const page of pagesOf(BATCHES_AT_ONCE, behind)) {
    for (const batch of page) if (await maySee(caller, store, batch)) return { kind: 'batch', batch };
  }
  throw unknownId(LATEST);
}

async function seen(target: Target, isSeen: (it: Target) => Promise<boolean>, id: string): Promise<Target> {
  if (await isSeen(target)) return target;
  throw unknownId(id);
}

async function beginningWith(store: Store, prefix: string, kind: 'batch' | 'payout' | undefined): Promise<Target[]> {
  if (prefix.length < PREFIX_MIN) return [];
  const batches = kind === 'payout' ? [] : await store.batchesBeginning(prefix, CANDIDATES_MAX);
  const payouts = kind === 'batch' ? [] : await store.payoutsWithPrefix(prefix, CANDIDATES_MAX);
  return [...batches.map((batch): Target => ({ kind: 'batch', batch })), ...lastGenerations(payouts).map(asTarget)];
}

const asTarget = (payout: PayoutRecord): Target => ({ kind: 'payout', payout });

/** Earlier generations of a document are proven to have moved no money: nothing is left to decide about them. */
function lastGenerations(payouts: readonly PayoutRecord[]): PayoutRecord[] {
  const documents = Map.groupBy(payouts, ({ kind, uid, documentId }) => JSON.stringify([kind, uid, documentId]));
  return [...documents.values()].flatMap((group) => group.toSorted((a, b) => b.generation - a.generation).slice(0, 1));
}

function ambiguous(id: string, found: readonly Target[]): Problem {
  const shown = found.slice(0, CANDIDATES_MAX).map(candidateText);
  const more = found.length >= CANDIDATES_MAX ? '; and possibly more' : '';
  return new Problem('usage', 'ambiguous-id', `"${visible(id)}" is ambiguous: ${shown.join('; ')}${more}.`, {
    hint: 'Give more characters of the id, or the reference.',
  });
}

function candidateText(target: Target): string {
  if (target.kind === 'batch') return `batch ${target.batch.batchId} (${visible(target.batch.file)})`;
  const { reference, uid, documentId, instruction } = target.payout;
  const { amount, currency } = instruction;
  return `payout ${reference} (${visible(documentId)} of ${visible(uid)}, ${groupedAmount(amount)} ${currency})`;
}

export function unknownId(id: string): Problem {
  return new Problem('not-found', 'unknown-id', `Nothing was found for "${visible(id)}".`, {
    hint: `${WHAT_AN_ID_IS} \`payouts list\` shows batches.`,
  });
}

/** The batch of a target; for a payout, its batch. Throws if the payout has none. */
export function batchIdOf(target: Target, id: string): string {
  if (target.kind === 'batch') return target.batch.batchId;
  if (target.payout.batchId !== null) return target.payout.batchId;
  throw new Problem('not-found', 'no-batch', `"${visible(id)}" is a payout without a batch.`, {
    hint: `payouts status ${shortId(target.payout.reference)} shows it.`,
  });
}

/**
 * The card payment with this merchant_request_id, payment id or workflow id. Throws a `Problem` if there is none, or the caller may
 * not see it.
 */
export async function visibleCard(
  { store, caller }: { store: Store; caller: Caller },
  id: string,
): Promise<CardRecord> {
  const record = await store.cards.find(requestIdOf(id));
  if (record !== undefined && maySeeCard(caller, record)) return record;
  throw unknownCard();
}

/** The id as stored: a workflow id loses its prefix. */
export function requestIdOf(id: string): string {
  const prefix = cardWorkflowId('');
  return id.startsWith(prefix) ? id.slice(prefix.length) : id;
}

/** Throws a `Problem` for what may be a card number: it is no id, and belongs into no address or log. */
export function assertNoCardNumber(id: string): void {
  if (holdsCardNumber(id)) throw unknownCard();
}

export function unknownCard(): Problem {
  return new Problem('not-found', 'unknown-id', 'No card payment is known under this ID.', {
    hint: 'An ID is a merchant_request_id, a payment id or a workflow id; `payouts card list` shows them.',
  });
}
