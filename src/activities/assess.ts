import { isJudged } from '../bank/errors.ts';
import {
  CheckFailure,
  type CheckProvider,
  type Party,
  type PayeeAccount,
  type Screening,
  type Verification,
} from '../bank/payee-checks/provider.ts';
import { findPayee, isNamedPayee, namedPayee, payeeReference } from '../bank/payee-lists.ts';
import type { AccountBalance } from '../bank/schemas/accounts.ts';
import type { Beneficiary } from '../bank/schemas/beneficiaries.ts';
import { type ExchangePlan, mostSoldFor, type ShownAccount, withSlippage } from '../domain/agreed-cost.ts';
import { type Claim, Superseded } from '../domain/claim.ts';
import {
  type ApprovedDigest,
  type Assessment,
  approvalExceptionsOf,
  type Guards,
  type Obstacle,
} from '../domain/gates.ts';
import { approvalDigest, payloadDigest } from '../domain/identity.ts';
import { beneficiaryFields, buysForItself, type PayoutInstruction } from '../domain/instruction.ts';
import { addDecimals, compareDecimals, decimalsEqual, sumDecimals } from '../domain/money.ts';
import {
  mainOrderKindOf,
  type OrderKind,
  type PayoutKind,
  payoutReference,
  payoutWorkflowId,
} from '../domain/names.ts';
import {
  ACCOUNT_FIELDS,
  type CheckKind,
  differences,
  orderAlike,
  type PayeeCheck,
  payeeCountry,
  payeeName,
  type Shown,
} from '../domain/payee.ts';
import { isUnpaid, type StoredState } from '../domain/payout-state.ts';
import { because } from '../domain/reasons.ts';
import {
  type ExchangeOrder,
  foreignAccount,
  listsOfPlan,
  type PaymentOrder,
  unfitExchange,
  unfitTransfer,
} from '../domain/sent-order.ts';
import { bankSays, type ExchangeProgress, orderAsked, orderToRepeat, refusalMeaning } from '../domain/submission.ts';
import { switchFactsOf } from '../domain/switches.ts';
import { DAY_MS } from '../domain/time.ts';
import { askedOf, asPayee, capsOf, type SeenAtBank } from '../people/decisions/asked.ts';
import { limitPassed, raised, touchedBy } from '../people/decisions/let-through.ts';
import { isMakerAllowed } from '../people/decisions/verdict.ts';
import { notedFlags } from '../people/payee-flags.ts';
import type { CardRecord } from '../store/card-store.ts';
import { type Caller, orderReference, rowAsRecorded } from '../store/claimed-row.ts';
import { earlierReferences, mayOtherGenerationPay } from '../store/proven-unpaid.ts';
import type { KeptCheck, PayoutRecord } from '../store/store.ts';
import { batchExchangeOf } from './batch-exchange.ts';
import { cardPaymentState, readAfterRestore, startAgain } from './card-events.ts';
import type { ActivityDeps } from './deps.ts';
import { askBank } from './lists.ts';
import { contradictions } from './note-orders.ts';
import { checkOf, checksAskedOf, type PayeeChecks } from './payee-checks.ts';

/**
 * Verdicts on the payee of a row; asked for anew if none is stored or the stored one is too old, and at every reading while the
 * provider does not know. `payee`: as the bank shows it; a payee that the row gives by its details is checked as the row has it.
 */
export async function checkedPayee(
  deps: ActivityDeps,
  row: PayoutRecord,
  payee: Beneficiary | undefined,
): Promise<{ checks?: PayeeCheck[] }> {
  const { checks } = deps;
  const kinds = checksAskedOf(checks, row);
  if (checks === undefined || kinds.length === 0) return {};
  const about = aboutPayee(row, payee);
  return { checks: await Promise.all(kinds.map((kind) => verdictOf(deps, checks, row, kind, about))) };
}

async function verdictOf(
  { store, now }: ActivityDeps,
  { provider, maxAgeMs }: PayeeChecks,
  { uid, reference }: PayoutRecord,
  kind: CheckKind,
  about: PayeeAccount | undefined,
): Promise<PayeeCheck> {
  const asked = about && askedIn(kind, about);
  const payee = approvalDigest({ ...asked?.account, kind, ...(asked && partsOf(asked)) });
  const key = { uid, kind, provider: provider.name, payee };
  const known = await store.payeeCheck(key);
  if (known !== undefined && isFresh(known, now(), maxAgeMs)) return checkOf(known);
  const answer = asked === undefined ? NAMELESS : await answerOf(provider, kind, asked);
  const { verdict, otherName = null, caseId = null, why = null } = answer;
  const name = otherName === null ? null : (asked?.name ?? null);
  const answered: KeptCheck = { ...key, verdict, name, otherName, caseId, why, askedAt: now() };
  await store.notePayeeCheck(answered, reference);
  return checkOf(answered);
}

/** A verdict dated in the future, by a clock that was ahead, has no known age. */
const isFresh = ({ verdict, askedAt }: KeptCheck, now: number, maxAgeMs: number): boolean =>
  verdict !== 'not-available' && askedAt > now - maxAgeMs && askedAt <= now + CLOCK_AHEAD_MS;

/** How far the clock of another worker may be ahead of ours. */
const CLOCK_AHEAD_MS = 60_000;

type Answer = (Verification | Screening) & { otherName?: string; why?: string };

const NAMELESS: Answer = { verdict: 'not-available', why: 'the details of the payee hold no name' };

async function answerOf(provider: CheckProvider, kind: CheckKind, about: Asked): Promise<Answer> {
  try {
    return await (kind === 'screening' ? provider.screen(about) : provider.verifyPayee(about as PayeeAccount));
  } catch (error) {
    if (!(error instanceof CheckFailure)) throw error;
    return { verdict: 'not-available', why: error.message };
  }
}

type Asked = Party & Partial<PayeeAccount>;

/** A screening list is searched by party, not by account. */
function askedIn(kind: CheckKind, about: PayeeAccount): Asked {
  if (kind === 'verification') return about;
  const { name, type, country } = about;
  return { name, type, country };
}

const partsOf = ({ name, type, country, currency }: Asked) => ({
  'payee.name': name,
  'payee.type': type,
  'payee.country': country,
  'payee.currency': currency,
});

const OF_AN_ACCOUNT: ReadonlySet<string> = new Set(ACCOUNT_FIELDS);

function aboutPayee({ instruction }: PayoutRecord, atBank: Beneficiary | undefined): PayeeAccount | undefined {
  // A payee given by its details is compared with the bank's record at every reading, and the bank may add details of its own.
  const isNamedById = instruction.beneficiary_id !== undefined;
  const items: Record<string, string> = isNamedById ? (atBank?.items ?? {}) : beneficiaryFields(instruction);
  const name = payeeName(items);
  if (name === undefined) return undefined;
  const account = Object.entries(items).filter(([field, value]) => OF_AN_ACCOUNT.has(field) && value !== '');
  return {
    name,
    type: isNamedById ? atBank?.beneficiary_type : instruction.beneficiary_type,
    country: payeeCountry(items),
    currency: instruction.currency,
    account: Object.fromEntries(account),
  };
}

/** What our own store and the policy hold against sending. */

/** Every guard must be present, undefined if it does not object: a guard left unread would let everything through. */
type ReadGuards = { [Name in keyof Required<Guards>]: Guards[Name] };

async function guardsOf(deps: ActivityDeps, row: PayoutRecord, read: Assessment): Promise<ReadGuards> {
  const { store } = deps;
  const { beneficiary, payingAccountId, exchange } = read;
  const { instruction } = row;
  const beneficiaryId = beneficiary?.known ? beneficiary.id : undefined;
  const touched = switchFactsOf(row);
  const switchedOff = await store.matchingSwitch({
    ...touched,
    accounts: [...touched.accounts, ...present(payingAccountId), ...present(exchange?.sellAccountId)],
    currencies: [...touched.currencies, ...present(exchange?.sellCurrency)],
    payees: [...touched.payees, ...present(beneficiaryId)],
  });
  const { after_card_payment: id } = instruction;
  const card = id === undefined ? {} : await cardPaymentOf(deps, id, row);
  // What is switched off is not sent: its list is read when that is over.
  const atBank = switchedOff === undefined ? await askedBank(deps, row, read) : {};
  return {
    switchedOff,
    earlierOpen: (await isEarlierDoubtful(deps, row)) || atBank.earlier,
    listDoubt: atBank.doubt,
    limit: await limitPassed(deps, row, { beneficiaryId, payingAccountId, exchange }),
    makerNotAllowed: isMakerAllowed(deps, row, touchedBy(row, read)) ? undefined : true,
    lookAlike: await lookAlikeOf(store, row),
    cardPayment: card.cardPayment,
    collected: card.collected,
    batchExchange: read.batchExchange,
  };
}

/** By the store, and by what the bank now shows of orders said to have taken no money: it may have changed its mind. */
async function isEarlierDoubtful(deps: ActivityDeps, row: PayoutRecord): Promise<true | undefined> {
  if (await mayOtherGenerationPay(deps.store, row)) return true;
  for (const payout of await deps.store.payoutsOf(earlierReferences(row))) {
    if ((await contradictions(deps, payout)).length > 0) return true;
  }
  return undefined;
}

const WAITS: ReadonlySet<PayoutRecord['state']> = new Set(['scheduled', 'held', 'awaiting-funds', 'awaiting-approval']);

/** What the bank's lists have against the order that would be sent next. */
async function askedBank(
  deps: ActivityDeps,
  row: PayoutRecord,
  { exchange, transfer, obstacle }: Assessment,
): Promise<{ earlier?: string; doubt?: Guards['listDoubt'] }> {
  if (obstacle !== undefined) return {};
  const lists = listsOfPlan(row.instruction, { exchange, transfer });
  const orderKind = exchange === undefined ? mainOrderKindOf(row.kind) : 'exchange';
  // What was seen before the row waited, for people or for money, is of the past.
  const hasWaited = WAITS.has(row.state);
  // The intake of a batch has searched for it; for a generation that was started by itself nobody has.
  const isAlone = row.batchId === null && row.generation > 0;
  const begunAfter = hasWaited ? deps.now() : isAlone ? row.createdAt : 0;
  const { earlier, doubt } = await askBank(deps, row, orderKind, lists, begunAfter);
  return { ...(earlier.length > 0 && { earlier: `order ${earlier.join(', ')}` }), doubt };
}

/**
 * State of the card payment. The payout is registered as a waiter before the read, so an end stored meanwhile is either seen here
 * or signalled.
 */
async function cardPaymentOf(
  deps: ActivityDeps,
  merchantRequestId: string,
  row: PayoutRecord,
): Promise<Pick<Guards, 'cardPayment' | 'collected'>> {
  const { cards } = deps.store;
  await cards.addWaiter(merchantRequestId, payoutWorkflowId(row.reference));
  const found = await cards.get(merchantRequestId);
  if (found?.state === 'succeeded') await readAfterRestore(deps, found);
  // If its workflow was closed without an end, nobody else would find out.
  else if (found !== undefined) await startAgain(deps, found);
  const record = await cards.get(merchantRequestId);
  return { cardPayment: cardPaymentState(record), collected: await collectedBy(deps, record, row) };
}

/** What people see of a card payment that has succeeded. */
async function collectedBy(
  { store, settings }: ActivityDeps,
  record: CardRecord | undefined,
  { reference, instruction }: PayoutRecord,
): Promise<Guards['collected']> {
  if (record === undefined || cardPaymentState(record) !== 'succeeded') return undefined;
  const { merchantRequestId } = record;
  const { amount, currency, paymentType } = record;
  const needed = [instruction.amount, ...(await alsoPaidFrom(store, merchantRequestId, { reference, currency }))];
  const covers = currency === instruction.currency && compareDecimals(amount, sumDecimals(needed)) !== -1;
  const isTaken = paymentType === 'DEBIT' || settings.cardAuthCounts;
  return { amount, currency, isTaken, covers };
}

/** What of the guards people may let through, right before an order is sent. */
async function toLetThrough(deps: ActivityDeps, row: PayoutRecord): Promise<Pick<Guards, 'lookAlike' | 'collected'>> {
  const { after_card_payment: id } = row.instruction;
  const record = id === undefined ? undefined : await deps.store.cards.get(id);
  return { lookAlike: await lookAlikeOf(deps.store, row), collected: await collectedBy(deps, record, row) };
}

/**
 * Amounts of the other payouts that wait for the same card payment, or were paid from it: those that ended unpaid took nothing.
 * Each of two that it covers only alone sees the other, whichever registered first, so people decide which one is paid.
 */
async function alsoPaidFrom(
  { cards, payoutsOf }: ActivityDeps['store'],
  merchantRequestId: string,
  { reference, currency }: { reference: string; currency: string },
): Promise<string[]> {
  const others = (await cards.waiters(merchantRequestId)).map(payoutReference).filter((other) => other !== reference);
  return (await payoutsOf(others))
    .filter(({ instruction, state }) => instruction.currency === currency && !isUnpaid(state))
    .map(({ instruction }) => instruction.amount);
}

const present = (value: string | undefined): string[] => (value === undefined ? [] : [value]);

/** Days between the two claims, not until now: the reason must not change while the payout is held. */
async function lookAlikeOf(store: ActivityDeps['store'], row: PayoutRecord): Promise<Assessment['lookAlike']> {
  if (row.lookAlikeOf === null) return undefined;
  const orderId = orderAlike(row.lookAlikeOf);
  if (orderId !== undefined) return { orderId };
  const earlier = await store.payout(row.lookAlikeOf);
  if (earlier === undefined) return { daysBefore: null };
  const daysBefore = Math.max(0, Math.floor((row.createdAt - earlier.createdAt) / DAY_MS));
  return { daysBefore, ...(row.batchId !== null && earlier.batchId === row.batchId && { sameFile: true }) };
}

export interface AssessInput extends ExchangeProgress {
  claim: Claim;
  /** State that the row should be in. */
  recorded?: StoredState;
  approved?: readonly ApprovedDigest[];
}

/**
 * Reads what the bank shows about a payout and stores it under the claim: the order is made from it. Stores approvals first, so
 * that a sender finds them. A refusal with a condition becomes an obstacle; everything else is thrown.
 */
export async function assess(
  deps: ActivityDeps,
  { runId }: Caller,
  { claim, recorded, approved = [], ...progress }: AssessInput,
): Promise<Assessment> {
  const row = await rowAsRecorded(deps, claim, runId, recorded);
  const { reference } = row;
  // The order is made from this reading: it must not come from another customer's accounts.
  await deps.assertIdentity();
  for (const each of approved) await deps.store.recordApprovals({ reference, ...each, at: deps.now() });
  return recordedAssessment(deps, row, progress);
}

/** `assess` for a row whose claim is known to be held. */
export async function recordedAssessment(
  deps: ActivityDeps,
  row: PayoutRecord,
  progress: ExchangeProgress,
): Promise<Assessment> {
  const read = await readOrObstacle(deps, row, progress);
  const { policy, terms } = deps.settings;
  const shown = {
    ...read,
    ...keptBound(row, read),
    ...sinceFirst(row, read),
    ...(await guardsOf(deps, row, read)),
    ...(policy !== undefined && { policyHash: policy.hash }),
    ...(await raised(deps, row, read, read)),
  };
  const exceptions = approvalExceptionsOf(shown, payloadDigest(row.instruction), capsOf(row, terms));
  const assessment = { ...shown, ...(exceptions.length > 0 && { exceptions }) };
  if (!(await deps.store.recordAssessment(row, assessment, deps.now()))) throw new Superseded();
  // Only later readings need these, and they find them in the store.
  const { first: _, asked: __, ...forHistory } = assessment;
  return forHistory;
}

/**
 * Reads the bank for an order that is about to be sent, or that the bank is about to release: only what people sign is read, and
 * nothing is stored.
 */
export async function readToSend(deps: ActivityDeps, row: PayoutRecord, orderKind: OrderKind): Promise<Assessment> {
  // A payment follows its exchange, which leaves the account that it pays from.
  const read = await readOrObstacle(deps, row, { exchanged: orderKind === 'payment', exchangeSent: false });
  const shown = { ...read, ...keptBound(row, read), ...(await toLetThrough(deps, row)) };
  const exceptions = approvalExceptionsOf(shown, payloadDigest(row.instruction), capsOf(row, deps.settings.terms));
  return { ...shown, exceptions };
}

type Reader = (deps: ActivityDeps, row: PayoutRecord, progress: ExchangeProgress) => Promise<Assessment>;

/** What is read from the bank for a row of each kind. */
const READERS: Readonly<Record<PayoutKind, Reader>> = {
  payout: readPayout,
  transfer: readTransfer,
  exchange: readExchange,
};

async function readOrObstacle(deps: ActivityDeps, row: PayoutRecord, progress: ExchangeProgress): Promise<Assessment> {
  try {
    return await READERS[row.kind](deps, row, progress);
  } catch (error) {
    const obstacle = obstacleOf(error);
    if (obstacle === undefined) throw error;
    return obstructed(row, obstacle);
  }
}

/** Kept when a reading fails. */
function keptBound(
  { assessed }: PayoutRecord,
  { mostSold = assessed?.mostSold }: Assessment,
): Pick<Assessment, 'mostSold'> {
  return mostSold === undefined ? {} : { mostSold };
}

/** What the plan of a row has shown as the most that its exchange sells. One in another currency than was shown may sell nothing. */
function soldByPlan({ instruction }: PayoutRecord, { buyAmount, sellCurrency }: ExchangePlan): string | undefined {
  const { max_rate: maxRate, sell_currency: currency } = instruction;
  if (maxRate === undefined) return undefined;
  return currency === sellCurrency ? mostSoldFor(buyAmount, { maxRate, currency }) : '0';
}

/** What the first reading showed of what people see, and flags for what differs now. */
function sinceFirst({ assessed }: PayoutRecord, read: Assessment): Pick<Assessment, 'first' | 'flags'> {
  const { beneficiary, payingAccountId: account, fee, feeCurrency, flags = [] } = read;
  const now: Shown = {
    ...(beneficiary?.known === true && { payee: beneficiary.digest }),
    ...(account !== undefined && { account }),
    ...(fee !== undefined && { fee: `${fee} ${feeCurrency}` }),
  };
  const first = { ...now, ...assessed?.first };
  return { first, flags: [...flags, ...differences(first, now)] };
}

const UNASKABLE = 'its id has characters with which the bank cannot be asked for it';

/** What a refused read means for the payout: the same table as for a refused submit. */
function obstacleOf(error: unknown): Obstacle | undefined {
  if (!isJudged(error) || error.tokenSuspect) return undefined;
  const meaning = refusalMeaning(error.condition);
  if (meaning.kind === 'await-funds') return meaning;
  const why = error.outcome === 'not-sent' ? UNASKABLE : bankSays(error.condition, error.code);
  return { kind: meaning.kind, reason: because(meaning.reason, why) };
}

async function readPayout(
  deps: ActivityDeps,
  row: PayoutRecord,
  { exchanged, exchangeSent }: ExchangeProgress,
): Promise<Assessment> {
  const { instruction } = row;
  const [payee, account] = await Promise.all([readPayee(deps, row), deps.bank.accounts.get(instruction.account_id)]);
  if ('obstacle' in payee) return obstructed(row, payee.obstacle);

  const paying = account.currency === instruction.currency ? account : await payingAccount(deps, row);
  const foreign = foreignAccount(instruction.uid, account, paying);
  if (foreign !== undefined) return obstructed(row, { kind: 'fail', reason: foreign });
  if (paying === undefined) return obstructed(row, { kind: 'hold', reason: because('no-payout-account') });

  const shown = payee.beneficiary && asPayee(payee.beneficiary);
  const beneficiary: Assessment['beneficiary'] = shown === undefined ? { known: false } : { known: true, ...shown };
  const payingAccountId = paying.account_id;
  const sold = account.currency === instruction.currency ? {} : { soldCurrency: account.currency };
  const flags = await notedFlags(deps, row, payee.beneficiary);
  const checked = await checkedPayee(deps, row, payee.beneficiary);
  if (!beneficiary.known) {
    const { policy } = deps.settings;
    // Without a policy nobody is asked before the payee exists.
    const asked = policy === undefined ? unasked(row) : askedOf(deps, row, { payingAccountId }, flags);
    return { ...asked, ...checked, ...sold, flags, beneficiary, payingAccountId };
  }

  const { fee, fee_currency: feeCurrency } = await deps.bank.transactions.paymentFee({
    uid: instruction.uid,
    account_id: paying.account_id,
    beneficiary_id: beneficiary.id,
    amount: instruction.amount,
    currency: instruction.currency,
  });
  const cost = feeCurrency === instruction.currency ? addDecimals(instruction.amount, fee) : instruction.amount;
  const batchExchange = await batchExchangeOf(deps.store, row);
  const exchange =
    account.account_id === paying.account_id || exchanged || !buysForItself(instruction)
      ? undefined
      : (await planExchange(deps, { sell: account, buy: paying, buyAmount: cost })).exchange;
  return {
    beneficiary,
    payingAccountId,
    ...sold,
    exchange,
    ...(exchange && { mostSold: soldByPlan(row, exchange) }),
    fee,
    feeCurrency,
    ...askedOf(deps, row, { payee: shown, payingAccountId, fee, feeCurrency }, flags),
    ...checked,
    flags,
    ...(batchExchange && { batchExchange }),
    funds:
      exchanged || (exchange !== undefined && exchangeSent) || batchExchange?.is === 'open'
        ? undefined
        : exchange === undefined
          ? funds(paying, cost)
          : funds(account, exchange.quotedSellAmount),
  };
}

const unasked = ({ instruction }: PayoutRecord) => ({ digest: payloadDigest(instruction), approvalsNeeded: 0 });

/**
 * The account to pay from: the one that the plan has shown. Without a plan the one that an exchange is booked into, in any order of
 * the bank's list, else the first.
 */
async function payingAccount({ bank, store }: ActivityDeps, row: PayoutRecord): Promise<AccountBalance | undefined> {
  const { uid, currency, paying_account_id: shown } = row.instruction;
  const accounts = (await bank.accounts.ofUser(uid)).filter((account) => account.currency === currency);
  if (shown !== undefined) return accounts.find(({ account_id }) => account_id === shown);
  const boughtInto = orderAsked<ExchangeOrder>(await store.attempts(orderReference(row, 'exchange')))?.buyAccountId;
  return accounts.find(({ account_id }) => account_id === boughtInto) ?? accounts[0];
}

type PayeeFound = { beneficiary: Beneficiary | undefined } | { obstacle: Obstacle };

async function readPayee(deps: ActivityDeps, { reference, instruction }: PayoutRecord): Promise<PayeeFound> {
  if (instruction.beneficiary_id !== undefined) {
    return { beneficiary: await deps.bank.beneficiaries.get(instruction.beneficiary_id) };
  }
  const payee = await namedPayee(deps.bank, instruction);
  if (payee.findings.length > 0) {
    return { obstacle: { kind: 'fail', reason: because('invalid-instruction', payee.findings.join('; ')) } };
  }
  const added = (await deps.store.attempts(payeeReference(payee))).findLast(
    (attempt) => attempt.outcome === 'accepted',
  );
  // A resend repeats the bytes of an earlier attempt, payee included.
  const known = orderToRepeat<PaymentOrder>(await deps.store.attempts(reference))?.beneficiaryId ?? added?.orderId;
  if (known != null) {
    const beneficiary = await deps.bank.beneficiaries.get(known);
    // We added or used it, and the bank shows it changed since: nobody has agreed to pay it as it is now.
    return isNamedPayee(payee, beneficiary)
      ? { beneficiary }
      : { obstacle: { kind: 'hold', reason: because('beneficiary-changed') } };
  }
  return { beneficiary: await findPayee(deps.bank, payee) };
}

// Readings for money that stays with its owner: a transfer, or a stand-alone exchange.

/** Reads both accounts and the fee. An account that the API key cannot see is an obstacle with the bank's own code. */
async function readTransfer(deps: ActivityDeps, row: PayoutRecord): Promise<Assessment> {
  const { instruction } = row;
  const { account_id, to_account_id = '', amount, currency } = instruction;
  const [source, destination] = await bothAccounts(deps, instruction);
  const transfer = { source: shown(source), destination: shown(destination) };
  const unfit = unfitTransfer(instruction, transfer, deps.settings.transferAcrossUsers);
  if (unfit !== undefined) return obstructed(row, { kind: 'fail', reason: unfit });
  const { fee, fee_currency: feeCurrency } = await deps.bank.transactions.transferFee({
    source_account_id: account_id,
    destination_account_id: to_account_id,
    amount,
  });
  const needs = feeCurrency === currency ? addDecimals(amount, fee) : amount;
  return { ...agreed(deps, row, { fee, feeCurrency, transfer }), funds: funds(source, needs) };
}

/** Reads both accounts and a quote. The rate is not part of what is approved: it moves, within the cap. */
async function readExchange(deps: ActivityDeps, row: PayoutRecord): Promise<Assessment> {
  const { instruction, assessed } = row;
  const { maxSlippage } = capsOf(row, deps.settings.terms);
  const [sell, buy] = await bothAccounts(deps, instruction);
  const unfit = unfitExchange(instruction, { sell: shown(sell), buy: shown(buy) });
  if (unfit !== undefined) return obstructed(row, { kind: 'fail', reason: unfit });
  const { exchange, ...cost } = await planExchange(deps, { sell, buy, buyAmount: instruction.amount });
  // Without a plan the first quote, close to what people agreed to: kept, even if later readings differ.
  const first = assessed?.mostSold ?? withSlippage(exchange.quotedSellAmount, maxSlippage);
  const mostSold = soldByPlan(row, exchange) ?? first;
  const funding = funds(sell, exchange.quotedSellAmount);
  return { ...agreed(deps, row, { ...cost, exchange, mostSold }), funds: funding };
}

/** Plans an exchange from a quote that buys the given amount in the currency of the buy account. */
async function planExchange(
  { bank }: ActivityDeps,
  { sell, buy, buyAmount }: { sell: AccountBalance; buy: AccountBalance; buyAmount: string },
): Promise<{ exchange: ExchangePlan } & Pick<Assessment, 'fee' | 'feeCurrency'>> {
  const quote = await bank.transactions.fxQuote({
    sell_account: sell.account_id,
    buy_account: buy.account_id,
    amount: buyAmount,
    currency: buy.currency,
  });
  const exchange = {
    sellAccountId: sell.account_id,
    buyAccountId: buy.account_id,
    buyAmount,
    buyCurrency: buy.currency,
    sellCurrency: sell.currency,
    quotedSellAmount: quote.sell_amount,
    buysWhatWasAsked: decimalsEqual(quote.buy_amount, buyAmount),
  };
  return { exchange, fee: quote.fee, feeCurrency: quote.fee_currency };
}

function bothAccounts({ bank }: ActivityDeps, { account_id, to_account_id = '' }: PayoutInstruction) {
  return Promise.all([bank.accounts.get(account_id), bank.accounts.get(to_account_id)]);
}

const shown = ({ uid, currency }: AccountBalance): ShownAccount => ({ uid, currency });

/** One's own account is no payee, hence never a new one. */
const agreed = (deps: ActivityDeps, row: PayoutRecord, seen: SeenAtBank): Omit<Assessment, 'funds'> => ({
  ...seen,
  ...askedOf(deps, row, seen),
});

const funds = ({ account_id: accountId, balance, isStale }: AccountBalance, needs: string): Assessment['funds'] => ({
  accountId,
  needs,
  available: balance,
  enough: compareDecimals(balance, needs) !== -1,
  isStale,
});

/** The assessment of a row that met an obstacle: it names no payee and no account, so nothing can be sent from it. */
export const obstructed = ({ kind, instruction }: PayoutRecord, obstacle: Obstacle): Assessment => ({
  ...(kind === 'payout' && { beneficiary: { known: false } }),
  digest: payloadDigest(instruction),
  approvalsNeeded: 0,
  obstacle,
});
