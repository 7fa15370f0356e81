import type { Bank } from '../bank/bank.ts';
import { listedFrom } from '../bank/bank-time.ts';
import type { SendOptions } from '../bank/call-options.ts';
import { BankError } from '../bank/errors.ts';
import { findPayee, type NamedPayee, namedPayee, payeeReference } from '../bank/payee-lists.ts';
import { dueAt } from '../domain/business-days.ts';
import { type Claim, StoreMismatch, Superseded } from '../domain/claim.ts';
import type { Assessment } from '../domain/gates.ts';
import { mainOrderKindOf, type OrderKind, orderKindsOf } from '../domain/names.ts';
import { hasVerdicts } from '../domain/payee.ts';
import type { Reason } from '../domain/payout-state.ts';
import { because } from '../domain/reasons.ts';
import {
  exchangeOrder,
  isRepeatOf,
  listsOf,
  listsOfPlan,
  ownExchangeOrder,
  paymentOrder,
  type SentCardRequest,
  type SentOrder,
  transferOrder,
} from '../domain/sent-order.ts';
import { type AttemptResult, bankSays, inDoubt, orderToRepeat, refusalMeaning } from '../domain/submission.ts';
import { switchFactsOf } from '../domain/switches.ts';
import { DAY_MS, doublingPause } from '../domain/time.ts';
import { boughtWithin } from '../people/decisions/asked.ts';
import { isAddedUp, limitPassed, mayLeave } from '../people/decisions/let-through.ts';
import { type Caller, claimedRow, orderReference, type Sender } from '../store/claimed-row.ts';
import type { PayoutRecord, SendAttempt, WatchKey } from '../store/store.ts';
import { readToSend } from './assess.ts';
import { cardPaymentState } from './card-events.ts';
import type { ActivityDeps } from './deps.ts';
import { objectionTo } from './lists.ts';
import { checksAskedOf } from './payee-checks.ts';

/** An admitted request: the key it is recorded under, and what is kept of it. */
interface Admitted<Request> {
  reference: string;
  /** From 1; with the reference, the key of the record. */
  attempt: number;
  request: Request;
  record?: SentOrder | SentCardRequest;
  /** From when on lists show the result (epoch ms of the bank's clock as now measured). */
  listedFrom?: number;
  /** Claim that must hold when the attempt is recorded; absent if the key itself is the lock. */
  claim?: Claim;
  /** Never send again after the bank accepted it or said that it exists. */
  isFinal?: boolean;
  /** Written alongside the record, before the first byte: registers who searches for the result. */
  expect?(): Promise<void>;
}

interface Sending<Request, Held> {
  /** Checks the request against the store. Nothing is recorded before it agrees. */
  admit(): Promise<Admitted<Request> | { held: Held }>;
  /** Last check, between the record and the first byte; a result stops the send. */
  stoppedBy(request: Request): Promise<Held | undefined>;
  /** Treat an HTTP status alone as a refusal, with the status as its code (cards). */
  refusedByStatus?: boolean;
  /** Makes one POST; returns the id of what was created, if the bank gives one. */
  post(request: Request, options: SendOptions): Promise<string | undefined>;
  /** Written alongside the outcome of an accepted attempt. */
  accepted?(request: Request, id: string): Promise<void>;
}

/**
 * Send protocol for everything that moves money or creates something: one attempt, at most one POST. In order: identity; request
 * against store; record of (reference, attempt); last check; first byte within its deadline; record of the outcome. A record
 * conflict means another sender: nothing is sent, and that sender's outcome is unknown. Every outcome is returned except a lost
 * claim.
 *
 * @throws Superseded if the run no longer holds the claim; no byte has left
 */
export async function sendOnce<Request, Held>(
  { store, now, assertIdentity }: Sender,
  { runId, activityId }: Caller,
  { admit, stoppedBy, refusedByStatus = false, post, accepted }: Sending<Request, Held>,
): Promise<AttemptResult | Held> {
  const beforeFirstByte = firstByteDeadline();
  let admitted: Admitted<Request>;
  let recorded: Admitted<Request> | undefined;
  try {
    await assertIdentity();
    const answer = await admit();
    if ('held' in answer) return answer.held;
    admitted = answer;
    const { reference, attempt, record: request, listedFrom, claim, isFinal, expect } = admitted;
    const record = { reference, attempt, runId, activityId, sentAt: now(), listedFrom, request, claim, isFinal };
    // Started together so that they share a commit; handled here because it may fail before the record is known to be stored.
    const expected = expect?.();
    expected?.catch(() => undefined);
    const begun = await store.recordAttempt(record);
    if (begun === 'superseded') throw new Superseded();
    // A stalled sender may have recorded the bank's answer after the current run read the store.
    if (begun === 'notified') return { outcome: 'exists' };
    if (begun !== 'begun') return { outcome: 'ambiguous', why: GAVE_WAY[begun.because], gaveWayTo: begun.to };
    recorded = admitted;
    await expected;
    const held = await stoppedBy(admitted.request);
    if (held !== undefined) {
      await store.finishAttempt(reference, attempt, { outcome: 'not-sent', at: now() });
      return held;
    }
  } catch (error) {
    const result = nothingSent(error);
    // Store, bank or Temporal was unreachable and no byte has left; record that, or the attempt would be in doubt.
    if (recorded !== undefined) {
      const { reference, attempt } = recorded;
      await store.finishAttempt(reference, attempt, { outcome: 'not-sent', at: now() }).catch(() => undefined);
    }
    return result;
  }
  const result = await outcomeOf(() => post(admitted.request, { beforeFirstByte }), refusedByStatus);
  const { reference, attempt, request } = admitted;
  const finished = store.finishAttempt(reference, attempt, {
    outcome: result.outcome,
    at: now(),
    orderId: result.outcome === 'accepted' && result.orderId !== '' ? result.orderId : undefined,
    code: result.outcome === 'refused' ? result.code : undefined,
  });
  await Promise.all([finished, result.outcome === 'accepted' && accepted?.(request, result.orderId)]);
  return result;
}

/** What an error before the first byte means; a lost claim is thrown. */
function nothingSent(error: unknown): Extract<AttemptResult, { outcome: 'not-sent' }> {
  if (error instanceof Superseded) throw error;
  return { outcome: 'not-sent', why: error instanceof StoreMismatch ? 'wrong-store' : 'unreachable' };
}

/** A sender paused for longer than this before its first byte sends nothing: the workflow may have moved on. */
const FIRST_BYTE_WITHIN_MS = 5_000;

/**
 * The check to make right before the first byte; it throws once it is too late. Uses both clocks: the monotonic one may stop
 * while the machine is suspended, the wall clock may be set.
 */
function firstByteDeadline(): () => void {
  const [monotonic, wall] = [performance.now(), Date.now()];
  return () => {
    if (Math.max(performance.now() - monotonic, Date.now() - wall) > FIRST_BYTE_WITHIN_MS) {
      throw new Error('the sender was paused before its first byte');
    }
  };
}

const GAVE_WAY = { taken: 'another sender used this attempt', live: 'another sender is at work' } as const;

/** Result of one POST; anything but a known answer is ambiguous. */
async function outcomeOf(post: () => Promise<string | undefined>, refusedByStatus: boolean): Promise<AttemptResult> {
  try {
    return { outcome: 'accepted', orderId: (await post()) ?? '' };
  } catch (error) {
    return resultOfError(error, refusedByStatus);
  }
}

function resultOfError(error: unknown, refusedByStatus: boolean): AttemptResult {
  if (!(error instanceof BankError)) return { outcome: 'ambiguous', why: 'the sender failed' };
  const { outcome, tokenSuspect, condition, code, httpStatus } = error;
  switch (outcome) {
    case 'not-sent':
      return { outcome, why: error.name === 'AuthenticationError' ? 'authentication' : 'unreachable' };
    case 'refused':
      if (tokenSuspect) return { outcome: 'not-sent', why: 'token-suspect' };
      if (condition !== undefined && (condition !== 'unlisted' || code !== undefined)) {
        return { outcome, condition, code };
      }
      // A bare status may come from something in front of the bank.
      if (refusedByStatus && httpStatus !== undefined) return { outcome, condition: 'unlisted', code: httpStatus };
      return { outcome: 'ambiguous', why: error.message };
    case 'exists':
      return { outcome };
    case 'ambiguous':
      return { outcome, why: condition === undefined ? error.name : bankSays(condition, code) };
  }
}

/**
 * All a workflow says about an order.
 *
 * @public the declarations of the activities name it
 */
export interface SubmitInput {
  claim: Claim;
  attempt: number;
  /** Number of the last attempt that may have left, as far as the run knows; 0: none. */
  lastLeft: number;
}

interface OrderAttempt extends SubmitInput {
  orderKind: OrderKind;
}

type Submit = (deps: ActivityDeps, run: Caller, input: SubmitInput) => Promise<AttemptResult>;

export const submitPayment: Submit = (deps, run, input) => sendOrder(deps, run, attemptAt('payment', input));
export const submitTransfer: Submit = (deps, run, input) => sendOrder(deps, run, attemptAt('transfer', input));
export const submitExchange: Submit = (deps, run, input) => sendOrder(deps, run, attemptAt('exchange', input));

/** Nothing else that a workflow says is taken. */
function attemptAt(orderKind: OrderKind, { claim, attempt, lastLeft }: SubmitInput): OrderAttempt {
  return { claim, orderKind, attempt, lastLeft };
}

interface Asked {
  row: PayoutRecord;
  reference: string;
  order: SentOrder;
  /** The order as it would be made now; `order` may repeat an earlier attempt. */
  made: SentOrder;
}

/**
 * One attempt at an order of a payout. The order is made from the claimed row and what the bank shows right before, or repeats the
 * bytes of an earlier attempt that may have been executed. It leaves only if it is what people have signed, as the policy now in
 * force asks. Without a policy the last assessment takes the place of that reading.
 *
 * @throws Superseded if the run no longer holds the claim; no byte has left
 */
export async function sendOrder(sender: ActivityDeps, caller: Caller, asked: OrderAttempt): Promise<AttemptResult> {
  const { claim, orderKind } = asked;
  // Before the time to the first byte begins to run: a slow bank would keep every order from leaving.
  const now = await readNow(sender, caller, claim, orderKind);
  if (now !== null && 'outcome' in now) return now;
  return sendOnce<Asked, AttemptResult>(sender, caller, {
    admit: () => admit(sender, caller, asked, now),
    stoppedBy: async ({ row, order, made }) => {
      const scope = await sender.store.matchingSwitch(switchFactsOf(row, [order]));
      if (scope !== undefined) return { outcome: 'not-sent', why: 'switched-off', scope };
      if (!(await isCollected(sender, row))) return { outcome: 'not-sent', why: 'changed' };
      // Every sender records its attempt before this check: two at once may both stop, but never both pass.
      const isPassed = (await limitPassed(sender, row, aboutToSend(made))) !== undefined;
      const isMore = now !== null && hasSums(sender) && !(await mayLeave(sender, row, now.read));
      return isPassed || isMore ? { outcome: 'not-sent', why: 'changed' } : undefined;
    },
    post: ({ row, reference, order }, options) => post(sender.bank, row.uid, reference, order, options),
    accepted: (asked, orderId) => show(sender, orderKind, asked, orderId),
  });
}

const hasSums = ({ settings: { policy } }: ActivityDeps): boolean => policy?.approvals.some(isAddedUp) === true;

/**
 * The gates have seen the card payment that it depends on succeed, perhaps long ago: the money may have been given back since.
 */
async function isCollected({ store }: ActivityDeps, { instruction }: PayoutRecord): Promise<boolean> {
  const { after_card_payment: id } = instruction;
  return id === undefined || cardPaymentState(await store.cards.get(id)) === 'succeeded';
}

const aboutToSend = (order: SentOrder): Parameters<typeof limitPassed>[2] => ({
  ...('beneficiaryId' in order && { beneficiaryId: order.beneficiaryId, payingAccountId: order.accountId }),
  ...('sellCurrency' in order && { exchange: order }),
});

/** Stores an accepted order in the open set and on its row before the workflow learns of it. */
async function show(
  { store, now }: ActivityDeps,
  orderKind: OrderKind,
  { row, reference }: Asked,
  orderId: string,
): Promise<void> {
  const shown =
    orderKind === mainOrderKindOf(row.kind)
      ? { state: 'processing' as const, orderId }
      : { state: 'converting' as const, orderId: undefined };
  const change = { ...shown, reason: null, term: row.term, at: now() };
  await Promise.all([store.noteOrder(reference, { orderId }), store.changePayout(row.reference, change)]);
}

/** A row, and what the bank shows of it. */
interface ReadNow {
  row: PayoutRecord;
  read: Assessment;
}

/** What the bank shows now, or why it cannot be asked; null without a policy. */
async function readNow(
  sender: ActivityDeps,
  { runId }: Caller,
  claim: Claim,
  orderKind: OrderKind,
): Promise<ReadNow | Extract<AttemptResult, { outcome: 'not-sent' }> | null> {
  if (sender.settings.policy === undefined) return null;
  try {
    const row = await claimedRow(sender.store, claim, runId);
    return { row, read: await readToSend(sender, row, orderKind) };
  } catch (error) {
    return nothingSent(error);
  }
}

async function admit(
  sender: ActivityDeps,
  { runId }: Caller,
  { claim, orderKind, attempt, lastLeft }: OrderAttempt,
  now: ReadNow | null,
): Promise<Admitted<Asked> | { held: AttemptResult }> {
  const { store } = sender;
  const row = await claimedRow(store, claim, runId);
  const reference = orderReference(row, orderKind);
  const attempts = await store.attempts(reference);
  const lastOpen = lastUnanswered(attempts, lastLeft);
  if (lastOpen !== undefined) {
    return { held: { outcome: 'ambiguous', why: 'the run has not been notified of an attempt', gaveWayTo: lastOpen } };
  }
  // The payee and the accounts are those of the row that was read, so it must still be the same.
  const assessed = now === null ? row.assessed : isSameRow(now.row, row) ? now.read : null;
  const made = assessed === null ? undefined : orderOf(sender, row, orderKind, assessed);
  const order = orderToRepeat<SentOrder>(attempts) ?? made;
  if (isRepeated(sender, attempts)) return { held: { outcome: 'ambiguous', why: 'it may have been executed before' } };
  const isFit = assessed !== null && isReady(sender, row, assessed) && (await mayLeave(sender, row, assessed));
  if (!isFit || made === undefined || order === undefined) return { held: { outcome: 'not-sent', why: 'changed' } };
  // A search settles what became of the earlier one: without it the gates would let the row pass again and again.
  if (!isSigned(sender, row, { order, made, assessed }))
    return { held: { outcome: 'ambiguous', why: 'the earlier order is not the one that people let through now' } };
  const lists = listsOf(row.uid, order);
  const objection = await objectionTo(sender, row, orderKind, lists);
  // The run must learn of an order under its reference as if it had sent it.
  if (objection === 'own') throw new Superseded('the bank shows an order that this store did not send');
  if (objection !== undefined) return { held: { outcome: 'not-sent', why: 'changed' } };
  const since = sender.now();
  return {
    ...{ reference, attempt, request: { row, reference, order, made }, record: order, claim, isFinal: true },
    listedFrom: listedFrom(sender, since),
    expect: () => putIntoOpenSet(sender, row, reference, { lists, since }),
  };
}

const isSameRow = (before: PayoutRecord, now: PayoutRecord): boolean =>
  before.kind === now.kind && JSON.stringify(before.instruction) === JSON.stringify(now.instruction);

/** The order of a row as read; undefined if no payee or account is known, or if rows of this kind do not send this order. */
function orderOf(
  { now, settings: { terms, transferAcrossUsers } }: ActivityDeps,
  { kind, instruction }: PayoutRecord,
  orderKind: OrderKind,
  assessed: Assessment,
): SentOrder | undefined {
  if (!orderKindsOf(kind).includes(orderKind)) return undefined;
  const auditUntil = now() + terms.auditTtlMs;
  switch (orderKind) {
    case 'payment':
      return paymentOrder(instruction, assessed, auditUntil);
    case 'transfer':
      return transferOrder(instruction, assessed, auditUntil, transferAcrossUsers);
    case 'exchange':
      return kind === 'exchange'
        ? ownExchangeOrder(instruction, assessed, auditUntil)
        : exchangeOrder(assessed.exchange, instruction, auditUntil);
  }
}

/** Nothing is in the way, its money is bought, the payee has every required verdict, and it is not too early. */
function isReady(sender: ActivityDeps, row: PayoutRecord, { obstacle, batchExchange, checks }: Assessment): boolean {
  if (batchExchange?.is === 'open') return false;
  return obstacle === undefined && hasVerdicts(checks, checksAskedOf(sender.checks, row)) && !isEarly(sender, row);
}

/** Whether the bytes that would leave are the order that the signatures are about: also those of an earlier attempt. */
const isSigned = (
  { settings: { policy, terms } }: ActivityDeps,
  row: PayoutRecord,
  { order, made, assessed }: { order: SentOrder; made: SentOrder; assessed: Assessment },
): boolean =>
  order === made ||
  isRepeatOf(order, made, policy === undefined ? undefined : boughtWithin(row, made.amount, assessed, terms));

/** The workflow waits for the date, by Temporal's clock: a forged one would not. A day is left for clocks and time zones. */
const isEarly = ({ now }: ActivityDeps, { instruction }: PayoutRecord): boolean =>
  (dueAt(instruction, undefined) ?? 0) - now() > DAY_MS;

/**
 * Under a policy, what may have been executed is not sent again to a bank that recognises no reference. Our workflows ask for
 * that only after a stalled sender recorded late, and then search; a forged workflow in a payout's place would repeat it.
 */
const isRepeated = ({ settings }: ActivityDeps, attempts: readonly SendAttempt[]): boolean =>
  settings.policy !== undefined && settings.terms.referenceDedupe === 'none' && inDoubt(attempts).length > 0;

/**
 * The last attempt in doubt that the run does not know to have left. A run that went back in time with its machine sends once more
 * what it has sent: what keeps it from that, it must not take for "not sent".
 */
const lastUnanswered = (attempts: readonly SendAttempt[], lastLeft: number): number | undefined =>
  inDoubt(attempts).findLast(({ attempt }) => attempt > lastLeft)?.attempt;

/** Interface section 4, payments, transfers, exchange. */
async function post(
  { transactions }: Bank,
  uid: string,
  reference: string,
  order: SentOrder,
  options: SendOptions,
): Promise<string> {
  const { amount, expiredAt, note, reason } = order;
  const rest = { expired_at: expiredAt, note, reason };
  if ('beneficiaryId' in order) {
    const { accountId: account_id, beneficiaryId: beneficiary_id, currency, chargeType: charge_type } = order;
    const body = { uid, account_id, beneficiary_id, reference, amount, currency, ...rest, charge_type };
    return (await transactions.payment(body, options)).order_id;
  }
  if ('destinationAccountId' in order) {
    const { sourceAccountId: source_account_id, destinationAccountId: destination_account_id } = order;
    const body = { source_account_id, destination_account_id, reference, amount, ...rest };
    return (await transactions.transfer(body, options)).order_id;
  }
  const { sellAccountId: sell_account, buyAccountId: buy_account, currency } = order;
  const body = { sell_account, buy_account, amount, currency, reference, ...rest };
  return (await transactions.fx(body, options)).order_id;
}

type BeneficiaryAdded =
  | { kind: 'there' }
  /** A POST is under way, or its answer was lost: check again after the pause. */
  | { kind: 'pending' }
  /** The signed decisions do not allow it, or no longer do. */
  | { kind: 'not-approved' }
  | { kind: 'refused'; obstacle: { kind: 'fail' | 'hold'; reason: Reason } };

/**
 * Adds the payee unless the bank has it. Adding has no idempotency key, so the recorded attempt under the payee's key is also the
 * lock between rows that share the payee. A further attempt is made only if the previous one provably did nothing or the list
 * still lacks the payee after the proof window.
 */
export async function addBeneficiary(
  deps: ActivityDeps,
  caller: Caller,
  { claim }: { claim: Claim },
): Promise<BeneficiaryAdded> {
  const row = await claimedRow(deps.store, claim, caller.runId);
  // Under a policy, no payee is created before approval.
  if (deps.settings.policy !== undefined && !(await mayLeave(deps, row, await readToSend(deps, row, 'payment'))))
    return { kind: 'not-approved' };
  const payee = await namedPayee(deps.bank, row.instruction);
  const reference = payeeReference(payee);
  const attempts = await deps.store.attempts(reference);
  const last = attempts.at(-1);
  if (last?.outcome === 'accepted') return { kind: 'there' };
  if ((await findPayee(deps.bank, payee)) !== undefined) return { kind: 'there' };
  const silent = inDoubt(attempts).length;
  if (last !== undefined && stillInDoubt(deps, last, silent)) {
    return silent < ADDS_UNANSWERED ? { kind: 'pending' } : unanswered(silent);
  }
  // The bank says the payee exists, but its list does not show it as requested.
  if (last?.outcome === 'exists') return refused('hold', because('beneficiary-conflict'));
  return add(deps, caller, claim, payee, { reference, attempt: (last?.attempt ?? 0) + 1 });
}

/** Unanswered adds before people are notified. */
const ADDS_UNANSWERED = 3;

const refused = (kind: 'fail' | 'hold', reason: Reason): BeneficiaryAdded => ({
  kind: 'refused',
  obstacle: { kind, reason },
});

const unanswered = (adds: number): BeneficiaryAdded =>
  refused('hold', because('beneficiary-pending', `${adds} attempts without an answer`));

/** Whether the last add may still appear; each unanswered add doubles the wait. */
function stillInDoubt({ settings, now }: ActivityDeps, last: SendAttempt, silent: number): boolean {
  if (last.outcome === 'not-sent' || last.outcome === 'refused') return false;
  const { lateCommitMs, listLagMs } = settings.terms.waits;
  const windowMs = lateCommitMs + listLagMs;
  return now() - last.sentAt < doublingPause(silent - 1, windowMs, Number.POSITIVE_INFINITY);
}

async function add(
  deps: ActivityDeps,
  caller: Caller,
  claim: Claim,
  payee: NamedPayee,
  key: { reference: string; attempt: number },
): Promise<BeneficiaryAdded> {
  const result = await sendOnce<null, AttemptResult>(deps, caller, {
    admit: async () => ({ ...key, request: null, claim }),
    stoppedBy: async () => {
      const scope = await deps.store.matchingSwitch(switchFactsOf(await claimedRow(deps.store, claim, caller.runId)));
      return scope === undefined ? undefined : { outcome: 'not-sent', why: 'switched-off', scope };
    },
    post: async (_request, options) => {
      const body = { ...payee.fields, ...payee.among };
      return (await deps.bank.beneficiaries.add(body, options)).beneficiary_id;
    },
  });
  if (result.outcome === 'accepted') return { kind: 'there' };
  if (result.outcome === 'not-sent' && result.why === 'switched-off') {
    return refused('hold', because('switched-off', result.scope));
  }
  if (result.outcome !== 'refused') return { kind: 'pending' };
  const meaning = refusalMeaning(result.condition);
  const detail = `adding the beneficiary: ${bankSays(result.condition, result.code)}`;
  return meaning.kind === 'await-funds'
    ? refused('hold', because('beneficiary-not-found', detail))
    : refused(meaning.kind, because(meaning.reason, detail));
}

/** A watch that has not polled for this long counts as dead. */
export const watchLeaseMs = ({ settings }: ActivityDeps): number => Math.max(30_000, settings.listPollMaxMs * 3);

/**
 * Puts a reference into the open set of its lists and wakes those of their watches that are not alive. Idempotent. `since` (epoch
 * ms): when a list can first show its order.
 */
export async function putIntoOpenSet(
  deps: ActivityDeps,
  { workflowId }: PayoutRecord,
  reference: string,
  { lists, since }: { lists: readonly WatchKey[]; since: number },
): Promise<void> {
  const { store, executions, settings } = deps;
  const at = deps.now();
  const times = { since, at, listedSince: at - settings.listWindowMs, watchAliveSince: at - watchLeaseMs(deps) };
  for (const [uid, some] of Map.groupBy(lists, (list) => list.uid)) {
    const currencies = some.map(({ currency }) => currency);
    const asleep = await store.openOrder({ reference, workflowId, uid, currencies, ...times });
    await Promise.all(asleep.map((key) => executions.wakeWatch(key)));
  }
}

/**
 * Lists that can show an order of the row. If the store has forgotten an exchange (older copy), the paying account shows what was
 * sold.
 */
export async function listsOfOrder(
  bank: Pick<Bank, 'accounts'>,
  { uid, assessed, instruction }: PayoutRecord,
  orderKind: OrderKind,
  sent: SentOrder | undefined,
): Promise<WatchKey[]> {
  if (sent !== undefined) return listsOf(uid, sent);
  if (orderKind !== 'exchange') return listsOfPlan(instruction, { transfer: assessed?.transfer });
  const { account_id, currency } = instruction;
  const sellCurrency = assessed?.exchange?.sellCurrency ?? (await bank.accounts.get(account_id)).currency;
  return listsOf(uid, { currency, sellCurrency });
}
