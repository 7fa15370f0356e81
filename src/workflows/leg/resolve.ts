import { condition } from '@temporalio/workflow';
import type { OrderSearch, ShownOrder } from '../../activities/payout/find-order.ts';
import { proofFrom, provenAbsent, type Search, searchDelayMs } from '../../domain/absence.ts';
import { doublingPause } from '../../domain/durations.ts';
import { because, type ReasonCode } from '../../domain/reasons.ts';
import type { ResolveRequest } from '../../domain/resolve-action.ts';
import { afterProvenAbsence, afterUnprovenResend, mayResend, type Submission } from '../../domain/submission.ts';
import { accepted, type PendingResolve, refused } from '../execution/inbox.ts';
import { continueAsNewIfLong } from '../payout/long-history.ts';
import type { OrderLeg, Placed } from './order-leg.ts';
import { type SearchResult, searchUntilSure } from './search.ts';
import { setAside } from './second-orders.ts';

/** `resend`: not found, and the bank is known to recognise the reference: sent again at once, the outcome still in doubt. */
export type Resolved = Placed | { kind: 'resend' };

/**
 * Resolves an unknown outcome by searching for the order: quickly at first, then across the proof window. An order that is found
 * is adopted; one proven absent may be resent, as far as the dedupe trust goes; everything else goes to an operator while the
 * searches continue.
 */
export async function resolveOrder(leg: OrderLeg): Promise<Resolved> {
  const { view, terms } = leg;
  const { waits } = terms;
  if (leg.parked !== null) await view.enter('needs-operator', leg.parked);
  else await view.enter('resolving', because('outcome-unknown'));
  const scans: Search[] = [];
  leg.lastSentAt ??= Date.now();
  let since = leg.lastSentAt;
  let mayResendInDoubt = true;
  view.inbox.take();
  if (view.inbox.noticesFor(leg.reference).length > 0) view.inbox.readAgain();
  for (let n = 0; ; n += 1) {
    if (view.state === 'needs-operator' && leg.holdsNoStatement) continueAsNewIfLong(view);
    const pending = await untilNextSearch(leg, since, n);
    const startedAt = Date.now();
    const search = await searchUntilSure(leg, n, startedAt >= proofFrom(since, waits));
    const found = search === undefined ? 0 : search.orderIds.length + search.accepted.length + search.nearMisses;
    // An order shown once is not proven absent by lists from before it.
    if (found > 0 || search?.hasChanged) scans.length = 0;
    scans.push({ startedAt, stable: search?.stable === true, found });
    if (search !== undefined) {
      if (search.exists) leg.known = { ...leg.known, exists: true };
      // A sender without an answer may still be running: the end of its time counts as the end of the last attempt.
      if (search.liveForMs > 0) since = Math.max(since, Date.now() + search.liveForMs);
      const chosen = chosenOrder(leg, search, pending);
      if (chosen !== undefined) return adopt(leg, chosen, search, pending);
      if (search.conflict !== undefined) await park(leg, search.conflict, whatIsShown(search));
      else if (leg.silence !== undefined && search.unsent.includes(leg.silence.attempt)) {
        return clear(leg, 'the sender has recorded it', wasNothing(leg));
      }
    }
    const conflict = search?.conflict;
    const absent = conflict === undefined && provenAbsent(scans, since, waits);
    const isWindowOver = Date.now() >= proofFrom(since, waits);
    // Absence is proven, and the sender never recorded the attempt, without which nothing leaves.
    const neverCame = absent && leg.silence !== undefined && search?.recorded.includes(leg.silence.attempt) === false;
    if (neverCame) leg.known = wasNothing(leg);
    if (pending !== undefined && pending.answer === undefined) {
      const seen = search && { absent, isOpen: (search.ours ?? found) === 0 && isWindowOver };
      const decided = decideByOperator(leg, pending, seen);
      if (decided !== undefined) return decided;
    }
    if (view.state === 'needs-operator' && view.reason?.code !== PROVED_NOTHING) continue;
    const dedupe = search?.distrusted ? 'none' : terms.referenceDedupe;
    const stableSearches = scans.filter((scan) => scan.stable && scan.found === 0).length;
    const isFree = search !== undefined && search.liveForMs === 0 && (absent || search.switchedOff === undefined);
    // No attempt is known that a send could repeat.
    if (isFree && absent && leg.parked === null && (neverCame || !leg.hasLeft)) {
      return clear(leg, 'negative proof', leg.known);
    }
    if (isFree && leg.hasLeft && mayResend(dedupe, leg.known, { absent, stableSearches, isWindowOver })) {
      if (absent) return clear(leg, 'negative proof');
      // An order in doubt cannot be stopped; after a cancel or rejection it is not resent either: the cancel counts once absence
      // is proven.
      const isWanted = !view.inbox.wantsCancel && view.question.rejectedBy === undefined;
      if (isWanted) mayResendInDoubt &&= await isAsApproved(leg);
      if (isWanted && mayResendInDoubt) return again(leg);
    }
    if (absent) await park(leg, 'order-not-found');
    else if (searchDelayMs(n + 1, waits) === undefined) await park(leg, PROVED_NOTHING, search && whyNothing(search));
  }
}

/** What keeps the lists from proving anything, if known. */
function whyNothing(search: OrderSearch): string | undefined {
  const { clocksApart, doubt, incomplete, indistinct } = search;
  if (clocksApart) return CLOCKS;
  if (doubt !== undefined) return `the list of the bank shows ${doubt}: ask the bank why`;
  if (incomplete) return INCOMPLETE;
  return indistinct > 0 ? `${INDISTINCT} (${whatIsShown(search)})` : undefined;
}

const INCOMPLETE = 'the list of the bank lacks orders that it has accepted: ask the bank why';
const INDISTINCT =
  'the bank shows an order for the same money, fees aside, without its reference, which may be this one: ask the bank whose it is';
const CLOCKS = "the bank's clock is too far from ours for a list to prove anything; payouts doctor says how far";

/** The only reason that needs no decision: a later proof still counts. */
const PROVED_NOTHING: ReasonCode = 'outcome-unknown';

/**
 * Nothing was executed: the same reference may be sent again, through the gates. `known`: what is known without an attempt that
 * sent nothing.
 */
function clear(leg: OrderLeg, why: string, known?: Submission): Resolved {
  const isRepeated = known === undefined && leg.hasLeft;
  leg.view.note(
    isRepeated ? `${why}: the same reference is sent again with the same bytes` : `${why}: nothing was sent`,
  );
  leg.known = isRepeated ? afterProvenAbsence(leg.known) : { ...(known ?? leg.known), tainted: false, doubted: [] };
  leg.silence = undefined;
  leg.parked = null;
  return { kind: 'gates' };
}

/** What was known before the attempt that turned out to have sent nothing: neither it nor the proof before it counts twice. */
function wasNothing({ known, silence }: OrderLeg): Submission {
  if (silence === undefined) return known;
  return { ...known, lastLeft: silence.before.lastLeft, resends: silence.before.resends };
}

function again(leg: OrderLeg): Resolved {
  leg.view.note('not seen: the same reference is sent again with the same bytes');
  leg.known = afterUnprovenResend(leg.known);
  return { kind: 'resend' };
}

/**
 * Reads payee, fee and the orders of earlier generations again before an order in doubt is resent: only what was approved is sent,
 * and nothing that an earlier generation may have paid; otherwise the proof is awaited, after which the gates say what is in the way.
 */
async function isAsApproved({ plan, view }: OrderLeg): Promise<boolean> {
  const { digest, earlierOpen } = await plan.assess();
  const same = digest === view.digest && earlierOpen === undefined;
  if (!same) view.note('not what was approved any more: nothing is sent again before the proof');
  return same;
}

/** The only order found as sent, the one among several that an operator names, or the one that two people say it is. */
function chosenOrder(
  leg: OrderLeg,
  search: SearchResult,
  pending: PendingResolve<ResolveRequest> | undefined,
): ShownOrder | undefined {
  const asSent = search.orderIds.map((orderId): ShownOrder => ({ orderId, differences: [] }));
  if (search.conflict === undefined && asSent.length > 0) return asSent[0];
  if (pending?.request.action !== 'adopt-order') return undefined;
  const { by, orderId } = pending.request;
  const named = (shown: ShownOrder): boolean => shown.orderId === orderId;
  if (search.conflict === 'duplicate-suspected') return asSent.find(named);
  const shown = search.shown?.find(named);
  if (shown === undefined || shown.differences.length === 0) return shown;
  if (leg.adoptsDespite(shown, by)) return shown;
  const message = `it differs from what was sent in ${shown.differences.join(', ')}; this is noted, and a second person with evidence may adopt it`;
  leg.view.inbox.answer(pending, refused(message));
  return undefined;
}

async function adopt(
  leg: OrderLeg,
  { orderId, differences }: ShownOrder,
  search: SearchResult,
  pending: PendingResolve<ResolveRequest> | undefined,
): Promise<Resolved> {
  const { view, plan } = leg;
  for (const other of search.orderIds) if (other !== orderId) setAside(leg, other);
  leg.despite = differences;
  if (plan.endsPayout) view.orderId = orderId;
  if (pending !== undefined) {
    view.inbox.answer(pending, accepted(`the bank shows order ${orderId}; it is followed`));
  }
  await view.enter(plan.following);
  return { kind: 'placed', orderId, readsAtOnce: true };
}

/** Text for people, who must name one of these orders. */
function whatIsShown({ shown = [] }: OrderSearch): string | undefined {
  if (shown.length === 0) return undefined;
  const [some, rest] = [shown.slice(0, SHOWN_AT_MOST), shown.length - SHOWN_AT_MOST];
  const listed = some.map(({ orderId, differences }) =>
    differences.length > 0 ? `order ${orderId}, other ${differences.join(', ')}` : `order ${orderId}`,
  );
  return `${listed.join('; ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

const SHOWN_AT_MOST = 3;

/** Waits until the next search is due, an order is reported, or an operator asks; returns the operator's request. */
async function untilNextSearch(
  { view, terms: { waits } }: OrderLeg,
  since: number,
  n: number,
): Promise<PendingResolve<ResolveRequest> | undefined> {
  const { inbox } = view;
  const planned = view.state === 'needs-operator' ? undefined : searchDelayMs(n, waits);
  const wait =
    planned === undefined
      ? doublingPause(n, waits.lookAgainMs, waits.lookAgainMaxMs * 12)
      : since + planned - Date.now();
  if (wait > 0) await condition(() => inbox.resolves.length > 0 || inbox.hasNews, wait);
  inbox.take();
  return inbox.asked;
}

async function park({ view }: OrderLeg, reason: ReasonCode, detail?: string): Promise<void> {
  if (view.state === 'needs-operator' && view.reason?.code === reason) return;
  await view.enter('needs-operator', because(reason, detail));
}

/**
 * Checks an operator's request against what the bank has just shown; `seen` is undefined if it did not answer. `isOpen`: the
 * proof window is over, and no order shown looks like ours: two people with evidence may then close what the searches cannot.
 */
function decideByOperator(
  leg: OrderLeg,
  pending: PendingResolve<ResolveRequest>,
  seen: { absent: boolean; isOpen: boolean } | undefined,
): Resolved | undefined {
  const { action, by } = pending.request;
  const { known, terms } = leg;
  const answer = (accepted: boolean, message: string): undefined => {
    leg.view.inbox.answer(pending, { accepted, message });
    return undefined;
  };
  const close = (message: string, people = by): Resolved => {
    answer(true, message);
    return { kind: 'unpaid', state: 'failed', reason: because('closed-by-operator', `by ${people}`) };
  };
  if (action === 'keep-looking') return answer(true, 'looked again; nothing new');
  if (seen === undefined)
    return answer(false, 'the bank did not answer just now, and only what it shows decides; try again');
  const { absent, isOpen } = seen;
  switch (action) {
    case 'adopt-order':
      return answer(false, 'the bank does not show that order under this reference, as it was sent');
    case 'resend':
      if (!absent) return answer(false, 'absence is not proven');
      if (known.exists) return answer(false, 'the bank says that it has this reference');
      if (leg.hasLeft && terms.referenceDedupe === 'none') {
        return answer(false, 'the bank is not trusted to recognise a reference (dedupe "none")');
      }
      answer(true, 'the same reference is sent again');
      return clear(leg, `asked for by ${by}`);
    case 'close-as-not-paid': {
      if (absent && !known.exists) return close('closed as not paid');
      if (!isOpen) return answer(false, 'absence is not proven');
      const people = leg.people.agree(action, by);
      if (people !== undefined) return close('closed as not paid by two people', people);
      return answer(false, 'absence is not proven: noted, and a second person with evidence may close it');
    }
  }
}
