import type { PaidShown, SentOrder } from '../domain/sent-order.ts';
import type { AuditEntry } from './audit/entry.ts';
import type { Database } from './engine/database.ts';
import type { PayoutRecord } from './schema.ts';

/**
 * What an entry of the audit log says of the money that it is about: `amount`, `currency`, the account of ours that pays, the one
 * that an own move goes to, and the digest of the payee. No name and no account number: account ids are the bank's own.
 */
type MoneyDetail = Record<string, string>;

/** Of a row, as it is read when somebody decides. */
export function askedDetail({ instruction, assessed }: Pick<PayoutRecord, 'instruction' | 'assessed'>): MoneyDetail {
  const { amount, currency, account_id: from, to_account_id: to } = instruction;
  const { payingAccountId: account = from, beneficiary } = assessed ?? {};
  return present({
    amount,
    currency,
    account,
    to,
    payee: beneficiary?.known === true ? beneficiary.digest : undefined,
  });
}

/** Nothing where the subject is no payout. */
export async function askedDetailOf(db: Database, reference: string): Promise<MoneyDetail> {
  const query = db.selectFrom('payouts').select(['instruction', 'assessed']).where('reference', '=', reference);
  const row = await query.executeTakeFirst();
  return row === undefined ? {} : askedDetail(row);
}

/** That an order of a payout is about to be sent: written before its first byte. Whether it arrived, the end of the payout says. */
export function sentEntry(
  subject: string,
  { reference, attempt, sentAt: at }: { reference: string; attempt: number; sentAt: number },
  order: SentOrder,
): AuditEntry {
  const detail = { attempt: `${attempt}`, reference, ...sentDetail(order) };
  return { at, actor: 'product', action: 'order sent', subject, detail };
}

function sentDetail(order: SentOrder): MoneyDetail {
  const { amount, currency } = order;
  if ('beneficiaryId' in order)
    return present({ amount, currency, account: order.accountId, payee: order.payeeDigest });
  if ('sellAccountId' in order) {
    const sells = `${order.quotedSellAmount} ${order.sellCurrency}`;
    return present({ amount, currency, account: order.sellAccountId, to: order.buyAccountId, sells });
  }
  return present({ amount, currency, account: order.sourceAccountId, to: order.destinationAccountId });
}

/** Of a paid order as the bank shows it. */
export const paidDetail = (
  { amount, currency, accountId: account }: PaidShown,
  { fee, feeCurrency }: { fee?: string; feeCurrency?: string },
): MoneyDetail => present({ amount, currency, account, fee: fee && `${fee} ${feeCurrency ?? ''}`.trim() });

const present = (members: Record<string, string | undefined>): MoneyDetail =>
  Object.fromEntries(Object.entries(members).filter((entry): entry is [string, string] => entry[1] !== undefined));
