import type { Leg, Moved, Movement, MovementKind } from './movements.ts';
import { csvText } from './write-csv.ts';

/**
 * A journal in double entry: an entry for each movement, with two lines for each leg. Every entry balances in every currency: an
 * exchange goes through a clearing account for each of its two currencies.
 */

/** Account codes; `{account}` is replaced by the bank's account id, `{currency}` by the currency code. */
export interface JournalAccounts {
  /** Our money at the bank. */
  bank: string;
  /** The other side of a payment, a fee, each half of an exchange, and returned money. */
  payment: string;
  fee: string;
  exchange: string;
  return: string;
}

/** A line: an amount on one side of one account. */
export interface JournalLine {
  /** Id of the entry: the same for its lines and in every journal, so that what was already booked can be recognized. */
  entry: string;
  /** From 1. */
  line: number;
  /** Epoch ms: when the movement was observed. */
  at: number;
  kind: MovementKind;
  account: string;
  side: 'debit' | 'credit';
  /** Decimal string, above zero. */
  amount: string;
  currency: string;
}

/** Money that leaves the bank is a credit of its account and a debit of the other one. */
export function entryOf({ id, kind, legs, at }: Movement, accounts: JournalAccounts): JournalLine[] {
  const lines = legs.flatMap((leg) => {
    const [bank, other] = leg.direction === 'debit' ? (['credit', 'debit'] as const) : (['debit', 'credit'] as const);
    return [
      { account: codeOf(accounts[kind], leg), side: other, leg },
      { account: codeOf(accounts.bank, leg), side: bank, leg },
    ];
  });
  return lines.map(({ account, side, leg: { amount, currency } }, index) => {
    return { entry: id, line: index + 1, at, kind, account, side, amount, currency };
  });
}

const codeOf = (code: string, { accountId, currency }: Leg): string =>
  code.replaceAll('{account}', () => accountId).replaceAll('{currency}', () => currency);

const COLUMNS = [
  'entry',
  'line',
  'date',
  'kind',
  'account',
  'debit',
  'credit',
  'currency',
  'document',
  'uid',
  'row',
  'reference',
  'order_id',
];

/** As CSV, in the order of the file; the same facts give the same bytes. Values that a spreadsheet would evaluate are escaped. */
export async function* journalCsv(
  moved: Iterable<Moved> | AsyncIterable<Moved>,
  accounts: JournalAccounts,
): AsyncGenerator<string> {
  yield csvText([COLUMNS]);
  for await (const { payout, movements } of moved) {
    const { documentId, uid, row, reference } = payout;
    const lines = movements.flatMap((movement) =>
      entryOf(movement, accounts).map(({ entry, line, at, kind, account, side, amount, currency }) => [
        entry,
        line,
        new Date(at).toISOString().slice(0, 10),
        kind,
        account,
        side === 'debit' ? amount : '',
        side === 'credit' ? amount : '',
        currency,
        documentId,
        uid,
        row,
        reference,
        movement.orderId,
      ]),
    );
    if (lines.length > 0) yield csvText(lines);
  }
}
