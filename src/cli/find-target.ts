import { parseWorkflowId } from '../domain/names.ts';
import { Problem } from '../domain/problem.ts';
import { groupedAmount, shortId } from '../reports/display.ts';
import { visible } from '../rules/finding.ts';
import type { BatchRecord, PayoutRecord, Store } from '../store/store.ts';
import { unknownId } from './print-report.ts';

export type Target = { kind: 'batch'; batch: BatchRecord } | { kind: 'payout'; payout: PayoutRecord };

const LATEST = 'latest';
/** A shorter prefix would match too much. */
const PREFIX_MIN = 4;
const CANDIDATES_MAX = 10;

/**
 * What an ID refers to: a batch, or one payout by reference, workflow id, order id or document id; a unique prefix of one of
 * these; or `latest`, the newest batch. An exact match wins over a prefix; of a document that was paid again, the last generation
 * is taken. Throws a `Problem` that lists the candidates if there are several.
 */
export async function findTarget(store: Store, id: string): Promise<Target> {
  if (id === LATEST) {
    const [batch] = await store.batches(1);
    if (batch === undefined) throw unknownId(id);
    return { kind: 'batch', batch };
  }
  const parsed = parseWorkflowId(id);
  const key = parsed?.key ?? id;
  const batch = await store.batch(key);
  if (batch !== undefined && parsed?.kind !== 'payout') return { kind: 'batch', batch };
  const exact = lastGenerations(await store.findPayouts(id, CANDIDATES_MAX));
  const found = exact.length > 0 ? exact.map(asTarget) : await beginningWith(store, key, parsed?.kind);
  const [target] = found;
  if (target === undefined) throw unknownId(id);
  if (found.length > 1) throw ambiguous(id, found);
  return target;
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

/** The batch that an ID refers to; for a payout, its batch. Throws if the payout has none. */
export async function findBatch(store: Store, id: string): Promise<string> {
  const target = await findTarget(store, id);
  if (target.kind === 'batch') return target.batch.batchId;
  if (target.payout.batchId !== null) return target.payout.batchId;
  throw new Problem('not-found', 'no-batch', `"${visible(id)}" is a payout without a batch.`, {
    hint: `payouts status ${shortId(target.payout.reference)} shows it.`,
  });
}
