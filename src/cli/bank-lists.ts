import { ACCOUNTS, BANK_ORDERS, BENEFICIARIES } from '../channels/http/operations/bank-operations.ts';
import { CASH } from '../channels/http/operations/cash-operations.ts';
import { referenceOf } from '../domain/identity.ts';
import { groupedAmount, sumDecimals } from '../domain/money.ts';
import { mainOrderKindOf, type PayoutKind, payoutWorkflowId } from '../domain/names.ts';
import { Problem } from '../domain/problem.ts';
import { maskedPayee } from '../reports/masked.ts';
import { table } from './output.ts';
import type { Session } from './session.ts';

// Commands that show data of the bank. Personal data is masked in the tables.

export async function accounts(session: Session, uid: string | undefined): Promise<void> {
  const { accounts: records } = await session.ask(ACCOUNTS, { uid });
  const rows = records.map((record) => [
    record.uid,
    record.account_id,
    record.currency,
    groupedAmount(record.balance),
    groupedAmount(record.frozen ?? ''),
  ]);
  session.output.result({ accounts: records }, table(['uid', 'account', 'currency', 'balance', 'frozen'], rows));
}

/** `payouts cash [UID]`: the cash of today and the next seven days, by account. */
export async function cash(session: Session, uid: string | undefined): Promise<void> {
  const found = await session.ask(CASH, { uid });
  const amount = (text: string): string => (/[1-9]/.test(text) ? groupedAmount(text) : '');
  const rows = found.accounts.map((line) => [
    line.accountId,
    line.currency,
    groupedAmount(line.balance),
    amount(line.atBank),
    amount(line.waiting),
    amount(sumDecimals(line.due.map((day) => day.amount))),
    groupedAmount(line.after),
  ]);
  const short = found.accounts.flatMap(({ accountId, currency, short: lack }) =>
    lack === null ? [] : [`${accountId} is short of ${groupedAmount(lack.amount)} ${currency} on ${lack.date}.`],
  );
  const notQuoted = found.notQuoted.map(
    (it) =>
      `Not included: ${groupedAmount(it.amount)} ${it.currency} from ${it.accountId}, which the bank does not quote now.`,
  );
  const shown = [
    table(['account', 'currency', 'balance', 'at the bank', 'today', 'in 7 days', 'after'], rows),
    ...short,
    ...notQuoted,
    ...(found.isPart ? ['There are more open payouts than were added up.'] : []),
    'Fees are not included. An order at the bank may have taken its money off the balance already.',
  ];
  session.output.result(found, shown.join('\n'));
}

/** `payouts beneficiaries UID [--currency C]`: ids, kinds and masked details; full details only with `--json`. */
export async function beneficiaries(session: Session, uid: string, { currency }: { currency?: string }): Promise<void> {
  const { beneficiaries: found } = await session.ask(BENEFICIARIES, { uid, currency });
  const rows = found.map(({ id, currency, beneficiary_type, payment_type, items }) => {
    const { name, account } = maskedPayee(items);
    return [id, currency, beneficiary_type, payment_type, name, account];
  });
  session.output.result(
    { beneficiaries: found },
    table(['beneficiary', 'currency', 'type', 'payment type', 'name', 'account'], rows),
  );
}

export async function orders(session: Session, uid: string, currency: string): Promise<void> {
  const scan = await session.ask(BANK_ORDERS, { uid, currency });
  const rows = scan.orders.map((order) => [
    order.order_id,
    order.client_order_id ?? '',
    order.type ?? '',
    order.status,
    groupedAmount(order.transaction_amount ?? ''),
    order.transaction_currency ?? '',
    order.fee ?? '',
  ]);
  if (scan.doubt !== null) {
    session.output.notify(
      `The list of the bank shows ${scan.doubt}. Orders of another user or currency are left out. Ask the bank why.`,
    );
  }
  session.output.result(
    { orders: scan.orders },
    table(['order', 'reference', 'type', 'status', 'amount', 'currency', 'fee'], rows),
  );
}

/** `payouts reference UID ID`: the reference of a payout, which is also the key of its workflow id. */
export function reference(
  session: Session,
  uid: string,
  id: string,
  { generation, kind }: { generation: number; kind: PayoutKind },
): void {
  const unfit = [uid, id].some((part) => part === '' || part.includes('/') || /\p{Cc}/u.test(part));
  if (unfit) {
    throw new Problem('usage', 'unfit-id', 'UID and ID must not contain "/" or control characters.', {
      hint: 'They are used byte for byte.',
    });
  }
  const value = referenceOf(uid, id, mainOrderKindOf(kind), generation);
  session.output.result({ reference: value, workflowId: payoutWorkflowId(value, kind) }, value);
}
