import type { OrderScan } from '../bank/bank.ts';
import { readIfThere } from '../bank/bank-orders.ts';
import { clocksDisagree, inAnyZone, isReached, listedFrom } from '../bank/bank-time.ts';
import { isBankError } from '../bank/errors.ts';
import { shared } from '../bank/shared-reads.ts';
import type { LookDoubt } from '../domain/absence.ts';
import { payoutWorkflowId } from '../domain/names.ts';
import { isTerminal, stageMeaning } from '../domain/order-status.ts';
import type { DemandedLook } from '../domain/submission.ts';
import { HOUR_MS } from '../domain/time.ts';
import type { ListLook, WatchKey } from '../store/store.ts';
import type { LookAtList, LookDeps, LookRequest, SeenList } from './look-at-list.ts';
import { noteOrders } from './note-orders.ts';

/**
 * Looks at the bank's lists, in this process. All who ask for the same list share a reading, one at a time: the next one goes back
 * as far as any of them asked for, and so proves as much as a reading of its own. Many lost answers, or many rows of a batch, then
 * cost few bank calls. A list that proves something is recorded in the store, so that other processes need not read it.
 *
 * @throws BankError if the bank does not show the list
 */
export function looksAtLists(deps: LookDeps): LookAtList {
  const asked = new Map<string, LookRequest>();
  const look = shared(async (key): Promise<SeenList> => {
    const request = asked.get(key);
    asked.delete(key);
    if (request === undefined) throw new Error('nobody has asked for this list');
    return read(deps, request);
  });
  return (request) => {
    const key = JSON.stringify([request.uid, request.currency]);
    asked.set(key, widest(request, asked.get(key)));
    return look(key);
  };
}

const widest = (one: LookRequest, other: LookRequest = one): LookRequest => ({
  ...one,
  since: Math.min(one.since, other.since),
  from: Math.min(one.from, other.from),
  toProve: one.toProve || other.toProve,
});

async function read(deps: LookDeps, { toProve, since, from, uid, currency }: LookRequest): Promise<SeenList> {
  const key = { uid, currency };
  const beganAt = deps.now();
  const query = { ...key, from: toProve ? inAnyZone(from) : from };
  const scan = await deps.bank.orders.listSettled(query, { pageSize: deps.settings.pageSize });
  if (!toProve) return { ...scan, beganAt, doubt: scan.doubt ?? (scan.stable ? undefined : 'not-stable') };
  const doubt = await doubtOf(deps, key, scan, { since, from, beganAt });
  if (doubt === undefined) await note(deps, key, scan, { from, beganAt });
  return { ...scan, beganAt, doubt };
}

/** How long a bank lists what is completed is not shown (interface section 4), but no list is as short as this. */
const LISTED_MS = HOUR_MS;

async function doubtOf(
  deps: LookDeps,
  key: WatchKey,
  { stable, orders, doubt }: OrderScan,
  { since, from, beganAt }: Pick<LookRequest, 'since' | 'from'> & { beganAt: number },
): Promise<LookDoubt | undefined> {
  if (doubt !== undefined) return doubt;
  if (from > 0 && clocksDisagree(deps)) return 'clocks-apart';
  // A list without one that it must show by now is behind, or is not the list that was asked for.
  const to = beganAt - deps.settings.terms.waits.listLagMs;
  const completedFrom = since === 0 ? beganAt - LISTED_MS : since;
  const accepted = await deps.store.acceptedIn(key, { from: from === 0 ? 0 : since, to, completedFrom });
  const shown = new Set(orders.map(({ order_id }) => order_id));
  if (accepted.some((orderId) => !shown.has(orderId))) return 'incomplete';
  if (await lacksSeen(deps, key, shown, { from: from === 0 ? 0 : since, to })) return 'incomplete';
  return stable ? undefined : 'not-stable';
}

/**
 * Whether the list lacks a payment that a watch has seen under its reference and that is open at the bank: its row may follow no
 * order, as while people say which order pays. Each is read by its id, since the list that has shown it may have been wrong.
 */
async function lacksSeen(
  deps: LookDeps,
  { uid, currency }: WatchKey,
  shown: ReadonlySet<string>,
  { from, to }: { from: number; to: number },
): Promise<boolean> {
  const open = await deps.store.openOrders({ uid, currency }, from);
  const missing = open.flatMap(({ reference, workflowId, orderId, openedAt }) => {
    const isMissing = orderId !== null && !shown.has(orderId) && openedAt <= to;
    // A bank may list an exchange under one of its currencies only.
    return isMissing && workflowId === payoutWorkflowId(reference) ? [orderId] : [];
  });
  for (const orderId of missing) {
    const order = await readIfThere(deps, orderId);
    const isListedHere = order?.transaction_currency === currency && (order.transaction_uid ?? uid) === uid;
    if (isListedHere && !isTerminal(stageMeaning(order.stage, deps.settings.terms.closedMeans))) return true;
  }
  return false;
}

/** Notes what the list shows, then that it was looked at. A look whose orders could not be noted is not recorded. */
async function note(
  deps: LookDeps,
  key: WatchKey,
  { orders }: OrderScan,
  { from, beganAt }: { from: number; beganAt: number },
): Promise<void> {
  try {
    await noteOrders(deps, { ...key, since: from }, orders);
  } catch (error) {
    if (!isBankError(error)) throw error;
    return;
  }
  const [before] = await deps.store.looksAt([key]);
  const demanded = await demandedSinceOpening(deps.store, before);
  const isThat =
    demanded !== undefined && beganAt >= demanded.after && isReached(deps, from, listedFrom(deps, demanded.from));
  await deps.store.recordLook({ ...key, beganAt, reachesFrom: from, resumption: isThat ? beganAt : null });
}

/** Nobody has sent from the store, and others may have sent what it is asked to send. */
const NEVER_OPENED = { at: 0, from: 0 };

/** The look at a list that is demanded because senders have opened the store anew since the last one; undefined: none. */
export async function demandedSinceOpening(
  store: LookDeps['store'],
  look: ListLook | undefined,
): Promise<DemandedLook | undefined> {
  const looked = look?.resumption ?? undefined;
  const { at, from } = (await store.resumed(looked)) ?? NEVER_OPENED;
  return looked !== undefined && looked >= at ? undefined : { after: at, from };
}
