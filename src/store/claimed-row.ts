import { type Claim, StoreMismatch, Superseded } from '../domain/claim.ts';
import { referenceOf } from '../domain/identity.ts';
import { type OrderKind, orderKindsOf } from '../domain/names.ts';
import { isEnd, type StoredState } from '../domain/payout-state.ts';
import type { PayoutRecord, Store } from './store.ts';

export interface Sender {
  store: Store;
  now: () => number;
  /** Throws a `StoreMismatch` when the store, the bank or the namespace is not the one this worker was started with. */
  assertIdentity(): Promise<void>;
}

/** The sender, as identified by Temporal. */
export interface Caller {
  workflowId: string;
  runId: string;
  activityId: string;
}

/**
 * The row, for the run that holds its claim. The run id comes from Temporal, not from the caller: knowing somebody else's claim
 * is not enough.
 *
 * @throws StoreMismatch in another store, Superseded for another run and after an end
 */
export async function claimedRow(store: Store, claim: Claim, runId: string): Promise<PayoutRecord> {
  await assertSameStore(store, claim);
  const row = await store.payout(claim.reference);
  if (row === undefined || row.term !== claim.term || row.claimRunId !== runId || isEnd(row.state)) {
    throw new Superseded();
  }
  return row;
}

/** @throws StoreMismatch in another store, Superseded in one that replaced the claim's own */
async function assertSameStore(store: Store, { storeId }: Claim): Promise<void> {
  if (storeId === store.id) return;
  if (await store.hasReplaced(storeId)) throw new Superseded('another store has taken the place of its own');
  throw new StoreMismatch(`the payout belongs to store ${storeId}, and this worker has store ${store.id}`);
}

/**
 * Moves the claim to its next term. A worker that stalled may begin a task minutes after the workflow gave it up; under the old
 * term it can record and send nothing.
 *
 * @throws StoreMismatch in another store, Superseded if the run does not hold the claim
 */
export async function renewClaim(
  { store, now }: Sender,
  { runId }: Caller,
  { claim }: { claim: Claim },
): Promise<Claim> {
  const { reference, term } = claim;
  await assertSameStore(store, claim);
  const renewed = await store.renewClaim({ reference, term, runId, at: now() });
  if (renewed === undefined) throw new Superseded();
  return { ...claim, term: renewed };
}

/** Reference of an order of a payout: its own, or the derived one of its exchange. */
export function orderReference(
  { uid, documentId, generation }: Pick<PayoutRecord, 'uid' | 'documentId' | 'generation'>,
  orderKind: OrderKind,
): string {
  return referenceOf(uid, documentId, orderKind, generation);
}

/** References of every order that the row may send, its own first. */
export function orderReferences(row: PayoutRecord): Partial<Record<OrderKind, string>> {
  return Object.fromEntries(orderKindsOf(row.kind).map((orderKind) => [orderKind, orderReference(row, orderKind)]));
}

/** `claimedRow`, with its state corrected if the store was replaced by an older copy, so that people see what awaits them. */
export async function rowAsRecorded(
  { store, now }: { store: Store; now: () => number },
  claim: Claim,
  runId: string,
  recorded: StoredState | undefined,
): Promise<PayoutRecord> {
  const row = await claimedRow(store, claim, runId);
  if (recorded === undefined || row.state === recorded.state) return row;
  const { state, reason } = recorded;
  await store.changePayout(row.reference, { state, reason, term: claim.term, at: now() });
  return { ...row, state, reason };
}
