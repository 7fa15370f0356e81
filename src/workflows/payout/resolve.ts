import { condition, sleep } from '@temporalio/workflow';
import type { OrderSearch, ShownOrder } from '../../activities/find.ts';
import { doubtInWords, proofFrom, provenAbsent, type Search, searchDelayMs } from '../../domain/absence.ts';
import type { ResolveRequest } from '../../domain/payout-state.ts';
import { because, type ReasonCode } from '../../domain/reasons.ts';
import { afterProvenAbsence, afterUnprovenResend, mayResend, type Submission } from '../../domain/submission.ts';
import { doublingPause } from '../../domain/time.ts';
import { accepted, type PendingResolve, refused } from '../execution.ts';
import { answerOrUndefined, listScans } from '../proxies.ts';
import type { Gates } from './gates.ts';
import { type BackToGates, type OrderState, READS_TO_CONFIRM, type Unpaid } from './order-state.ts';
import { continueAsNewIfLong } from './waits.ts';

/** `resend`: not found, and the bank is known to recognise the reference: sent again at once, the outcome still in doubt. */
type Resolved = { kind: 'placed' } | Unpaid | BackToGates | { kind: 'resend' };

/** What the searches of one doubt have shown so far. */
interface Doubt {
  scans: Search[];
  /** When the last attempt ended, epoch ms. */
  since: number;
  /** The payout was, each time it was read again, what had been approved. */
  isAsApproved: boolean;
}

/**
 * Resolves an unknown outcome by searching for the order: quickly at first, then across the proof window. An order that is found
 * is adopted; one proven absent may be resent, as far as the dedupe trust goes; everything else goes to an operator while the
 * searches continue.
 */
export async function resolveOrder(order: OrderState, gates: Gates): Promise<Resolved> {
  const { view, memory } = order;
  const { waits } = order.terms;
  if (order.parked !== null) await view.enter('needs-operator', order.parked);
  else await view.enter('resolving', because('outcome-unknown'));
  memory.lastSentAt ??= Date.now();
  const doubt: Doubt = { scans: [], since: memory.lastSentAt, isAsApproved: true };
  view.inbox.take();
  if (view.inbox.noticesFor(order.reference).length > 0) view.inbox.readAgain();
  for (let n = 0; ; n += 1) {
    if (view.state === 'needs-operator' && order.holdsNoStatement) continueAsNewIfLong(view);
    const pending = await untilNextSearch(order, doubt.since, n);
    const search = await searchOf(order, doubt, n);
    const absent = provenAbsent(doubt.scans, doubt.since, waits);
    const isWindowOver = Date.now() >= proofFrom(doubt.since, waits);
    switch (search?.kind) {
      case 'found':
        return adopt(order, { ...search, differences: [] }, [], pending);
      case 'conflict': {
        const chosen = chosenOrder(order, search, pending);
        if (chosen !== undefined) return adopt(order, chosen, search.listed, pending);
        await park(order, search.reason, whatIsShown(search.shown));
        const decided = decideByOperator(order, pending, { absent, isOpen: !search.isOurs && isWindowOver });
        if (decided !== undefined) return decided;
        continue;
      }
      case 'nothing': {
        const chosen = chosenOrder(order, search, pending);
        if (chosen !== undefined) return adopt(order, chosen, [], pending);
        if (memory.noAnswer !== undefined && search.unsent.includes(memory.noAnswer.attempt)) {
          return clear(order, 'the sender has recorded it', wasNothing(order));
        }
      }
    }
    // Absence is proven, and the sender never recorded the attempt, without which nothing leaves.
    const neverCame =
      absent && memory.noAnswer !== undefined && !(search?.recorded.includes(memory.noAnswer.attempt) ?? true);
    if (neverCame) order.learns(wasNothing(order));
    const seen = search && { absent, isOpen: !search.isOurs && isWindowOver };
    const decided = decideByOperator(order, pending, seen);
    if (decided !== undefined) return decided;
    if (view.state === 'needs-operator' && view.reason?.code !== PROVED_NOTHING) continue;
    const sent = search && (await sentAgain(order, gates, doubt, search, { absent, neverCame, isWindowOver }));
    if (sent !== undefined) return sent;
    if (absent) await park(order, 'order-not-found');
    else if (searchDelayMs(n + 1, waits) === undefined) await park(order, PROVED_NOTHING, search && whyNothing(search));
  }
}

/** One search, as far as it proves anything. */
async function searchOf(order: OrderState, doubt: Doubt, n: number): Promise<SearchResult | undefined> {
  const { scans } = doubt;
  const startedAt = Date.now();
  const search = await searchUntilSure(order, n, startedAt >= proofFrom(doubt.since, order.terms.waits));
  const isShown = search !== undefined && (search.kind !== 'nothing' || search.isOurs);
  // An order shown once is not proven absent by lists from before it.
  if (isShown || search?.hasChanged) scans.length = 0;
  scans.push({ startedAt, isEmpty: search !== undefined && !isShown && search.doubt === undefined });
  if (search === undefined) return undefined;
  if (search.exists) order.learns({ ...order.known, exists: true });
  // A sender without an answer may still be running: the end of its time counts as the end of the last attempt.
  if (search.liveForMs > 0) doubt.since = Math.max(doubt.since, Date.now() + search.liveForMs);
  return search;
}

interface Proof {
  absent: boolean;
  neverCame: boolean;
  isWindowOver: boolean;
}

/** The reference is sent again, if what was shown allows it. */
async function sentAgain(
  order: OrderState,
  gates: Gates,
  doubt: Doubt,
  search: NothingFound,
  { absent, neverCame, isWindowOver }: Proof,
): Promise<Resolved | undefined> {
  const { view, terms } = order;
  const isFree = search.liveForMs === 0 && (absent || search.switchedOff === undefined);
  if (!isFree) return undefined;
  // No attempt is known that a send could repeat.
  if (absent && order.parked === null && (neverCame || !order.hasLeft))
    return clear(order, 'negative proof', order.known);
  const dedupe = search.distrusted ? 'none' : terms.referenceDedupe;
  const stableSearches = doubt.scans.filter(({ isEmpty }) => isEmpty).length;
  if (!order.hasLeft || !mayResend(dedupe, order.known, { absent, stableSearches, isWindowOver })) return undefined;
  if (absent) return clear(order, 'negative proof');
  // An order in doubt cannot be stopped; after a cancel or rejection it is not resent either: the cancel counts once absence is
  // proven.
  if (view.wantsCancel || view.question.rejectedBy !== undefined) return undefined;
  doubt.isAsApproved &&= await isAsApproved(order, gates);
  return doubt.isAsApproved ? again(order) : undefined;
}

/** What keeps the lists from proving anything, if known. */
function whyNothing({ doubt, shown }: NothingFound): string | undefined {
  if (doubt === undefined) return undefined;
  return doubt === 'indistinct' ? `${doubtInWords(doubt)} (${whatIsShown(shown)})` : doubtInWords(doubt);
}

type NothingFound = Extract<SearchResult, { kind: 'nothing' }>;

/** The only reason that needs no decision: a later proof still counts. */
const PROVED_NOTHING: ReasonCode = 'outcome-unknown';

/**
 * Nothing was executed: the same reference may be sent again, through the gates. `known`: what is known without an attempt that
 * sent nothing.
 */
function clear(order: OrderState, why: string, known?: Submission): Resolved {
  const isRepeated = known === undefined && order.hasLeft;
  order.view.note(
    isRepeated ? `${why}: the same reference is sent again with the same bytes` : `${why}: nothing was sent`,
  );
  order.learns(
    isRepeated ? afterProvenAbsence(order.known) : { ...(known ?? order.known), tainted: false, doubted: [] },
  );
  order.memory.noAnswer = undefined;
  order.parked = null;
  return { kind: 'gates' };
}

/** What was known before the attempt that turned out to have sent nothing: neither it nor the proof before it counts twice. */
function wasNothing({ known, memory: { noAnswer } }: OrderState): Submission {
  if (noAnswer === undefined) return known;
  return { ...known, lastLeft: noAnswer.before.lastLeft, resends: noAnswer.before.resends };
}

function again(order: OrderState): Resolved {
  order.view.note('not seen: the same reference is sent again with the same bytes');
  order.learns(afterUnprovenResend(order.known));
  return { kind: 'resend' };
}

/**
 * Reads payee, fee and the orders of earlier generations again before an order in doubt is resent: only what was approved is sent,
 * and nothing that an earlier generation may have paid; otherwise the proof is awaited, after which the gates say what is in the way.
 */
async function isAsApproved({ view }: OrderState, gates: Gates): Promise<boolean> {
  const { digest, earlierOpen } = await gates.assess();
  const same = digest === view.digest && earlierOpen === undefined;
  if (!same) view.note('not what was approved any more: nothing is sent again before the proof');
  return same;
}

/** The one among several that an operator names, or the one that two people say it is. */
function chosenOrder(
  order: OrderState,
  search: Exclude<SearchResult, { kind: 'found' }>,
  pending: PendingResolve<ResolveRequest> | undefined,
): ShownOrder | undefined {
  if (pending?.request.action !== 'adopt-order') return undefined;
  const { by, orderId } = pending.request;
  if (search.kind === 'conflict' && search.reason === 'duplicate-suspected') {
    const named = search.listed.find((listed) => listed === orderId);
    return named === undefined ? undefined : { orderId: named, differences: [] };
  }
  const shown = search.shown.find((order) => order.orderId === orderId);
  if (shown === undefined || shown.differences.length === 0) return shown;
  if (order.countsDespite(shown, by)) return shown;
  const message = `it differs from what was sent in ${shown.differences.join(', ')}; this is noted, and a second person with evidence may adopt it`;
  order.view.inbox.answer(pending, refused(message));
  return undefined;
}

async function adopt(
  order: OrderState,
  { orderId, differences, insteadOf }: ShownOrder & { insteadOf?: string },
  listed: readonly string[],
  pending: PendingResolve<ResolveRequest> | undefined,
): Promise<Resolved> {
  const { view, shows } = order;
  const others = listed.filter((other) => other !== orderId);
  const placed = order.follows(orderId, { despite: differences, others, insteadOf });
  if (pending !== undefined) {
    view.inbox.answer(pending, accepted(`the bank shows order ${orderId}; it is followed`));
  }
  await view.enter(shows.following);
  return placed;
}

/** Text for people, who must name one of these orders. */
function whatIsShown(shown: readonly ShownOrder[]): string | undefined {
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
  { view, terms: { waits } }: OrderState,
  since: number,
  n: number,
): Promise<PendingResolve<ResolveRequest> | undefined> {
  const { inbox } = view;
  const planned = view.state === 'needs-operator' ? undefined : searchDelayMs(n, waits);
  const wait =
    planned === undefined ? doublingPause(n, waits.pollMs, waits.pollMaxMs * 12) : since + planned - Date.now();
  if (wait > 0) await condition(() => inbox.resolves.length > 0 || inbox.hasNews, wait);
  inbox.take();
  return inbox.asked;
}

async function park({ view }: OrderState, reason: ReasonCode, detail?: string): Promise<void> {
  if (view.state === 'needs-operator' && view.reason?.code === reason) return;
  await view.enter('needs-operator', because(reason, detail));
}

/**
 * Checks an operator's request against what the bank has just shown; `seen` is undefined if it did not answer. `isOpen`: the
 * proof window is over, and no order shown looks like ours: two people with evidence may then close what the searches cannot.
 */
function decideByOperator(
  order: OrderState,
  pending: PendingResolve<ResolveRequest> | undefined,
  seen: { absent: boolean; isOpen: boolean } | undefined,
): Resolved | undefined {
  if (pending === undefined || pending.answer !== undefined) return undefined;
  const { action, by } = pending.request;
  const { known, terms } = order;
  const answer = (accepted: boolean, message: string): undefined => {
    order.view.inbox.answer(pending, { accepted, message });
    return undefined;
  };
  const close = (message: string, people = by): Resolved => {
    answer(true, message);
    return { kind: 'unpaid', state: 'failed', reason: because('closed-by-operator', `by ${people}`) };
  };
  if (action === 'keep-looking') return answer(true, 'searched again; nothing new');
  if (seen === undefined)
    return answer(false, 'the bank did not answer just now, and only what it shows decides; try again');
  const { absent, isOpen } = seen;
  switch (action) {
    case 'adopt-order':
      return answer(false, 'the bank does not show that order under this reference, as it was sent');
    case 'resend':
      if (!absent) return answer(false, 'absence is not proven');
      if (known.exists) return answer(false, 'the bank says that it has this reference');
      if (order.hasLeft && terms.referenceDedupe === 'none') {
        return answer(false, 'the bank is not trusted to recognise a reference (dedupe "none")');
      }
      answer(true, 'the same reference is sent again');
      return clear(order, `asked for by ${by}`);
    case 'close-as-not-paid': {
      if (absent && !known.exists) return close('closed as not paid');
      if (!isOpen) return answer(false, 'absence is not proven');
      const people = order.people.agree(action, by);
      if (people !== undefined) return close('closed as not paid by two people', people);
      return answer(false, 'absence is not proven: noted, and a second person with evidence may close it');
    }
  }
}

/** `hasChanged`: a search a few seconds before showed something else. */
type SearchResult = OrderSearch & { hasChanged?: boolean };

/**
 * `searchOnce`, repeated within seconds before people are asked about a conflict: one wrong record among good ones asks nobody. A
 * second order stops the payout at once.
 */
async function searchUntilSure(order: OrderState, n: number, mayProve: boolean): Promise<SearchResult | undefined> {
  const { pollMs, pollMaxMs } = order.terms.waits;
  let search: SearchResult | undefined = await searchOnce(order, n, mayProve);
  for (let reads = 0; reads < READS_TO_CONFIRM; reads += 1) {
    const isSure =
      search?.kind !== 'conflict' || search.reason !== 'reference-conflict' || order.view.state === 'needs-operator';
    if (isSure) return search;
    await sleep(doublingPause(reads, pollMs, pollMaxMs), {
      summary: 'searches again before people are asked',
    });
    const again = await searchOnce(order, n, mayProve);
    if (again !== undefined) search = { ...again, hasChanged: true };
  }
  return search;
}

/** Undefined if the bank did not answer. `mayProve`: reads so far back that a list without the order would prove its absence. */
export async function searchOnce(order: OrderState, n: number, mayProve: boolean): Promise<OrderSearch | undefined> {
  const { view, kind, memory } = order;
  const { claim, recorded } = view;
  const { firstSentAt: since = Date.now(), placedIds } = memory;
  const input = { claim, orderKind: kind, since, recorded, placedIds, mayProve };
  const search = await answerOrUndefined(() =>
    listScans.findOrder.executeWithOptions({ summary: `search ${n + 1} for the order of this reference` }, [input]),
  );
  if (search === undefined) {
    view.note(`search ${n + 1}: the bank did not answer`);
    return undefined;
  }
  const { ordersRead, pagesRead, doubt = 'stable' } = search;
  view.note(`search ${n + 1}: ${whatIsFound(search)} among ${ordersRead} orders on ${pagesRead} pages, ${doubt}`);
  return search;
}

function whatIsFound(search: OrderSearch): string {
  switch (search.kind) {
    case 'found':
      return '1 found';
    case 'conflict':
      return `${search.listed.length} found, which cannot be taken for the one that was sent,`;
    case 'nothing':
      return '0 found';
  }
}
