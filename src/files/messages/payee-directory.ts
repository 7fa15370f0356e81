import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { INSTRUCTION_FIELDS } from '../../domain/instruction.ts';
import { present } from '../../domain/iterate.ts';
import { currencyExponent } from '../../domain/money.ts';
import { plainText, TYPOGRAPHIC_QUOTE, utf16Of, withoutTypographicQuotes } from '../../domain/plain-text.ts';
import type { CreditTransfer } from '../credit-transfer.ts';
import { detectDelimiter } from '../csv/csv-text.ts';
import { inTurns, isColumnName, RECORD_BYTES_MAX, TEXT_BYTES_MAX, whyUnreadable } from '../input.ts';
import { accountKey, bankKey, ContextFileError } from './mapping.ts';

/**
 * The payee directory: a CSV file with what messages do not say about payees. `account` is the creditor's account as in the
 * message; `bank` (BIC or clearing member), `currency` and `uid` (of ours) distinguish entries with the same account; every other
 * column is a beneficiary field, `beneficiary_id`, `beneficiary_type` or `payment_type`.
 */
export class PayeeDirectory {
  /** By account, then by conditions. */
  private readonly entries = new Map<string, Map<string, Entry>>();

  /** False if there already is an entry for the account with the same conditions. */
  add(account: string, entry: Entry): boolean {
    const { bank, currency, uid } = entry.conditions;
    const conditions = JSON.stringify([bank, currency, uid]);
    const ofAccount = this.entries.get(accountKey(account)) ?? new Map<string, Entry>();
    if (ofAccount.has(conditions)) return false;
    this.entries.set(accountKey(account), ofAccount.set(conditions, entry));
    return true;
  }

  /**
   * What is known of the payee: of the matching entries, the one with the most conditions. `ambiguous` if two have as many: then
   * neither is used.
   */
  find({ creditor, currency }: CreditTransfer, uid: string | undefined): Entry['fields'] | 'ambiguous' | undefined {
    const account = creditor.iban ?? creditor.account;
    if (account === undefined) return undefined;
    const banks = [creditor.bic, creditor.clearing?.member].flatMap((bank) => bank ?? []).map(bankKey);
    const fitting = [...(this.entries.get(accountKey(account))?.values() ?? [])]
      .filter(({ conditions }) => conditions.bank === undefined || banks.includes(conditions.bank))
      .filter(({ conditions }) => conditions.currency === undefined || conditions.currency === currency)
      .filter(({ conditions }) => conditions.uid === undefined || conditions.uid === uid)
      .sort((a, b) => countOf(b) - countOf(a));
    const [best, second] = fitting;
    if (best !== undefined && second !== undefined && countOf(best) === countOf(second)) return 'ambiguous';
    return best?.fields;
  }
}

export interface Entry {
  conditions: { bank?: string; currency?: string; uid?: string };
  /** By the interface's names, without blank ones. */
  fields: Readonly<Record<string, string>>;
}

const countOf = ({ conditions }: Entry): number => Object.keys(conditions).length;

const ABOUT_PAYEES: ReadonlySet<string> = new Set(['beneficiary_id', 'beneficiary_type', 'payment_type']);
const CONDITIONS: ReadonlySet<string> = new Set(['bank', 'currency', 'uid']);
/** Columns of a payout that are not about its payee. */
const FOREIGN: ReadonlySet<string> = new Set(
  INSTRUCTION_FIELDS.filter((name) => !ABOUT_PAYEES.has(name) && !CONDITIONS.has(name)),
);

/** Without a path: an empty directory. Throws `ContextFileError`. */
export async function loadPayeeDirectory(path?: string): Promise<PayeeDirectory> {
  const directory = new PayeeDirectory();
  if (path === undefined) return directory;
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new ContextFileError(path, whyUnreadable(error), 'Name an existing payee directory.');
  });
  if (bytes.length > TEXT_BYTES_MAX) {
    throw new ContextFileError(
      path,
      `larger than ${TEXT_BYTES_MAX / 1024 / 1024} MiB`,
      'Remove payees that are no longer paid.',
    );
  }
  if (utf16Of(bytes) === undefined && !isUtf8(bytes))
    throw new ContextFileError(path, 'not UTF-8', 'Save the file as UTF-8; Excel calls it "CSV UTF-8".');
  let header: string[] | undefined;
  for await (const { record, line } of recordsOf(path, Buffer.from(plainText(bytes)))) {
    if (header === undefined) {
      header = headerOf(path, record);
      continue;
    }
    const values = record.map((value, index) => [header?.[index] ?? '', value.trim()]);
    const { account = '', ...rest } = Object.fromEntries(values.filter(([, value]) => value !== ''));
    const wrong = problemOf(account, rest) ?? (directory.add(account, entryOf(rest)) ? undefined : TWICE);
    if (wrong !== undefined) throw new ContextFileError(path, `line ${line}: ${wrong.problem}`, wrong.hint);
  }
  if (header === undefined) headerOf(path, []);
  return directory;
}

async function* recordsOf(path: string, bytes: Buffer): AsyncGenerator<{ record: string[]; line: number }> {
  const head = bytes.toString('utf8', 0, RECORD_BYTES_MAX);
  const parser = parse({
    bom: true,
    delimiter: detectDelimiter(head.split('\n', 1)[0] ?? ''),
    skip_empty_lines: true,
    max_record_size: RECORD_BYTES_MAX,
    info: true,
  });
  try {
    const records: AsyncIterable<{ record: string[]; info: { lines: number } }> = Readable.from(inTurns([bytes])).pipe(
      parser,
    );
    for await (const { record, info } of records) yield { record, line: info.lines };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const problem = `line ${error.lines}: not a CSV line with as many values as the header line`;
    throw new ContextFileError(
      path,
      problem,
      'Put values that contain the delimiter in quotes, and double the quotes in them.',
    );
  }
}

function headerOf(path: string, record: readonly string[]): string[] {
  const header = record.map((name) => name.trim());
  if (header.map(withoutTypographicQuotes).includes('account') && !header.includes('account')) {
    throw new ContextFileError(path, `the header line has ${TYPOGRAPHIC_QUOTE}`, 'Or export the file again.');
  }
  if (!header.includes('account')) {
    throw new ContextFileError(path, 'the header line has no column "account"', 'Add the column of payee accounts.');
  }
  const wrong = header.find((name, index) => !isColumnName(name) || FOREIGN.has(name) || header.indexOf(name) < index);
  if (wrong === undefined) return header;
  const shown = isColumnName(wrong) ? wrong : header.indexOf(wrong) + 1;
  const problem = `column ${shown} is not a column of a payee directory, or appears twice`;
  throw new ContextFileError(path, problem, 'docs/input.md lists the columns; delete it.');
}

const TWICE = {
  problem: 'the account already has an entry with the same bank, currency and uid',
  hint: 'Keep one of the two, or distinguish them by bank, currency or uid.',
};

function problemOf(account: string, rest: Record<string, string>): typeof TWICE | undefined {
  if (account === '') return { problem: 'no account', hint: "Write the payee's account, or delete the line." };
  // It would match nothing, and another line of the account would count.
  if (rest.currency !== undefined && currencyExponent(rest.currency) === undefined)
    return { problem: 'the currency is not an ISO 4217 code', hint: 'Write three capital letters such as EUR.' };
  const details = Object.keys(rest).filter((name) => !CONDITIONS.has(name));
  if (details.length === 0)
    return { problem: 'nothing about the payee', hint: 'Fill in a column, or delete the line.' };
  if (rest.beneficiary_id === undefined || details.length === 1) return undefined;
  return {
    problem: 'a beneficiary_id and other fields of the payee',
    hint: 'Keep only the beneficiary_id: it replaces all other fields.',
  };
}

function entryOf({ bank, currency, uid, ...fields }: Record<string, string>): Entry {
  return { conditions: present({ bank: bank && bankKey(bank), currency, uid }), fields };
}
