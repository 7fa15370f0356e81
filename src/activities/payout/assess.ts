import { isJudged } from '../../bank/errors.ts';
import { findPayee, isNamedPayee, namedPayee, payeeReference } from '../../bank/payee.ts';
import type { AccountBalance } from '../../bank/schemas/accounts.ts';
import type { Beneficiary } from '../../bank/schemas/beneficiaries.ts';
import { bankSays } from '../../domain/bank-condition.ts';
import { type Claim, Superseded } from '../../domain/claim.ts';
import type { ExchangeProgress } from '../../domain/exchange-progress.ts';
import type { Shown } from '../../domain/flags.ts';
import type { ApprovedDigest, Assessment, Obstacle } from '../../domain/gates.ts';
import { approvalExceptionsOf } from '../../domain/gates.ts';
import { payloadDigest } from '../../domain/identity.ts';
import { addDecimals } from '../../domain/money.ts';
import type { LegKind, PayoutKind } from '../../domain/names.ts';
import { foreignAccount } from '../../domain/own-accounts.ts';
import { differences } from '../../domain/payee-flags.ts';
import type { StoredState } from '../../domain/payout-state.ts';
import { because } from '../../domain/reasons.ts';
import type { ExchangeOrder, PaymentOrder } from '../../domain/sent-order.ts';
import { orderAsked, orderToRepeat, refusalMeaning } from '../../domain/submission.ts';
import { askedOf } from '../../people/decisions/asked.ts';
import { raised } from '../../people/decisions/let-through.ts';
import { asPayee, capsOf } from '../../people/decisions/signed-parts.ts';
import { notedFlags } from '../../people/payee-flags.ts';
import type { Caller } from '../../store/claimed-row.ts';
import { legReference, rowAsRecorded } from '../../store/claimed-row.ts';
import type { PayoutRecord } from '../../store/store.ts';
import type { ActivityDeps } from '../deps.ts';
import { funds, planExchange, readExchange, readTransfer } from '../sending/own-accounts.ts';
import { checkedPayee } from './checked-payee.ts';
import { guardsOf, toLetThrough } from './guards.ts';
import { obstructed } from './obstructed.ts';

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
export async function assessPayout(
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

/** `assessPayout` for a row whose claim is known to be held. */
export async function recordedAssessment(
  deps: ActivityDeps,
  row: PayoutRecord,
  progress: ExchangeProgress,
): Promise<Assessment> {
  const read = await readOrObstacle(deps, row, progress);
  const { policy, terms } = deps.settings;
  const shown = {
    ...read,
    ...firstQuote(row, read),
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
export async function readToSend(deps: ActivityDeps, row: PayoutRecord, leg: LegKind): Promise<Assessment> {
  // A payment follows its exchange, which leaves the account that it pays from.
  const read = await readOrObstacle(deps, row, { exchanged: leg === 'payment', exchangeSent: false });
  const shown = { ...read, ...firstQuote(row, read), ...(await toLetThrough(deps, row)) };
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
function firstQuote({ assessed }: PayoutRecord, { firstSellAmount }: Assessment): Pick<Assessment, 'firstSellAmount'> {
  const first = firstSellAmount ?? assessed?.firstSellAmount;
  return first === undefined ? {} : { firstSellAmount: first };
}

/** What the first reading showed of what people look at, and flags for what differs now. */
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
  const exchange =
    account.account_id === paying.account_id || exchanged
      ? undefined
      : (await planExchange(deps, { sell: account, buy: paying, buyAmount: cost })).exchange;
  return {
    beneficiary,
    payingAccountId,
    ...sold,
    exchange,
    fee,
    feeCurrency,
    ...askedOf(deps, row, { payee: shown, payingAccountId, fee, feeCurrency }, flags),
    ...checked,
    flags,
    funds:
      exchanged || (exchange !== undefined && exchangeSent)
        ? undefined
        : exchange === undefined
          ? funds(paying, cost)
          : funds(account, exchange.quotedSellAmount),
  };
}

const unasked = ({ instruction }: PayoutRecord) => ({ digest: payloadDigest(instruction), approvalsNeeded: 0 });

/** The account to pay from: after an exchange, or with one under way, the one it is booked into, in whatever order the bank lists them. */
async function payingAccount({ bank, store }: ActivityDeps, row: PayoutRecord): Promise<AccountBalance | undefined> {
  const { uid, currency } = row.instruction;
  const accounts = (await bank.accounts.ofUser(uid)).filter((account) => account.currency === currency);
  const boughtInto = orderAsked<ExchangeOrder>(await store.attempts(legReference(row, 'exchange')))?.buyAccountId;
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
