import type { Bank } from '../../bank/bank.ts';
import { says, undefinedIf } from '../../bank/errors.ts';
import { exchangeQuote } from '../../bank/exchange-quote.ts';
import type { AccountBalance } from '../../bank/schemas/accounts.ts';
import { maxRateOf } from '../../domain/agreed-cost.ts';
import { type ScopeFacts, scopeFactsOf } from '../../domain/authority.ts';
import { type Finding, shownValue } from '../../domain/finding.ts';
import { payloadDigest, referenceOf } from '../../domain/identity.ts';
import type { ExchangeBound, PayoutInstruction } from '../../domain/instruction.ts';
import { mainOrderKindOf, payoutWorkflowId } from '../../domain/names.ts';
import { isEnd, type Reason } from '../../domain/payout-state.ts';
import { unfitExchange, unfitTransfer } from '../../domain/sent-order.ts';
import type { PayoutRecord, Store } from '../../store/store.ts';
import { checkMove, type MoveKind } from '../rules/check-instruction.ts';
import type { Broken } from '../rules/field-rules.ts';
import { undefinedIfRefused } from './exchange-quotes.ts';
import { INPUT_INVALID, IntakeRefusal } from './intake-refusal.ts';
import { assertMaker, assertScope, type MakerRules } from './maker.ts';

/** A requested transfer or exchange. A transfer has no currency of its own: it is that of its accounts. */
export interface MoveAsked {
  kind: MoveKind;
  instruction: PayoutInstruction;
  /** The maker. */
  by: string | undefined;
}

/** What the bank shows now; not binding. */
export interface MoveOutlook {
  from: AccountBalance;
  to: AccountBalance;
  /** Of a transfer, or of a quote that has one. */
  fee: string | undefined;
  feeCurrency: string | undefined;
  sells: { amount: string; rate: string } | undefined;
}

/**
 * The row with this document id, if it is the same transfer or exchange and has not ended. `mayDiscloseOf`: whether the caller may know
 * of the row that has the id.
 *
 * @throws IntakeRefusal if it has ended, or the id was taken by something else
 */
export async function takenMove(
  store: Store,
  { kind, instruction }: MoveAsked,
  mayDiscloseOf: (row: PayoutRecord) => boolean,
): Promise<PayoutRecord | undefined> {
  // Nothing is known under no id: the rules say that it is missing.
  if (!instruction.uid || !instruction.id) return undefined;
  const row = { row: 1, ...identityOf({ kind, instruction }), instruction, payloadDigest: payloadDigest(instruction) };
  const [known] = await store.knownClaims([row]);
  if (known === undefined) return undefined;
  const { currency = known.instruction.currency } = instruction;
  const isSame =
    known.kind === kind && payloadDigest(known.instruction) === payloadDigest({ ...instruction, currency });
  if (isSame) {
    const row = await store.payout(known.reference);
    if (row !== undefined && !mayDiscloseOf(row)) {
      throw new IntakeRefusal('already-taken', 'already-taken', `This ${kind} was already taken.`, {
        hint: 'Its maker, and people with it in their scope, see its state.',
      });
    }
    if (row === undefined || !isEnd(row.state)) return row;
    throw new IntakeRefusal('already-taken', 'already-taken', `This ${kind} was already taken and is ${row.state}.`, {
      hint: `payouts status ${row.reference} shows it.`,
    });
  }
  const what = { payout: 'a payout', transfer: 'a transfer', exchange: 'an exchange' }[known.kind];
  const message = `this id was already used by ${what}${known.kind === kind ? ' with different contents' : ''}; use a new id`;
  throw invalid(instruction, [{ column: 'id', rule: 'id-reused', message }]);
}

/** A transfer or exchange that may be made, as the bank shows its accounts now. */
interface CheckedMove extends MoveAsked {
  from: AccountBalance;
  to: AccountBalance;
  touched: ScopeFacts;
}

/**
 * Checks the request by the rules, at the bank and by its maker's scope. A transfer has the currency of its accounts afterwards.
 *
 * @throws IntakeRefusal with every finding; BankError if the bank does not answer
 */
export async function checkedMove(
  bank: Bank,
  { kind, instruction: asked, by }: MoveAsked,
  settings: MakerRules & { transferAcrossUsers: boolean },
): Promise<CheckedMove> {
  const isTransfer = kind === 'transfer';
  const broken = checkMove(kind, asked).filter(({ column }) => !(isTransfer && column === 'currency'));
  if (broken.length > 0) throw invalid(asked, broken);
  const [from, to] = await Promise.all([
    knownAccount(bank, asked.account_id),
    knownAccount(bank, asked.to_account_id ?? ''),
  ]);
  if (from === undefined || to === undefined) {
    const unknown = [
      ...(from === undefined ? [notFound('account_id', asked)] : []),
      ...(to === undefined ? [notFound('to_account_id', asked)] : []),
    ];
    throw invalid(asked, unknown);
  }
  const instruction = isTransfer ? { ...asked, currency: from.currency } : asked;
  const unfit = isTransfer
    ? unfitTransfer(instruction, { source: from, destination: to }, settings.transferAcrossUsers)
    : unfitExchange(instruction, { sell: from, buy: to });
  const wrong = [
    ...checkMove(kind, instruction),
    ...(unfit === undefined ? [] : [unfitAccount(instruction, from, unfit)]),
  ];
  if (wrong.length > 0) throw invalid(instruction, wrong);
  assertMaker(settings, by);
  const touched = scopeFactsOf(kind, instruction, { soldCurrency: from.currency });
  assertScope(settings, by, [{ row: 1, touched }]);
  return { kind, instruction, by, from, to, touched };
}

/** What the bank quotes of a checked request now; not binding. */
export async function outlookOf(bank: Bank, { kind, instruction, from, to }: CheckedMove): Promise<MoveOutlook> {
  const cost = await (kind === 'transfer' ? feeOf(bank, instruction) : quoteOf(bank, instruction));
  return { from, to, ...NO_COST, ...cost };
}

/** What the plan of an exchange shows as the most that it sells, for its maker to sign; nothing if the bank quotes nothing. */
export function moveBound({ sells, from }: MoveOutlook, amount: string, maxSlippage: string): ExchangeBound {
  const maxRate = sells && maxRateOf({ sellAmount: sells.amount, buyAmount: amount }, maxSlippage);
  return maxRate === undefined ? {} : { sell_currency: from.currency, max_rate: maxRate };
}

/** What it is in store and Temporal. */
export function identityOf({ kind, instruction: { uid, id } }: Omit<MoveAsked, 'by'>): {
  reference: string;
  workflowId: string;
} {
  const reference = referenceOf(uid, id, mainOrderKindOf(kind));
  return { reference, workflowId: payoutWorkflowId(reference, kind) };
}

const notFound = (column: string, { uid }: PayoutInstruction): Broken => ({
  column,
  rule: 'account-not-found',
  message: `the bank does not know this account; \`payouts accounts ${uid}\` shows those of the user`,
});

const unfitAccount = ({ uid }: PayoutInstruction, from: AccountBalance, { code, message }: Reason): Broken => ({
  column: code === 'account-not-own' && from.uid !== uid ? 'account_id' : 'to_account_id',
  rule: code,
  message,
});

const NO_COST = { fee: undefined, feeCurrency: undefined, sells: undefined };

async function feeOf(bank: Bank, { account_id, to_account_id = '', amount }: PayoutInstruction) {
  const query = { source_account_id: account_id, destination_account_id: to_account_id, amount };
  const quoted = await undefinedIfRefused(() => bank.transactions.transferFee(query));
  return quoted && { fee: quoted.fee, feeCurrency: quoted.fee_currency };
}

async function quoteOf(bank: Bank, { account_id, to_account_id = '', amount, currency }: PayoutInstruction) {
  const quoted = await exchangeQuote(bank, { sell: account_id, buy: to_account_id, amount, currency });
  return (
    quoted && {
      fee: quoted.fee,
      feeCurrency: quoted.fee_currency,
      sells: { amount: quoted.sell_amount, rate: quoted.rate },
    }
  );
}

const knownAccount = (bank: Bank, accountId: string): Promise<AccountBalance | undefined> =>
  undefinedIf(says('account-not-found'), () => bank.accounts.get(accountId));

/** By the fields of the instruction. */
function invalid(instruction: PayoutInstruction, broken: readonly Broken[]): IntakeRefusal {
  const findings = broken.map(({ column, rule, message }): Finding => {
    const value = shownValue(column === 'to_account_id' ? 'account_id' : column, instruction[column]);
    return { file: 'request', line: 0, row: null, column, value, rule, message };
  });
  const counted = `${findings.length} ${findings.length === 1 ? 'finding' : 'findings'}; nothing was sent.`;
  const hint = '`payouts explain RULE` says more about a rule.';
  return new IntakeRefusal('invalid-input', INPUT_INVALID, counted, { findings, hint });
}
