import { asksFor, matchEntry } from '../../bank/required-details.ts';
import type { Finding } from '../../domain/finding.ts';
import { shownValue } from '../../domain/finding.ts';
import type { PayoutInstruction } from '../../domain/instruction.ts';
import { checkBeneficiary, type RequiredDetailsOf, withoutSpare } from './beneficiary-rules.ts';
import { type Columns, checkColumns, type RequiredDetailsPairs } from './column-rules.ts';
import { type Broken, checkRequired, checkValues, REQUIRED_COLUMNS } from './field-rules.ts';
import type { ReadColumn, ReadRow } from './read-row.ts';

interface Judged {
  instruction: PayoutInstruction;
  findings: Finding[];
}

export interface Place {
  row: number;
  line: number;
}

/** What the rules of every row depend on: the file's columns, and what the bank requires. */
interface RuleBook {
  file: string;
  columns: readonly ReadColumn[];
  pairs: RequiredDetailsPairs;
  requiredDetails?: RequiredDetailsOf;
  /** The first row of the file with this uid and id; later ones are duplicates. */
  firstOf(uid: string, id: string, row: Place): Place;
}

/** Columns whose absence the reader of a bank message reports itself. */
const REPORTED_BY_READER: ReadonlySet<string> = new Set(['uid', 'account_id', 'beneficiary_type', 'payment_type']);
const LACKING =
  'the bank requires it but the message does not contain it; add it to the payee directory (--payees FILE)';

/** Ids of bank messages are often no document numbers. */
const DISTINGUISH = ', or set "identity": "position" in the mapping file, which numbers the rows of a message';

/** All rules of a file, made once its columns and the bank's fields are known. Pure: no calls of the bank. */
export class Rules {
  /** About the whole file (no row): if there is one, no row is valid. */
  readonly findings: readonly Finding[];
  private readonly book: RuleBook;
  private readonly columns: Columns;

  constructor(book: RuleBook) {
    this.book = book;
    this.columns = checkColumns(book);
    this.findings = this.columns.findings;
  }

  /** All findings of one row; without any, its instruction can be paid. */
  judge(read: ReadRow): Judged {
    const { row, line, path, instruction: text, spare = [], original } = read;
    const { file, requiredDetails } = this.book;
    const { unknown, unknownColumn, inHeader, absent } = this.columns;
    const given = withoutBlanks(text, unknown);
    const instruction = withoutSpare(given, spare, requiredDetails);
    // The fields of a bank message's row are named by us: if the payee's type is unknown, the sender cannot rename them.
    const isUnreported = original !== undefined && !text.beneficiary_type;
    const strangers = inHeader || isUnreported ? [] : Object.keys(text).filter((name) => unknown.has(name));
    const broken = [
      ...strangers.map((column) => ({ column, ...unknownColumn(column) })),
      ...checkRequired(instruction, REQUIRED_COLUMNS).filter(({ column }) => !absent.has(column)),
      ...checkValues(instruction),
      ...checkBeneficiary(instruction, requiredDetails),
    ]
      .filter(({ column, rule }) => !(original && rule === 'required' && REPORTED_BY_READER.has(column)))
      .map((found) =>
        original && found.rule === 'required'
          ? { ...found, message: lacking(found.column, read, requiredDetails) }
          : found,
      );
    const others = original === undefined ? '' : DISTINGUISH;
    broken.push(...this.checkIdentity(instruction, { row, line }, others));
    const place = { file, line, row, ...(path === undefined ? {} : { path }) };
    const findings = broken.map(({ column, rule, message }) => ({
      ...place,
      column,
      value: shownValue(column, text[column]),
      rule,
      message,
    }));
    return { instruction, findings };
  }

  /** The same (uid, id) again is an error of the later row: both would be one payout. */
  private checkIdentity({ uid, id }: PayoutInstruction, place: Place, others: string): Broken[] {
    if (uid === undefined || id === undefined) return [];
    const first = this.book.firstOf(uid, id, place);
    if (first.row === place.row) return [];
    const message = `line ${first.line} already has this uid and id, and each id is one payout; give this row an id of its own or delete it${others}`;
    return [{ column: 'id', rule: 'duplicate-id', message }];
  }
}

/** By which a payee's account is named; a payee with the one rarely has the other. */
const ACCOUNTS = ['iban_no', 'account_no'];

/** What to do about a field that the bank requires and a message lacks. */
function lacking(column: string, { instruction, spare = [] }: ReadRow, requiredDetails?: RequiredDetailsOf): string {
  const has = (name: string): boolean => (instruction[name] ?? '').trim() !== '';
  const other = ACCOUNTS.find((name) => name !== column && has(name));
  if (!ACCOUNTS.includes(column) || other === undefined) return LACKING;
  const { currency = '', beneficiary_type = '', payment_type = '' } = instruction;
  const entries = requiredDetails?.(currency, beneficiary_type) ?? [];
  const asked = matchEntry(entries, payment_type)?.fields.map(({ field }) => field) ?? [];
  const fitting = entries.filter((entry) => entry.payment_type !== payment_type && asksFor(entry, other));
  const ways = fitting.map((entry) => {
    const missing = entry.fields.flatMap(({ field, required }) => (required && !has(field) ? [field] : []));
    // What the message says is left out, and only what the directory says is in the way.
    const inTheWay = asked.filter((name) => has(name) && !spare.includes(name) && !asksFor(entry, name));
    const added = `add ${[`payment_type ${entry.payment_type}`, ...missing].join(', ')} to the payee directory (--payees FILE)`;
    return inTheWay.length === 0 ? `${added}, or ` : `${added} and clear ${inTheWay.join(', ')} there, or `;
  });
  return `under ${payment_type} the bank asks for it, but the message has the payee's ${other}; ${ways.join('')}ask the payee for ${column} and add it to the payee directory`;
}

function withoutBlanks(text: Readonly<Record<string, string>>, unknown: ReadonlySet<string>): PayoutInstruction {
  const entries = Object.entries(text).filter(([name, value]) => value.trim() !== '' && !unknown.has(name));
  return Object.fromEntries(entries) as PayoutInstruction;
}
