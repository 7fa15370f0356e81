import { condition, sleep } from '@temporalio/workflow';
import type { OrderRead, ReadOrderInput } from '../../activities/read.ts';
import { NO_REFERENCE, NOT_FOUND, ORDER_OF_ANOTHER, type OrderJudgement } from '../../domain/order-judgement.ts';
import { isNoMoney, isTerminal, type NoMoney, stageMeaning } from '../../domain/order-status.ts';
import type { ResolveRequest } from '../../domain/payout-state.ts';
import { because, type ReasonCode } from '../../domain/reasons.ts';
import { PATH_ID } from '../../domain/text.ts';
import { doublingPause } from '../../domain/time.ts';
import { accepted, noted, refused } from '../execution.ts';
import type { ResolveAnswer } from '../messages.ts';
import { answerOrUndefined, localReads, readOrder } from '../proxies.ts';
import { awaitBankApproval, BANK_APPROVAL_REQUIRED, quickReadPause } from './audit.ts';
import { type OrderEnd, type OrderState, READS_TO_CONFIRM, STUCK } from './order-state.ts';
import { searchOnce } from './resolve.ts';
import { continueAsNewIfLong } from './waits.ts';

/**
 * Follows a placed order to its end. The watch says when to read it, a GET decides; "no money" is believed only after a second GET
 * some time later.
 */
export async function followOrder(order: OrderState): Promise<OrderEnd> {
  const { view, placed } = order;
  const { inbox, question } = view;
  // Somebody asked for a read while the order was being sent: a restored store may have forgotten the order, and nothing else
  // will report it.
  const isAskedToRead = inbox.isReadRequested;
  inbox.take();
  if (placed.readsAtOnce || isAskedToRead || inbox.noticesFor(order.reference).length > 0) inbox.readAgain();
  for (;;) {
    if (placed.quickReads === 0 && placed.decision === undefined && order.holdsNoStatement) continueAsNewIfLong(view);
    await untilNews(order);
    const hadNews = inbox.take();
    placed.second = await secondOrder(order);
    // As the watch has read it, unless another order under the reference asks for people.
    const paid = placed.second === undefined ? inbox.returnedEnd(placed.orderId) : undefined;
    if (paid !== undefined) {
      question.close();
      showStatus(order, paid.status);
      return { kind: 'paid', read: paid };
    }
    const read = await readFollowed(order);
    if (read.meaning !== 'awaiting-audit' && wasRead(read)) {
      if (question.awaited?.kind === 'bank') view.note(`the bank asks for no approval any more: ${read.status}`);
      question.close();
    }
    if (await followsRenumbered(order, read)) continue;
    const conflict = conflictOf(order, read);
    const ended = conflict === undefined ? await decided(order, read, hadNews) : await undecided(order, conflict, read);
    if (ended !== undefined) return ended;
  }
}

type Followed = OrderEnd | undefined;

/** The order is ours, and its status says what to do; the end, if it is one. */
async function decided(order: OrderState, read: OrderRead, hadNews: boolean): Promise<Followed> {
  const { view, placed } = order;
  placed.conflicts = 0;
  if (view.state === 'needs-operator') await view.enter(order.shows.following);
  noteNotBorneOut(order, read, hadNews);
  switch (read.meaning) {
    case 'open':
      if (order.endsRow && view.wantsCancel) cancelWhileOpen(order, read);
      return undefined;
    case 'awaiting-audit':
      await awaitBankApproval(order, read.expiredAt);
      return undefined;
    case 'paid':
      return { kind: 'paid', read };
    case 'rejected':
    case 'cancelled':
    case 'failed':
      return confirmNoMoney(order, { ...read, meaning: read.meaning });
    case 'unclear':
      return undefined;
  }
}

/** Waits until there is something to read the order for. */
async function untilNews(order: OrderState): Promise<void> {
  const { view, placed, terms } = order;
  const { inbox } = view;
  const cancelAsks = (): boolean =>
    order.endsRow && view.wantsCancel && placed.decision === undefined && placed.quickReads === 0;
  const news = (): boolean => inbox.hasNews || cancelAsks();
  const pause = quickReadPause(order);
  if (pause !== undefined) await condition(news, pause);
  else if (awaitsEnd(order)) await condition(news);
  else await inbox.untilNews(terms.waits.patienceMs, news);
}

/**
 * Whether its end will be returned by an activity. That of an exchange is not, since only the run knows what the booked rate means,
 * nor that of the payment after it: the run already has its safety timer. Nor is that of an order whose id no path can hold.
 */
function awaitsEnd({ kind, earlier, placed, terms, view }: OrderState): boolean {
  const hasExchange = kind === 'exchange' || (earlier?.known.attempts ?? 0) > 0;
  if (hasExchange) return false;
  // The watch cannot read it, and it may be no id of an activity: the server refuses a long one, and half a surrogate pair ends
  // the worker.
  if (!PATH_ID.test(placed.orderId)) return false;
  return view.inbox.awaitsEnd(placed.orderId, terms.waits.patienceMs);
}

/** A read that shows that the order took no money. */
type NoMoneyRead = OrderJudgement & { meaning: NoMoney };

/** Takes the place of an order that the bank did not show within the time limit of the read. */
const UNREADABLE = { meaning: 'unclear', stage: 'unknown', status: 'UNREADABLE' } as const;

/** One GET. "Paid" is an end at the first read; "no money" only if a second read agrees with the `first`. */
async function readFollowed(order: OrderState, first?: NoMoneyRead): Promise<OrderRead> {
  const { view, kind, placed, terms, memory } = order;
  const { orderId, despite, decision, askedAgain, second } = placed;
  const asksPeople = first === undefined && decision === undefined && !view.wantsCancel;
  const input: ReadOrderInput = {
    as: 'followed',
    claim: view.claim,
    orderKind: kind,
    recorded: view.recorded,
    placedIds: memory.placedIds,
    orderId,
    closedMeans: terms.closedMeans,
    despite: despite.length > 0 ? despite : undefined,
    // With another order under the reference, no status of this one ends the payout until people have decided.
    isContested: second === undefined ? undefined : true,
    asks: asksPeople ? (askedAgain ?? BANK_APPROVAL_REQUIRED) : undefined,
    rejectedAs: order.rejectedAs,
    confirms: first && { meaning: first.meaning, resolved: order.resolvedIfUnpaid },
    maxSlippage: kind === 'exchange' ? terms.maxSlippage : undefined,
    thenAssess: order.endsRow ? undefined : { exchanged: true, exchangeSent: true },
  };
  const summary = first === undefined ? 'reads the order' : 'reads it again before "no money" is believed';
  const unreadable: OrderRead = { ...UNREADABLE, orderId, differences: [] };
  const read = (await answerOrUndefined(() => readOrder(input, summary))) ?? unreadable;
  showStatus(order, read.status);
  return read;
}

function showStatus({ view, placed }: OrderState, status: string): void {
  if (status === placed.status) return;
  if (placed.status !== '') placed.statusSince = Date.now();
  placed.status = status;
  view.note(`the bank shows ${status}`);
}

/** Whether the read saw the order at all. */
const wasRead = ({ status }: OrderJudgement): boolean => status !== NOT_FOUND && status !== UNREADABLE.status;

/**
 * A bank may give an open order another id. Either a read by the earlier one shows it, or no read and no list does, and one order, as
 * it was sent, is under the reference. That one is followed to its end if it pays; if it does not, people are asked about the other.
 * The id that was returned may also be that of another order, which a read shows under a reference of its own.
 */
async function followsRenumbered(order: OrderState, { orderId, status, differences }: OrderRead): Promise<boolean> {
  const { view, reference, placed, memory, terms } = order;
  if (orderId === placed.second && differences.length === 0) {
    order.followsInstead(orderId, placed.orderId);
    view.inbox.readAgain();
    return true;
  }
  const isGone = status === NOT_FOUND;
  const isReported = view.inbox.noticesFor(reference).some((notice) => notice.orderId !== placed.orderId);
  // Of an order that took no money there is no notice beside the one that is followed.
  if (!differences.includes(NO_REFERENCE) && !(isGone && isReported)) return false;
  // No second order of an exchange asks people: nothing else leads to the next read.
  if (order.kind === 'exchange') placed.quickReads += 1;
  if (isGone && Date.now() - (memory.lastSentAt ?? Date.now()) < terms.waits.listLagMs) return false;
  const search = await searchOnce(order, 0, true);
  if (search?.kind !== 'found' || search.orderId === placed.orderId) return false;
  view.note(`order ${search.orderId} is followed in the place of ${placed.orderId}`);
  order.followsInstead(search.orderId, search.insteadOf);
  view.inbox.readAgain();
  return true;
}

/** Why an order cannot be decided through the API; undefined if it can. */
function conflictOf({ placed, terms }: OrderState, { differences, status, meaning }: OrderJudgement) {
  const mayBeTwo = placed.insteadOf !== undefined && isNoMoney(meaning);
  if (placed.second !== undefined || mayBeTwo) return 'duplicate-suspected';
  if (differences.length > 0) return 'reference-conflict';
  if (status === UNREADABLE.status) return 'bank-unreachable';
  if (meaning === 'unclear') return 'status-unclear';
  const isStuck = Date.now() - placed.statusSince >= terms.waits.statusAgeLimitMs;
  // An audit may take long; one that we have decided and that does not move is stuck.
  const isAudited = meaning === 'awaiting-audit' && placed.decision !== undefined;
  return isStuck && (meaning === 'open' || isAudited) ? STUCK : undefined;
}

/** After so many, at intervals of `pollMaxMs` in the end, what was reported is taken for wrong: the safety timer leads to the next read. */
const QUICK_READS_MAX = 30;

/**
 * The watch reported an end that the order itself does not show yet (its list is ahead). No further report will come, so the order
 * is read at intervals until it shows an end.
 */
function noteNotBorneOut({ view, reference, terms, placed }: OrderState, read: OrderRead, hadNews: boolean): void {
  const { meaning } = read;
  const { stage = 'open' } = view.inbox.noticesFor(reference).at(-1) ?? {};
  const noticed = stageMeaning(stage, terms.closedMeans);
  const isContradicted = hadNews && noticed !== meaning && (isTerminal(noticed) || noticed === 'unclear');
  if (isTerminal(meaning) || placed.quickReads >= QUICK_READS_MAX) placed.quickReads = 0;
  else if (isContradicted || placed.quickReads > 0) placed.quickReads += 1;
}

/** If an audit may still follow, reads again soon; an order past its audit can no longer be cancelled. */
function cancelWhileOpen({ placed }: OrderState, { stage }: OrderJudgement): void {
  if (stage === 'past-audit') placed.isPastCancel = true;
  else placed.quickReads += 1;
}

/** What one answer of the bank may be wrong about. A second order stops the payout at once; no answer is one for an hour. */
const TO_CONFIRM: ReadonlySet<ReasonCode> = new Set(['reference-conflict', 'status-unclear']);

/** Has a conflict seen again, after a few seconds, before people are asked. */
async function undecided(order: OrderState, conflict: ReasonCode, read: OrderRead): Promise<Followed> {
  const { view, terms, placed } = order;
  const { pollMs, pollMaxMs } = terms.waits;
  const isToConfirm =
    TO_CONFIRM.has(conflict) && view.state !== 'needs-operator' && placed.conflicts < READS_TO_CONFIRM;
  if (!isToConfirm) return park(order, conflict, read);
  await sleep(doublingPause(placed.conflicts, pollMs, pollMaxMs), {
    summary: 'reads the order again before people are asked',
  });
  placed.conflicts += 1;
  view.inbox.readAgain();
  return undefined;
}

/** Hands the order to people and keeps reading it, within seconds at first, until it can be decided. */
async function park(order: OrderState, reason: ReasonCode, read: OrderRead): Promise<Followed> {
  const { view, terms, placed } = order;
  const { inbox } = view;
  const detail = read.differences.length > 0 ? `other ${read.differences.join(', ')}` : `status ${read.status}`;
  await view.enter('needs-operator', because(reason, detail));
  const pause = doublingPause(placed.parks, terms.waits.pollMs, terms.waits.pollMaxMs * 12);
  placed.parks += 1;
  await condition(() => inbox.resolves.length > 0 || inbox.hasNews, pause);
  const pending = inbox.asked;
  // The next round reads the order at once.
  inbox.readAgain();
  if (pending === undefined) return undefined;
  const { action, by } = pending.request;
  // What was seen before the request may be outdated: a close is judged by what the bank shows now.
  const closes = action === 'close-as-not-paid';
  if (closes) await beforeNoMoney(order, 'reads the order again before it is closed');
  const now = closes ? await readFollowed(order) : read;
  const answer: Answer =
    closes && placed.isSecondUnread
      ? refused('another order under this reference could not be read just now; try again')
      : await judgeResolve(order, pending.request, closes ? conflictOf(order, now) : reason, now);
  const { people = by, ...verdict } = answer;
  inbox.answer(pending, verdict);
  if (!verdict.accepted || !closes) return undefined;
  const why = because('closed-by-operator', `by ${people}, bank status ${now.status}`);
  return { kind: 'unpaid', state: 'failed', reason: why, isStored: false, read: now };
}

/** Waits some time after the first read, then counts every other order under the reference again. */
async function beforeNoMoney(order: OrderState, summary: string): Promise<void> {
  const { placed, terms } = order;
  await sleep(terms.waits.noMoneyRecheckMs, { summary });
  // The chosen order took no money: the orders set aside for it count again.
  for (const other of placed.setAside) placed.dismissed.delete(other);
  placed.second = await secondOrder(order);
}

/** `people`: both names, if two were needed. */
type Answer = ResolveAnswer & { people?: string };

/**
 * Judges an operator's request. There is an order, so its own status ends the payout; only if that is unclear or the order
 * differs do people decide.
 */
async function judgeResolve(
  order: OrderState,
  request: ResolveRequest,
  reason: ReasonCode | undefined,
  read: OrderJudgement,
): Promise<Answer> {
  const { placed } = order;
  const { action, orderId } = request;
  if (action === 'keep-looking') return accepted('checking the order again');
  const isAboutThis = action === 'close-as-not-paid' || (action === 'adopt-order' && orderId === placed.orderId);
  if (reason === 'reference-conflict' && isAboutThis) return resolveDifference(order, request, read);
  const isUnknown = reason === STUCK && read.status === NOT_FOUND;
  if (isUnknown && action === 'close-as-not-paid') return closeUnknown(order, request);
  const known = knownOrders(order);
  if (action === 'adopt-order' && orderId !== undefined && known.has(orderId)) {
    // Anybody who may signal can name an order.
    const isNamedOnly = orderId !== placed.orderId && !(await readShowsOrder(order, orderId));
    if (isNamedOnly) return refused('the bank does not show just now that this order may pay it');
    for (const other of new Set([...known, ...(placed.insteadOf === undefined ? [] : [placed.insteadOf])])) {
      if (other === orderId) continue;
      placed.setAside.add(other);
      placed.dismissed.add(other);
    }
    order.followsInstead(orderId);
    return accepted(`order ${orderId} is followed; any other is left to you`);
  }
  if (action === 'close-as-not-paid' && reason === 'status-unclear') return accepted('closed as not paid');
  return refused('the bank has an order under this reference: only its own status ends the payout');
}

/**
 * The order differs from what was sent: two people may say that it is the right one all the same, or that this payout took no
 * money.
 */
function resolveDifference(
  order: OrderState,
  { action, by }: ResolveRequest,
  { meaning, differences, orderId }: OrderJudgement,
): Answer {
  const adopts = action === 'adopt-order';
  if (adopts && differences.includes(ORDER_OF_ANOTHER)) return refused('it is the order of another payout');
  const isOthers = differences.includes(ORDER_OF_ANOTHER) || differences.includes(NO_REFERENCE);
  if (!adopts && !isOthers && meaning !== 'unclear' && !isNoMoney(meaning)) {
    return refused('the bank shows an order that takes money, or still may');
  }
  const differs = 'the order is not what was sent';
  if (!adopts) return closedByTwo(order, { action, by }, differs);
  const isAdopted = order.countsDespite({ orderId, differences }, by);
  return isAdopted ? accepted(`order ${orderId} is followed, as two people have said`) : refused(noted(differs));
}

/** No read by its id finds the order. Its lists may still show it, or another one: no person can say against them that there is none. */
async function closeUnknown(order: OrderState, request: ResolveRequest): Promise<Answer> {
  const search = await searchOnce(order, 0, true);
  if (search === undefined) return refused('the order list could not be read just now; try again');
  if (search.kind !== 'nothing') return refused('the order list of the bank shows an order that may be this one');
  return closedByTwo(order, request, 'the bank does not show the order that it accepted');
}

/** `why`: what the bank shows instead of an end; people who saw different things do not agree. */
function closedByTwo(order: OrderState, { action, by }: Pick<ResolveRequest, 'action' | 'by'>, why: string): Answer {
  const people = order.people.agree(`${action}: ${why}`, by);
  return people === undefined ? refused(noted(why)) : { ...accepted('closed as not paid by two people'), people };
}

/** Reads a status that says "no money" a second time, some time after the first. */
async function confirmNoMoney(order: OrderState, first: NoMoneyRead): Promise<Followed> {
  const { view, placed } = order;
  await beforeNoMoney(order, 'before "no money" is believed');
  if (placed.second !== undefined || placed.isSecondUnread) {
    view.inbox.readAgain();
    return undefined;
  }
  const second = await readFollowed(order, first);
  const { meaning } = second;
  if (meaning === 'paid' && second.differences.length === 0) return { kind: 'paid', read: second };
  if (isNoMoney(meaning) && meaning === first.meaning && second.differences.length === 0) {
    return { ...order.unpaidBy({ ...second, meaning }), isStored: order.endsRow, read: second };
  }
  view.note(`the bank changed its mind: ${first.status}, then ${second.status}`);
  view.inbox.readAgain();
  return undefined;
}

/** A read that lags behind the list shows a reported order within a few reads; an order that does not exist is never shown. */
const READS_FOR_ABSENT = 5;

/** Every order reported or set aside under the reference, including the one followed. */
function knownOrders({ view, reference, placed }: OrderState): Set<string> {
  const reported = view.inbox.noticesFor(reference).map(({ orderId }) => orderId);
  return new Set([placed.orderId, ...reported, ...placed.setAside]);
}

/**
 * Another order under the reference that may take money and that no operator has judged. A notice only says what to read: the
 * order itself shows whether it exists and is ours.
 */
async function secondOrder(order: OrderState): Promise<string | undefined> {
  const { kind, placed } = order;
  placed.isSecondUnread = false;
  // A bank may show one record for each currency of an exchange.
  if (kind === 'exchange') return undefined;
  for (const reported of knownOrders(order)) {
    if (reported === placed.orderId || placed.dismissed.has(reported)) continue;
    if (await readShowsOrder(order, reported)) return reported;
    // Not shown, or not read, for once says nothing about its money.
    if (reported === placed.second && !placed.dismissed.has(reported)) return reported;
  }
  return undefined;
}

/** Whether a read shows the order, as one under the reference that may take money. */
async function readShowsOrder({ view, kind, terms, placed }: OrderState, orderId: string): Promise<boolean> {
  const { notThere, dismissed } = placed;
  const { claim } = view;
  const read = await localReads.readOrder
    .executeWithOptions({ summary: 'reads another order under the reference' }, [
      { as: 'other', claim, orderKind: kind, orderId, closedMeans: terms.closedMeans },
    ])
    .catch(() => undefined);
  if (read === undefined) {
    placed.isSecondUnread = true;
    placed.quickReads += 1;
    return false;
  }
  if (read.status === NOT_FOUND) {
    const reads = (notThere.get(orderId) ?? 0) + 1;
    notThere.set(orderId, reads);
    placed.quickReads += 1;
    if (reads >= READS_FOR_ABSENT) dismissed.add(orderId);
    return false;
  }
  // An order of somebody else, a return, or an order that took no money.
  const isOther = read.differences.some((field) => field === NO_REFERENCE || field === 'direct');
  const mayPay = !isOther && !isNoMoney(read.meaning);
  if (!mayPay) dismissed.add(orderId);
  return mayPay;
}
