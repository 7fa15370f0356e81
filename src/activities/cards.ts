import type { SendOptions } from '../bank/call-options.ts';
import type { Cards, CreateRequest, ThreeDsSession } from '../bank/cards/acquirer.ts';
import { type CardEntry, type CardVault, withoutCardData } from '../bank/cards/vault.ts';
import { BankError } from '../bank/errors.ts';
import {
  type CardEvent,
  type CardHandle,
  type CardPaymentInput,
  type CardPaymentType,
  type CardPaymentView,
  type CardPost,
  type CardSendResult,
  type CardSent,
  type CardTerms,
  type CreateInput,
  endOfStatus,
  isCardEnd,
  NOTHING_SENT,
  RESUMES_MAX,
  type ResumeInput,
  type SetUpInput,
  type SetUpResult,
  saysOfEnd,
  type VaultActivities,
} from '../domain/card-payment.ts';
import { FAILURES, Misuse } from '../domain/failures.ts';
import { cardDigest, cardRequestId } from '../domain/identity.ts';
import { compareDecimals, parseAmount } from '../domain/money.ts';
import { cardWorkflowId } from '../domain/names.ts';
import type { SentCardRequest } from '../domain/sent-order.ts';
import { believedFrom } from '../domain/store-past.ts';
import { type AttemptResult, bankSays, inDoubt } from '../domain/submission.ts';
import type { CardChange, CardClaimed, CardRecord } from '../store/card-store.ts';
import type { Caller, Sender } from '../store/claimed-row.ts';
import type { SendAttempt } from '../store/store.ts';
import { bound } from './bound.ts';
import { eventOf, eventOfShown, readPaymentOf, viewOf } from './card-events.ts';
import type { ActivityDeps, Run } from './deps.ts';
import { sendOnce } from './send.ts';

interface CardAttempt extends Omit<CardPost, 'amount' | 'currency' | 'paymentType'> {
  /** Number of attempts in doubt by other runs under this id that this run knows of; default 0. */
  othersKnown?: number;
  /** For a create: payment_ids of the intent known to have taken nothing. */
  over?: readonly string[];
  /** For a create: request ids of other creates of the intent that may have been sent. */
  rivals?: readonly string[];
}

/** The payment that answers a POST, linked to its intent, and the events that came before. */
interface PostedPayment {
  payment: CardPaymentView;
  events: CardEvent[];
}

/**
 * One attempt by the send protocol. Registers the request id for its intent before the attempt is recorded. Sends nothing if
 * another run has sent something this run does not know of: it was reset and its history lacks that. Every outcome is a return
 * value, so no failure can hold request or answer data.
 */
async function sendCardOnce(
  sender: Sender,
  caller: Caller,
  given: CardAttempt,
  post: (options: SendOptions) => Promise<PostedPayment>,
): Promise<CardSendResult> {
  const { store } = sender;
  const { merchantRequestId, requestId: reference, attempt, referenceId } = given;
  let posted: PostedPayment | undefined;
  const result = await sendOnce<null, CardSendResult>(sender, caller, {
    refusedByStatus: true,
    async admit() {
      const record = await store.cards.get(merchantRequestId);
      if (record !== undefined && isCardEnd(record.state)) return { held: { outcome: 'ended' } };
      await store.cards.addRequest(reference, merchantRequestId);
      return { reference, attempt, request: null, record: { referenceId } };
    },
    // Asked after our own record is stored, so that of two senders at least one sees the other.
    stoppedBy: async () => (await sentBefore(sender, caller, given)) ?? rivalOf(sender, given),
    async post(_request, options) {
      posted = await post(options);
      return posted.payment.paymentId;
    },
  });
  if (posted !== undefined) return { outcome: 'answered', payment: posted.payment, events: posted.events.map(eventOf) };
  if (result.outcome === 'ambiguous') return (await sentBefore(sender, caller, given)) ?? result;
  return isCardResult(result) ? result : plainResult(result);
}

/** Only an `AttemptResult` has a condition, an order id or `exists`. */
const isCardResult = (result: CardSendResult | AttemptResult): result is CardSendResult =>
  !('condition' in result) && !('orderId' in result) && result.outcome !== 'exists';

/** `unlisted`: refused by HTTP status alone. */
function plainResult(result: AttemptResult): CardSendResult {
  if (result.outcome !== 'refused') return { outcome: 'ambiguous', why: result.outcome };
  const { condition, code } = result;
  return { outcome: 'refused', why: condition === 'unlisted' ? `HTTP ${code}` : bankSays(condition, code) };
}

/**
 * What was sent under this id without this run knowing: a stored answer the workflow never received, or another run's attempt.
 * Undefined if neither.
 */
async function sentBefore(
  { store, now }: Sender,
  { runId: ownRunId }: Caller,
  { merchantRequestId, requestId, othersKnown = 0 }: CardAttempt,
): Promise<CardSendResult | undefined> {
  const made = inDoubt(await store.attempts(requestId));
  const accepted = made.findLast(({ orderId }: SendAttempt) => orderId !== null);
  const paymentId = accepted?.orderId;
  if (paymentId == null) {
    const others = made.filter(({ runId }: SendAttempt) => runId !== ownRunId);
    if (others.length <= othersKnown) return undefined;
    return { outcome: 'ambiguous', why: 'another run has sent', barred: true };
  }
  // The status is left to a query.
  const payment = { paymentId, status: '', nextAction: null };
  const events = (await store.cards.linkPayment(paymentId, merchantRequestId, now())) ?? [];
  return { outcome: 'answered', payment, events: events.map(eventOf), referenceId: sessionOf(accepted) };
}

/**
 * Another create of the intent that may take money: recorded under its own id and not known to be over. Both senders check after
 * storing their own record, so at least one sees the other.
 */
async function rivalOf(
  { store }: Sender,
  { requestId, over = [], rivals = [] }: CardAttempt,
): Promise<CardSendResult | undefined> {
  const others = await Promise.all(rivals.filter((id) => id !== requestId).map((id) => store.attempts(id)));
  const open = inDoubt(others.flat()).filter(({ orderId }) => orderId === null || !over.includes(orderId));
  if (open.length === 0) return undefined;
  return { outcome: 'ambiguous', why: 'another create of this payment may be under way', barred: true };
}

const sessionOf = (attempt: SendAttempt | undefined): string | null =>
  (attempt?.request as unknown as SentCardRequest | null | undefined)?.referenceId ?? null;

/** merchant_request_ids of one intent: of the create, of the one that starts over, and of the n-th resume. */
interface CardRequestIds {
  create: string[];
  resume: string[];
}

/** The first create uses the caller's own id. */
function requestIdsOf(id: string): CardRequestIds {
  return {
    create: [id, restartIdOf(id)],
    resume: Array.from({ length: RESUMES_MAX }, (_, n) => cardRequestId(id, 'resume', n)),
  };
}

/**
 * Id of the create that starts over with a 3DS setup. It is registered for the intent as soon as an answer asks for a setup, so
 * that a later run knows.
 */
const restartIdOf = (id: string): string => cardRequestId(id, 'create', 1);

/** What identifies a card payment, and who asked for it. */
type CardAsked = Pick<CardPaymentInput, 'merchant_request_id' | 'amount' | 'currency' | 'payment_type' | 'by'>;

export function claimOf({ merchant_request_id: merchantRequestId, payment_type: paymentType, ...asked }: CardAsked) {
  const { amount, currency, by = null } = asked;
  const identity = { merchantRequestId, amount, currency, paymentType };
  return { ...identity, workflowId: cardWorkflowId(merchantRequestId), by, digest: cardDigest(identity) };
}

/** Claims it for a run, in a store that is known to be the right one. */
async function claimCard(deps: ActivityDeps, { runId }: Caller, asked: CardAsked): Promise<CardClaimed> {
  await deps.assertIdentity();
  return deps.store.cards.claim({ ...claimOf(asked), runId, at: deps.now() });
}

export interface PrepareCardInput {
  input: Partial<CardPaymentInput>;
  /** There was an earlier run of this workflow id, according to its starter or to its own history. */
  ranBefore?: boolean;
  /** The run knows no payment at the acquirer, and is about to end as unpaid. */
  endsWithout?: boolean;
}

/** What the first activity of a card payment returns into history. */
export type PreparedCard =
  | ({ kind: 'ended' } & StoredCardState)
  | {
      kind: 'ready';
      amount: string;
      paymentType: CardPaymentType;
      terms: CardTerms;
      requestIds: CardRequestIds;
      /** What earlier runs sent; absent if they sent nothing. */
      earlier?: EarlierRuns;
    };

interface EarlierRuns extends CardSent {
  /** The payment_id of the last create, if known. */
  paymentId: string | null;
  /** The 3-D Secure session of that create. */
  referenceId: string | null;
  /** That create was sent without a 3DS setup and the acquirer asked for one: start over with a setup. */
  wantsSetUp: boolean;
  /** payment_ids of the earlier creates. */
  before: string[];
  /** The resume in doubt. */
  openResume?: { attempts: number; othersKnown: number; firstSentAt: number };
  events: CardEvent[];
}

/** Checks the identity, takes the claim and fixes the terms. Nothing here moves money; all of it may run again. */
export async function prepareCard(
  deps: ActivityDeps,
  caller: Caller,
  { input, ranBefore = false, endsWithout = false }: PrepareCardInput,
): Promise<PreparedCard> {
  const { merchant_request_id: id = '', amount, currency, payment_type: paymentType, three_ds: threeDs, by } = input;
  if (id === '' || caller.workflowId !== cardWorkflowId(id)) {
    throw new Misuse(
      FAILURES.wrongWorkflowId,
      'the workflow id of a card payment is card/<merchant_request_id>: the id is the lock against taking money twice',
    );
  }
  const payable = amount !== undefined && currency !== undefined && parseAmount(amount, currency).ok;
  const known = (paymentType === 'AUTH' || paymentType === 'DEBIT') && (threeDs === 'setup' || threeDs === 'skip');
  if (!payable || !known) {
    throw new Misuse(
      FAILURES.invalidInput,
      'the input needs amount (a decimal string above 0), currency, payment_type AUTH or DEBIT, and three_ds setup or skip',
    );
  }
  const asked = { merchant_request_id: id, amount, currency, payment_type: paymentType, by };
  const { record, samePayload, holder } = await claimCard(deps, caller, asked);
  // After a change of the amount, a later run is started with the new one.
  if (!samePayload && claimOf(asked).digest !== cardDigest(record)) {
    throw new Misuse(FAILURES.idReused, 'this merchant_request_id was used before for another payment');
  }
  if (isCardEnd(record.state)) return { kind: 'ended', ...stateOf(record) };
  const terms = deps.settings.cardTerms;
  const hadOther = ranBefore || holder === 'other-run';
  const earlier = hadOther ? await withForgotten(deps, record, await earlierRuns(deps, id), endsWithout) : undefined;
  return { kind: 'ready', amount: record.amount, paymentType, terms, requestIds: requestIdsOf(id), earlier };
}

/**
 * After an older copy was put in the store's place, a run before this one may have sent what it does not show, and no interface
 * finds that: only an event names it, or people. While the acquirer repeats its first answer, the same request finds it, so that
 * is known only by a run that ends without a payment.
 */
async function withForgotten(
  { store, settings, now }: ActivityDeps,
  { createdAt }: CardRecord,
  earlier: EarlierRuns | undefined,
  endsWithout: boolean,
): Promise<EarlierRuns | undefined> {
  const restored = await store.restored();
  if (restored === undefined) return earlier;
  if (!endsWithout && now() - restored.from < settings.cardTerms.repeatWindowMs) return earlier;
  if (createdAt > (believedFrom(restored, settings) ?? createdAt)) return earlier;
  const none = { ...NOTHING_SENT, referenceId: null, wantsSetUp: false, before: [], events: [] };
  const known = earlier ?? none;
  // What came after the payment that is known may be missing as well.
  return { ...known, paymentId: null, inDoubtSince: known.inDoubtSince ?? restored.from };
}

/** What earlier runs have sent: nothing is sent again until its outcome is known. */
async function earlierRuns({ store }: ActivityDeps, merchantRequestId: string): Promise<EarlierRuns | undefined> {
  const { create, resume } = requestIdsOf(merchantRequestId);
  const creates = await Promise.all(create.map((id) => store.attempts(id)));
  const linked = await store.cards.paymentsOf(merchantRequestId);
  const creation = creates.findLastIndex((attempts) => attempts.length > 0);
  if (creation === -1 && linked.length === 0) return undefined;
  const last = creates[creation] ?? [];
  const resumes = await Promise.all(resume.map((id) => store.attempts(id)));
  // A payment_id that an earlier create was answered with does not belong to the last one.
  const others = new Set(creates.slice(0, Math.max(0, creation)).flatMap(paymentsIn));
  const begun = resumes.findLastIndex((attempts) => attempts.length > 0);
  const open = inDoubt(resumes[begun] ?? []);
  const isOpen = open.length > 0 && open.every(({ outcome }) => outcome !== 'accepted');
  return {
    creation: Math.max(0, creation),
    attempts: last.length,
    inDoubtSince: inDoubt(last)[0]?.sentAt ?? null,
    paymentId: paymentsIn(last).at(-1) ?? linked.filter((id) => !others.has(id)).at(-1) ?? null,
    referenceId: sessionOf(last.at(-1)),
    wantsSetUp: creation === 0 && (await store.cards.ownerOfRequest(restartIdOf(merchantRequestId))) !== undefined,
    before: [...others],
    resumes: isOpen ? begun : begun + 1,
    ...(isOpen && {
      openResume: {
        attempts: resumes[begun]?.length ?? 0,
        othersKnown: open.length,
        firstSentAt: open[0]?.sentAt ?? 0,
      },
    }),
    resumed: resumes.some((attempts) => inDoubt(attempts).length > 0),
    events: (await store.cards.eventsOf(merchantRequestId)).map(eventOf),
  };
}

const paymentsIn = (attempts: readonly SendAttempt[]): string[] => attempts.flatMap(({ orderId }) => orderId ?? []);

export type StoredCardState = Pick<CardRecord, 'state' | 'reason' | 'paymentId'>;

/** `state` absent: unchanged, only the amount changes. */
export type RecordCardStateInput = Omit<CardChange, 'at'> & {
  merchantRequestId: string;
  asked: CardAsked;
};

const stateOf = ({ state, reason, paymentId }: CardRecord): StoredCardState => ({ state, reason, paymentId });

/**
 * Stores the state for people and for payouts that wait for this payment. A stored end never changes. An older copy in the
 * store's place may have forgotten the payment, which is then claimed again, or whose the payment at the acquirer is.
 */
export async function recordCardState(
  deps: ActivityDeps,
  caller: Caller,
  { merchantRequestId, asked, ...change }: RecordCardStateInput,
): Promise<StoredCardState> {
  const { cards } = deps.store;
  const before = (await cards.get(merchantRequestId)) ?? (await claimCard(deps, caller, asked)).record;
  // Payouts go by an end as soon as it is stored: what contradicts it must be known by then.
  if (before !== undefined && !isCardEnd(before.state)) {
    const after = { ...before, ...change };
    if (after.state === 'succeeded') await recordSuccess(deps, after);
    await noteContradictions(deps, after);
  }
  const record = await cards.change(merchantRequestId, { ...change, at: deps.now() });
  if (isCardEnd(record.state)) {
    await noteContradictions(deps, record);
    const waiters = await cards.waiters(merchantRequestId);
    await Promise.all(waiters.map((workflowId) => deps.executions.readAgain(workflowId)));
  }
  return stateOf(record);
}

/**
 * Anyone who can write to a workflow can have it say anything: money counts as taken, and as no more, by a stored event or by what
 * the acquirer shows now. What it shows to the contrary is stored as an event.
 *
 * @throws Error if neither says anything of an end: asked again later
 */
async function recordSuccess(deps: ActivityDeps, record: CardRecord): Promise<void> {
  const { merchantRequestId, paymentId, amount, currency } = record;
  const { cards } = deps.store;
  const isTaken = (shown: CardEvent | CardPaymentView): boolean =>
    shown.paymentId === paymentId &&
    endOfStatus(shown.status) === 'succeeded' &&
    (shown.currency ?? currency) === currency &&
    compareDecimals(shown.amount ?? amount, amount) !== -1;
  const events = await cards.eventsOf(merchantRequestId);
  if (events.some((event) => event.kind === 'status' && event.trust === 'verified' && isTaken(event))) return;
  const found = paymentId === null ? undefined : await readPaymentOf(deps, { paymentId });
  const { create, resume } = requestIdsOf(merchantRequestId);
  const isOurs =
    [merchantRequestId, undefined].includes(found?.owner) &&
    [undefined, ...create, ...resume].includes(found?.payment.merchantRequestId);
  if (found === undefined || !isOurs) throw new Error('the acquirer shows no such payment of this intent');
  const { payment } = found;
  if (isTaken(payment)) return;
  if (saysOfEnd(record, payment, deps.settings.cardBackStatuses) !== 'contradicts')
    throw new Error('the acquirer does not show that the money was taken');
  await cards.receive(eventOfShown(payment, merchantRequestId, deps.now()));
}

/** Records verified events that contradict the end, if it is one. The workflow had not received them when it decided. */
async function noteContradictions({ store, settings, now }: ActivityDeps, record: CardRecord): Promise<void> {
  const { merchantRequestId, paymentId, state } = record;
  if (!isCardEnd(state)) return;
  if (paymentId !== null) await store.cards.linkPayment(paymentId, merchantRequestId, now());
  for (const event of await store.cards.eventsOf(merchantRequestId)) {
    if (event.kind !== 'status' || event.trust !== 'verified') continue;
    if (saysOfEnd(record, event, settings.cardBackStatuses) !== 'contradicts') continue;
    await store.cards.recordEventEffect(event, { merchantRequestId, effect: 'contradicts', at: now() });
  }
}

/** One POST that resumes a payment after its challenge. */
export const resumePayment = (deps: ActivityDeps, caller: Caller, input: ResumeInput): Promise<CardSendResult> =>
  sendCardOnce(deps, caller, input, async (options) => {
    const payment = await deps.bank.cards.resume(
      {
        merchantRequestId: input.requestId,
        paymentType: input.paymentType,
        amount: input.amount,
        currency: input.currency,
        paymentId: input.paymentId,
        referenceId: input.referenceId ?? undefined,
      },
      options,
    );
    const view = viewOf(payment, input.paymentId);
    const events = await deps.store.cards.linkPayment(view.paymentId, input.merchantRequestId, deps.now());
    if (events === undefined) throw new Error('the payment of another intent');
    return { payment: view, events };
  });

export interface VaultDeps extends Sender {
  vault: CardVault;
  bank: { cards: Pick<Cards, 'setUp' | 'create'> };
}

// Inputs, results and failures of these activities are history: no result holds card data, and no error escapes.

async function setUpCard(
  deps: VaultDeps,
  _run: Run,
  { merchantRequestId, card, amount, currency }: SetUpInput,
): Promise<SetUpResult> {
  const entry = deps.vault.use(card.handle, merchantRequestId);
  if (entry === undefined) return { outcome: 'card-gone' };
  try {
    await deps.assertIdentity();
    const session = sessionFor(await deps.bank.cards.setUp({ card: entry.card, amount, currency }), entry);
    // A 3DS completion notice may name only the session.
    if (session.outcome === 'ready') await deps.store.cards.addSession(session.referenceId, merchantRequestId);
    return session;
  } catch (error) {
    if (!(error instanceof BankError)) return { outcome: 'unavailable', why: 'the set-up failed' };
    const status = error.httpStatus === undefined ? error.name : `HTTP ${error.httpStatus}`;
    const why = error.code === undefined ? status : `code ${error.code}`;
    const refused = error.outcome === 'refused' && !error.tokenSuspect;
    return { outcome: refused ? 'refused' : 'unavailable', why };
  }
}

async function createCardPayment(deps: VaultDeps, caller: Caller, input: CreateInput): Promise<CardSendResult> {
  const entry = deps.vault.use(input.card.handle, input.merchantRequestId);
  if (entry === undefined) return cardGone(deps, caller, input);
  try {
    const rivals = requestIdsOf(input.merchantRequestId).create;
    const post = (options: SendOptions): Promise<PostedPayment> => create(deps, input, entry, options);
    const result = await withSetUpWanted(deps, input, await sendCardOnce(deps, caller, { ...input, rivals }, post));
    if (isOver(result, input)) deps.vault.forget(input.card.handle);
    return result;
  } catch {
    // The answer could not be stored. Repeating the same request returns the same payment.
    return { outcome: 'ambiguous', why: 'store-unreachable' };
  }
}

/** A stored answer that the workflow never received has no status; whether it asked for a setup was registered with it. */
async function withSetUpWanted(
  { store }: VaultDeps,
  { merchantRequestId, requestId }: CreateInput,
  result: CardSendResult,
): Promise<CardSendResult> {
  if (result.outcome !== 'answered' || result.payment.status !== '' || requestId !== merchantRequestId) return result;
  if ((await store.cards.ownerOfRequest(restartIdOf(merchantRequestId))) === undefined) return result;
  return { ...result, payment: { ...result.payment, status: 'REQUIRES_ACTION' } };
}

/** The card is gone, but may have been used: a run that was reset does not know. */
async function cardGone(deps: VaultDeps, caller: Caller, input: CreateInput): Promise<CardSendResult> {
  try {
    return await withSetUpWanted(deps, input, (await sentBefore(deps, caller, input)) ?? { outcome: 'card-gone' });
  } catch {
    return { outcome: 'not-sent', why: 'store-unreachable' };
  }
}

function sessionFor({ referenceId, dataCollectionInfo }: ThreeDsSession, entry: CardEntry): SetUpResult {
  const free = withoutCardData({ referenceId, dataCollectionInfo }, entry) as Partial<ThreeDsSession>;
  if (free.referenceId === undefined) return { outcome: 'unavailable', why: 'the session has no id that may be kept' };
  return { outcome: 'ready', referenceId: free.referenceId, dataCollectionInfo: free.dataCollectionInfo ?? null };
}

/**
 * Throws if the answer's id or status holds card data, which must not be stored: the payment is looked up instead. Also if it
 * shows the payment of another intent, which an acquirer took for the same one: the outcome is then unknown.
 */
async function create(
  { bank, store, now }: VaultDeps,
  { merchantRequestId, requestId, paymentType, amount, currency, referenceId }: CreateInput,
  entry: CardEntry,
  options: SendOptions,
): Promise<PostedPayment> {
  const intent = { merchantRequestId: requestId, paymentType, amount, currency };
  const request: CreateRequest = { ...intent, ...entry, ...(referenceId === null ? {} : { referenceId }) };
  const shown = await bank.cards.create(request, options);
  const { paymentId, status, nextAction, ...rest } = withoutCardData(shown, entry) as Partial<CardPaymentView>;
  if (paymentId === undefined || status === undefined) throw new Error('the answer has no id that may be kept');
  const events = await store.cards.linkPayment(paymentId, merchantRequestId, now());
  if (events === undefined) throw new Error('the payment of another intent');
  // Before the answer is in the store: a reader that finds it there finds this too.
  if (status === 'REQUIRES_ACTION' && nextAction == null && referenceId === null) {
    await store.cards.addRequest(restartIdOf(merchantRequestId), merchantRequestId);
  }
  const action = nextAction?.type === undefined ? null : { ...nextAction, verifyUrl: nextAction.verifyUrl ?? null };
  const view = viewOf({ ...rest, paymentId, status, nextAction: action }, paymentId);
  return { payment: view, events };
}

/** Whether the card is no longer needed: the acquirer has decided, or continues with the session of a setup. */
function isOver(result: CardSendResult, { referenceId, keepCard }: CreateInput): boolean {
  if (result.outcome !== 'answered') return false;
  const { status, nextAction } = result.payment;
  return status !== 'REQUIRES_ACTION' || nextAction !== null || referenceId !== null || !keepCard;
}

/** What retrieve shows of a payment. */
export async function retrievePayment(
  { bank }: ActivityDeps,
  _run: Run,
  { paymentId }: { paymentId: string },
): Promise<CardPaymentView> {
  return viewOf(await bank.cards.retrieve(paymentId), paymentId);
}

/** Links a payment to this intent; false if it belongs to another. */
export async function claimPayment(
  { store, now }: ActivityDeps,
  _run: Run,
  { merchantRequestId, paymentId }: { merchantRequestId: string; paymentId: string },
): Promise<boolean> {
  return (await store.cards.linkPayment(paymentId, merchantRequestId, now())) !== undefined;
}

const forgetCard = async ({ vault }: VaultDeps, _run: Run, { handle }: CardHandle): Promise<void> =>
  vault.forget(handle);

const VAULT = { setUpCard, createCardPayment, forgetCard };

/** Activities that need the card, run by the gateway process that holds it. */
export const vaultActivities = (deps: VaultDeps): VaultActivities =>
  bound(deps, VAULT, new Set<keyof typeof VAULT>(['setUpCard', 'createCardPayment']));
