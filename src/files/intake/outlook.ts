import type { Bank } from '../../bank/bank.ts';
import { isJudged, undefinedIf } from '../../bank/errors.ts';
import { approvalsAsked } from '../../domain/authority.ts';
import { someAtOnce } from '../../domain/iterate.ts';
import { addDecimals, compareDecimals } from '../../domain/money.ts';
import { approvalsNeeded } from '../../domain/policy.ts';
import type { ClaimRow } from '../../store/store.ts';
import { itemsInTurns } from '../input.ts';
import { ACCOUNTS_MAX, type QuotedExchange } from './exchange-quotes.ts';
import type { MakerRules } from './maker.ts';
import type { Plan } from './plan.ts';
import type { StagedFile } from './staged-file.ts';

/** Forecasts for a plan, from the bank and our rules: not binding, and not part of the plan's hash. */
export interface Outlook {
  balances: AccountOutlook[];
  fees: { currency: string; amount: string; quoted: number }[];
  /** Payouts whose fee was not queried: those with new payees, and those beyond the limit. */
  feesNotQuoted: number;
  approvals: ApprovalsAhead;
}

export interface AccountOutlook {
  accountId: string;
  currency: string;
  balance: string;
  /** Sum of payouts, their exchanges and the quoted fees. */
  needs: string;
  /** Balance after that; negative if there is not enough money. */
  after: string;
  exchanges: { buyCurrency: string; buyAmount: string; sellAmount: string; rate: string }[];
}

/** A quote is a call of the bank, and each payout asks for its own again before it is sent. */
const FEES_MAX = 25;
const AT_ONCE = 8;

/** Reads balances and the fees of the first payouts. What the bank refuses is left out. */
export async function outlookOf(
  bank: Bank,
  terms: ApprovalTerms,
  { plan, staged, quotes }: { plan: Plan; staged: StagedFile; quotes: readonly QuotedExchange[] },
): Promise<Outlook> {
  const accounts = new Map<string, AccountOutlook>();
  for (const { uid, accountId, currency, amount } of plan.accounts.slice(0, ACCOUNTS_MAX)) {
    const account = accounts.get(accountId) ?? (await undefinedIfRefused(() => accountOf(bank, accountId, uid)));
    if (account === undefined) continue;
    accounts.set(accountId, account);
    if (account.currency === currency) take(account, amount);
    for (const quote of quotes) {
      if (quote.uid === uid && quote.accountId === accountId && quote.currency === currency) exchange(account, quote);
    }
  }
  const { fees, quoted } = await quoteFees(bank, staged, accounts);
  const approvals = await approvalsAhead(terms, itemsInTurns(staged.claims()));
  return { balances: [...accounts.values()], fees, feesNotQuoted: plan.payouts - quoted, approvals };
}

/** Undefined for the account of another user: a person who may pay for one user need not know what another has. */
async function accountOf(bank: Bank, accountId: string, payer: string): Promise<AccountOutlook | undefined> {
  const { uid, currency, balance } = await bank.accounts.get(accountId);
  if (uid !== payer) return undefined;
  return { accountId, currency, balance, needs: '0', after: balance, exchanges: [] };
}

function take(account: AccountOutlook, amount: string): void {
  account.needs = addDecimals(account.needs, amount);
  account.after = addDecimals(account.after, `-${amount}`);
}

function exchange(
  account: AccountOutlook,
  { currency: buyCurrency, buyAmount, sellAmount, rate }: QuotedExchange,
): void {
  take(account, sellAmount);
  account.exchanges.push({ buyCurrency, buyAmount, sellAmount, rate });
}

async function quoteFees(
  bank: Bank,
  staged: StagedFile,
  accounts: ReadonlyMap<string, AccountOutlook>,
): Promise<Pick<Outlook, 'fees'> & { quoted: number }> {
  const quoted = new Map<string, { amount: string; quoted: number }>();
  let count = 0;
  const quote = async ({ instruction }: ClaimRow): Promise<void> => {
    const { uid, account_id, beneficiary_id, amount, currency } = instruction;
    // A row with an exchange is paid from another account than the one it names.
    if (beneficiary_id === undefined || accounts.get(account_id)?.currency !== currency) return;
    const fee = await undefinedIfRefused(() =>
      bank.transactions.paymentFee({ uid, account_id, beneficiary_id, amount, currency }),
    );
    if (fee === undefined) return;
    const sum = quoted.get(fee.fee_currency) ?? { amount: '0', quoted: 0 };
    quoted.set(fee.fee_currency, { amount: addDecimals(sum.amount, fee.fee), quoted: sum.quoted + 1 });
    count += 1;
    const account = accounts.get(account_id);
    if (account?.currency === fee.fee_currency) take(account, fee.fee);
  };
  await someAtOnce(staged.firstClaims(FEES_MAX), AT_ONCE, quote);
  const fees = [...quoted].map(([currency, sum]) => ({ currency, ...sum }));
  return { fees: fees.sort((a, b) => (a.currency < b.currency ? -1 : 1)), quoted: count };
}

/**
 * Undefined if the bank refuses: the payout itself will meet that refusal and report it. Throws if the bank cannot be reached.
 */
export const undefinedIfRefused = <T>(read: () => Promise<T>): Promise<T | undefined> => undefinedIf(isJudged, read);

/** Approvals that the payouts of a plan will need, as far as their rows show. */
interface ApprovalsAhead {
  /** Before sending; without payouts that need no approval. */
  beforeSend: PeopleAsked[];
  /** After sending: payouts whose amount the bank audits. */
  atBank: PeopleAsked[];
  /** Payouts that need more people if their payee turns out to be new or changed. */
  moreByPayee: number;
}

interface PeopleAsked {
  people: number;
  payouts: number;
}

export interface ApprovalTerms extends MakerRules {
  /** Decimals by currency: amounts from which the bank audits an order; nothing is predicted for other currencies. */
  bankAuditsFrom: Readonly<Record<string, string>>;
  /** No row has its maker's signature, so each asks one person at least. */
  asksOne?: boolean;
}

/** A payee given by its details counts as new: its payout adds it. */
export async function approvalsAhead(
  terms: ApprovalTerms,
  claims: Iterable<ClaimRow> | AsyncIterable<ClaimRow>,
): Promise<ApprovalsAhead> {
  const [beforeSend, atBank] = [new Map<number, number>(), new Map<number, number>()];
  let moreByPayee = 0;
  for await (const { instruction } of claims) {
    const { account_id: accountId, amount, currency, beneficiary_id: payeeId } = instruction;
    const asked = { kind: 'payout', accountId, amount, currency, newPayee: payeeId === undefined } as const;
    const unchanged = people(terms, { ...asked, changedPayee: false });
    const atMost = people(terms, { ...asked, newPayee: true, changedPayee: payeeId !== undefined });
    const isAudited = (compareDecimals(amount, terms.bankAuditsFrom[currency] ?? '') ?? -1) >= 0;
    if (unchanged.beforeSend > 0) count(beforeSend, unchanged.beforeSend);
    if (isAudited) count(atBank, Math.max(1, unchanged.atBank));
    if (atMost.beforeSend > unchanged.beforeSend || (isAudited && atMost.atBank > Math.max(1, unchanged.atBank)))
      moreByPayee += 1;
  }
  return { beforeSend: listed(beforeSend), atBank: listed(atBank), moreByPayee };
}

type Asked = Parameters<typeof approvalsAsked>[1];

function people(
  { policy, approvalRules, asksOne = false }: ApprovalTerms,
  asked: Asked,
): { beforeSend: number; atBank: number } {
  if (policy === undefined) return { beforeSend: approvalsNeeded(approvalRules, asked), atBank: 0 };
  return {
    beforeSend: Math.max(asksOne ? 1 : 0, approvalsAsked(policy, asked, 'before-submit')),
    atBank: approvalsAsked(policy, asked, 'at-bank'),
  };
}

const count = (counts: Map<number, number>, key: number): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1);
};

const listed = (counts: ReadonlyMap<number, number>): PeopleAsked[] =>
  [...counts].map(([asked, payouts]) => ({ people: asked, payouts })).sort((a, b) => a.people - b.people);
