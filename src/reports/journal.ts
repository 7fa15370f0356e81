import type { Moved, Movement, Posting } from './movements.ts';
import { csvText } from './write-csv.ts';

/**
 * A journal in double entry: an entry for each movement, with two lines for each posting. Every entry balances in every currency: an
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

const codeOf = (code: string, { accountId, currency }: Posting): string =>
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
    const lines = movements.flatMap((movement) => entryOf(movement, payout, accounts));
    if (lines.length > 0) yield csvText(lines);
  }
}

/**
 * An entry, whose lines have the same id in every journal, so that what was already booked can be recognized. Its date is that on
 * which the movement was observed. Money that leaves the bank is a credit of its account and a debit of the other one.
 */
function entryOf(
  { id, kind, postings, at, orderId }: Movement,
  { documentId, uid, row, reference }: Moved['payout'],
  accounts: JournalAccounts,
): (string | number | null)[][] {
  const date = new Date(at).toISOString().slice(0, 10);
  const sides = postings.flatMap((posting) => {
    const [debit, credit] = posting.direction === 'debit' ? [posting.amount, ''] : ['', posting.amount];
    return [
      [codeOf(accounts[kind], posting), debit, credit, posting.currency],
      [codeOf(accounts.bank, posting), credit, debit, posting.currency],
    ];
  });
  return sides.map((side, index) => [id, index + 1, date, kind, ...side, documentId, uid, row, reference, orderId]);
}
