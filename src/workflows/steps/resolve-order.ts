import { condition, patched } from '@temporalio/workflow';
import { orderDifferences } from '../../domain/order-judgement.ts';
import type { Reason } from '../../domain/payout-state.ts';
import { doublingPause, type ReferenceDedupe, type Terms } from '../../domain/policy.ts';
import { because, type ReasonCode } from '../../domain/reasons.ts';
import {
  cleared,
  lookAt,
  mayResend,
  provenAbsent,
  resent,
  type Scan,
  type Submission,
} from '../../domain/submission.ts';
import type { SwitchScope } from '../../domain/switches.ts';
import type { PendingResolve } from '../handlers.ts';
import type { PayoutLife } from '../life.ts';
import { looks } from '../proxies.ts';
import { setAside } from './second-orders.ts';
import type { OrderRequest, SubmissionProgress } from './submit-order.ts';

export type Resolved =
  | { kind: 'placed'; orderId: string; adopted: true }
  | { kind: 'closed'; reason: Reason }
  /** Proven to have been nothing: it may be sent again, through the gates. */
  | { kind: 'cleared' }
  /** Not seen, and the bank is known to recognise the reference: sent again at once, the outcome still in doubt. */
  | { kind: 'resend' };

/**
 * Settles an unknown outcome by looking for the order: quickly at first, then across the window in which the bank may
 * still commit. What is found is adopted; what is proven absent may be sent again once, as far as the dedupe trust goes;
 * everything else waits with an operator and keeps looking on its own.
 */
export async function resolveOrder(
  life: PayoutLife,
  request: OrderRequest,
  terms: Terms,
  progress: SubmissionProgress,
): Promise<Resolved> {
  if (progress.parked) await park(life, 'workflow-closed');
  else await life.enter('resolving', because('outcome-unknown'));
  const since = progress.lastSentAt ?? Date.now();
  const scans: Scan[] = [];
  let heard = life.orderHeardOf(request.expected.reference) === undefined ? life.heard : life.heard - 1;
  for (let n = 0; ; n += 1) {
    const pending = await untilNextLook(life, terms, { since, n, heard });
    heard = life.heard;
    const startedAt = Date.now();
    const look = await lookOnce(life, request, progress, n);
    scans.push({ startedAt, stable: look.stable, found: look.orderIds.length + look.accepted.length });

    if (look.exists) progress.known = { ...progress.known, exists: true };
    const chosen = chosenOrder(look, pending);
    if (chosen !== undefined) return adopt(life, request, chosen, look, pending);
    if (look.conflict !== undefined) await park(life, look.conflict);

    let dedupe = look.distrusted ? 'none' : terms.referenceDedupe;
    const absent = look.conflict === undefined && (nothingWasSent(progress) || provenAbsent(scans, since, terms.waits));
    const stableLooks = scans.filter((scan) => scan.stable && scan.found === 0).length;
    if (pending !== undefined) {
      const decided = decideByOperator(pending, progress.known, {
        conflict: look.conflict !== undefined,
        absent,
        dedupe,
      });
      if (decided !== undefined) return withProof(progress, decided);
    }
    if (life.state === 'needs-operator' && !decidesItself(life)) continue;
    // What is proven absent goes back to the gates, which know of the switch; the looks go on whatever is off.
    if (look.switchedOff !== undefined && !absent) dedupe = 'none';
    if (mayResend(dedupe, progress.known, absent, stableLooks)) {
      life.note(`${absent ? 'negative proof' : 'not seen'}: the same reference is sent again with the same bytes`);
      return withProof(progress, { kind: absent || !patched('resend-in-doubt') ? 'cleared' : 'resend' });
    }
    if (absent) await park(life, 'order-not-found');
    else if (lookAt(n + 1, terms.waits) === undefined) await park(life, 'outcome-unknown');
  }
}

/**
 * Parked only because the looks proved nothing so far: what proves something later counts as it would have before. Every
 * other reason needs a decision or an order.
 */
function decidesItself({ reason }: PayoutLife): boolean {
  return reason?.code === 'outcome-unknown' && patched('parked-looks-decide');
}

/** The one order found as it was sent, or the one among several that an operator names. */
function chosenOrder(look: Looked, pending: PendingResolve | undefined): string | undefined {
  if (look.conflict === undefined) return look.orderIds[0];
  const { action, orderId } = pending?.request ?? {};
  const named = action === 'adopt-order' && look.conflict === 'duplicate-suspected';
  return named && orderId !== undefined && look.orderIds.includes(orderId) ? orderId : undefined;
}

/** Neither by an earlier run nor by this one. */
const nothingWasSent = ({ nothingSent, known }: SubmissionProgress): boolean => nothingSent && known.attempts === 0;

function withProof(progress: SubmissionProgress, resolved: Resolved): Resolved {
  if (resolved.kind === 'cleared') {
    progress.known = cleared(progress.known);
    progress.parked = false;
  }
  if (resolved.kind === 'resend') progress.known = resent(progress.known);
  return resolved;
}

async function adopt(
  life: PayoutLife,
  { expected }: OrderRequest,
  orderId: string,
  look: Looked,
  pending: PendingResolve | undefined,
): Promise<Resolved> {
  for (const other of look.orderIds) if (other !== orderId) setAside(life, other);
  if (expected.kind === 'payment') life.orderId = orderId;
  await life.enter(expected.kind === 'payment' ? 'processing' : 'converting');
  if (pending !== undefined)
    pending.answer = { accepted: true, message: `the bank shows order ${orderId}; it is followed` };
  return { kind: 'placed', orderId, adopted: true };
}

/** Waits for the next look's time, news of an order, or an operator; returns the operator's request. */
async function untilNextLook(
  life: PayoutLife,
  { waits }: Terms,
  { since, n, heard }: { since: number; n: number; heard: number },
): Promise<PendingResolve | undefined> {
  const planned = life.state === 'needs-operator' ? undefined : lookAt(n, waits);
  const wait =
    planned === undefined
      ? doublingPause(n, waits.lookAgainMs, waits.lookAgainMaxMs * 12)
      : since + planned - Date.now();
  if (wait > 0) await condition(() => life.resolves.length > 0 || life.heard > heard, wait);
  return life.resolves.shift();
}

interface Looked {
  orderIds: string[];
  /** Order ids recorded as accepted, whether they are seen or not. */
  accepted: readonly string[];
  stable: boolean;
  conflict?: ReasonCode;
  /** Some attempt was answered with 2003, whether or not its sender could report it. */
  exists?: boolean;
  /** The bank has doubled an order of this user: nothing is sent again on its word. */
  distrusted?: boolean;
  /** A switch forbids to send again now. */
  switchedOff?: SwitchScope;
}

async function lookOnce(
  life: PayoutLife,
  request: OrderRequest,
  progress: SubmissionProgress,
  n: number,
): Promise<Looked> {
  const { expected, currencies } = request;
  const since = progress.firstSentAt ?? Date.now();
  const look = await looks.findOrder
    .executeWithOptions({ summary: `look ${n + 1} for the order of this reference` }, [
      { reference: expected.reference, uid: expected.uid, currencies, since },
    ])
    .catch(() => undefined);
  if (look === undefined) {
    life.note(`look ${n + 1}: the bank did not answer`);
    return { orderIds: [], accepted: [], stable: false };
  }
  progress.othersInDoubt = look.othersInDoubt;
  if (look.inForce !== undefined) request.expect(look.inForce);
  const differences = [...new Set(look.orders.flatMap((order) => orderDifferences(order, expected, look.accepted)))];
  life.note(
    `look ${n + 1}: ${look.orders.length} found among ${look.ordersRead} orders on ${look.pagesRead} pages, ` +
      `${look.stable ? 'stable' : 'not stable'}${differences.length > 0 ? `, other ${differences.join(', ')}` : ''}`,
  );
  const orderIds = look.orders.map((order) => order.orderId);
  // One order was accepted and another is shown: which of them pays is for people to say.
  const otherAccepted = orderIds.length > 0 && look.accepted.some((orderId) => !orderIds.includes(orderId));
  const conflict: ReasonCode | undefined =
    orderIds.length > 1 || otherAccepted
      ? 'duplicate-suspected'
      : differences.length > 0 || look.nearMisses > 0
        ? 'reference-conflict'
        : undefined;
  return {
    orderIds,
    accepted: look.accepted,
    stable: look.stable,
    conflict,
    distrusted: look.distrusted,
    switchedOff: look.switchedOff,
    exists: look.exists,
  };
}

async function park(life: PayoutLife, reason: ReasonCode): Promise<void> {
  if (life.state === 'needs-operator' && life.reason?.code === reason) return;
  await life.enter('needs-operator', because(reason));
}

/** An operator's wish, checked against what the bank has just shown. */
function decideByOperator(
  pending: PendingResolve,
  known: Submission,
  { conflict, absent, dedupe }: { conflict: boolean; absent: boolean; dedupe: ReferenceDedupe },
): Resolved | undefined {
  const { action, by } = pending.request;
  const refuse = (message: string): undefined => {
    pending.answer = { accepted: false, message };
    return undefined;
  };
  switch (action) {
    case 'keep-looking':
      pending.answer = { accepted: true, message: 'looked again; nothing new' };
      return undefined;
    case 'adopt-order':
      return refuse('the bank does not show that order under this reference, as it was sent');
    case 'resend':
    case 'close-as-not-paid':
      if (conflict || !absent) return refuse('absence is not proven');
      if (known.exists) return refuse('the bank says that it has this reference (code 2003)');
      break;
  }
  if (action === 'resend') {
    if (known.attempts > 0 && dedupe === 'none') {
      return refuse('the bank is not trusted to recognise a reference (dedupe "none")');
    }
    pending.answer = { accepted: true, message: 'the same reference is sent again' };
    return { kind: 'cleared' };
  }
  pending.answer = { accepted: true, message: 'closed as not paid' };
  return { kind: 'closed', reason: because('closed-by-operator', `by ${by}`) };
}
