import { aboutFile, type Found, shownValue } from '../../domain/finding.ts';
import { currencyExponent } from '../../domain/money.ts';
import { isReturnReason } from '../../domain/statements/return-reasons.ts';
import type {
  BatchBooking,
  Direction,
  ReturnReason,
  StatementBalance,
  StatementEntry,
  StatementHead,
} from '../../domain/statements/statement.ts';
import { RECORD_BYTES_MAX, recordTooLarge, unreadable } from '../input.ts';
import { AMOUNT_UNFIT, minorOf, type StatementSink } from './statement-sink.ts';

/**
 * Reads MT940 and MT942 as banks send them: with or without the blocks of SWIFT, with `:86:` in the German structure (`?20`), in that
 * of the SEPA codes (`/EREF/`), or as free text. In memory: one field, and the head of one statement.
 */
export async function readMt940(chunks: AsyncIterable<string>, sink: StatementSink): Promise<void> {
  const reader = new Mt940Reader(sink);
  let held = '';
  let line = 0;
  for await (const chunk of chunks) {
    const lines = (held + chunk).split(/\r\n|\n|\r(?!$)/);
    held = lines.pop() ?? '';
    if (held.length > RECORD_BYTES_MAX) throw recordTooLarge(line);
    for (const text of lines) reader.line(text, ++line);
  }
  reader.line(held, ++line);
  reader.finish(line);
}

const TAG = /^:(\d{2}[A-Z]?|NS):(.*)$/;
/** `{4:` may be followed by the first field, and `-}` may end the last one. */
const BLOCKS = /\{[123]:(?:[^{}]|\{[^{}]*\})*\}|\{4:|^-\}?.*$|\{5:.*$/g;

interface Field {
  tag: string;
  lines: string[];
  line: number;
  characters: number;
}

interface Current {
  head: StatementHead;
  line: number;
  isBegun: boolean;
  opening: StatementBalance | undefined;
  closing: StatementBalance | undefined;
  entry: StatementEntry | undefined;
  entries: number;
  /** Findings before its head was complete. */
  found: Found[];
}

class Mt940Reader {
  private readonly sink: StatementSink;
  private field: Field | undefined;
  private current: Current | undefined;
  private isAny = false;

  constructor(sink: StatementSink) {
    this.sink = sink;
  }

  line(written: string, line: number): void {
    const text = written.replace(BLOCKS, '').trimEnd();
    const [, tag, first = ''] = TAG.exec(text.trimStart()) ?? [];
    if (tag !== undefined) {
      this.take();
      this.field = { tag, lines: [first], line, characters: first.length };
      return;
    }
    if (text === '' || this.field === undefined) return;
    this.field.lines.push(text);
    this.field.characters += text.length;
    if (this.field.characters > RECORD_BYTES_MAX) throw recordTooLarge(line);
  }

  finish(line: number): void {
    this.take();
    this.endStatement();
    if (!this.isAny) throw unreadable(line, 'not-a-statement', 'the file has no field :20: or :25:; it is no MT940');
  }

  private take(): void {
    const { field } = this;
    this.field = undefined;
    if (field === undefined) return;
    if (field.tag === '20') this.beginStatement(field);
    else if (this.current !== undefined) this.takeIn(this.current, field);
  }

  private takeIn(current: Current, field: Field): void {
    const [first = ''] = field.lines;
    if (field.tag === '25' || field.tag === '25P') {
      const { account, currency } = accountIn(first);
      Object.assign(current.head, { account, currency });
    } else if (field.tag === '28C' || field.tag === '28') current.head.number = first.trim();
    else if (field.tag === '13D' || field.tag === '13') this.reportDay(current, first);
    else if (field.tag === '34F') this.asReport(current, first.slice(0, 3));
    else if (field.tag === '60F' || field.tag === '60M') current.opening = this.balance(current, field);
    else if (field.tag === '61') this.beginEntry(current, field);
    else if (field.tag === '86') inform(current, field);
    else if (field.tag === '62F' || field.tag === '62M') {
      this.endEntry(current);
      current.closing = this.balance(current, field);
    }
  }

  private beginStatement({ lines: [number = ''], line }: Field): void {
    this.endStatement();
    this.isAny = true;
    const head: StatementHead = {
      ...{ kind: 'statement', format: 'MT940', account: '', currency: undefined },
      ...{ number: number.trim(), from: undefined, to: undefined },
    };
    const empty = { opening: undefined, closing: undefined, entry: undefined };
    this.current = { head, line, isBegun: false, ...empty, entries: 0, found: [] };
  }

  private asReport({ head }: Current, currency: string): void {
    Object.assign(head, { kind: 'report', format: 'MT942' });
    head.currency ??= currencyExponent(currency) === undefined ? undefined : currency;
  }

  private reportDay({ head }: Current, text: string): void {
    head.to = dayOf(text.slice(0, 6));
  }

  private begin(current: Current): void {
    if (current.isBegun) return;
    current.isBegun = true;
    const { head, opening, line } = current;
    head.from ??= opening?.on;
    this.sink.begin(head, line);
    for (const finding of current.found) this.sink.finding(finding);
  }

  private say(current: Current, { line }: Pick<Field, 'line'>, tag: string, value: string, message: string): void {
    const finding = { ...aboutFile(line, 'bad-field', message), column: `:${tag}:`, value: shownValue(tag, value) };
    if (current.isBegun) this.sink.finding(finding);
    else current.found.push(finding);
  }

  private endStatement(): void {
    const { current } = this;
    this.current = undefined;
    if (current === undefined) return;
    this.endEntry(current);
    this.begin(current);
    const { opening, closing } = current;
    this.sink.end({ opening, closing });
  }

  private balance(current: Current, field: Field): StatementBalance | undefined {
    const [text = ''] = field.lines;
    const [, sign, day = '', currency = '', amount = ''] = /^([CD])(\d{6})([A-Z]{3})([\d.,]+)/.exec(text.trim()) ?? [];
    const on = dayOf(day);
    const minor = amountOf(amount, currency);
    if (sign === undefined || on === undefined || minor === undefined) {
      this.say(current, field, field.tag, text, BAD_BALANCE);
      return undefined;
    }
    current.head.currency ??= currency;
    if (current.head.currency !== currency) this.say(current, field, field.tag, text, OTHER_CURRENCY);
    return { minor: sign === 'D' ? -minor : minor, on };
  }

  private beginEntry(current: Current, field: Field): void {
    this.endEntry(current);
    this.begin(current);
    current.entries += 1;
    const line = field.lines[0] ?? '';
    const found = LINE.exec(line.trim());
    const { day = '', booked = '', mark = '', amount = '', code = '', rest = '' } = found?.groups ?? {};
    const currency = current.head.currency ?? '';
    const valueOn = dayOf(day);
    const minor = amountOf(amount, currency);
    if (valueOn === undefined || minor === undefined) {
      this.say(current, field, '61', line, valueOn === undefined ? BAD_LINE : AMOUNT_UNFIT);
      return;
    }
    const [owner = '', bank] = rest.split('//', 2);
    current.entry = {
      position: current.entries,
      ...{ minor, currency, direction: directionOf(mark), isReversal: mark.startsWith('R') },
      ...{ isPending: mark.startsWith('E'), bookedOn: bookedDay(valueOn, booked), valueOn, code },
      ...{ bankReference: named(bank), references: [named(owner) ?? []].flat(), batch: undefined },
      ...{ text: field.lines.slice(1).join(' ').trim(), returnReason: undefined, counterparty: undefined },
      ...{ chargesMinor: 0n, details: 0, line: field.line },
    };
  }

  private endEntry(current: Current): void {
    const { entry } = current;
    current.entry = undefined;
    if (entry !== undefined) this.sink.entry(entry);
  }
}

/** Value date, booking day, mark, third letter of the currency, amount, type of transaction, references (SWIFT, field 61). */
const LINE =
  /^(?<day>\d{6})(?<booked>\d{4}| {4})?\s*(?<mark>R?[CD]|E[CD])(?:[A-Z](?=[\d.,]))?\s*(?<amount>[\d.,]+)\s*(?<code>[A-Z][A-Z0-9]{3})?(?<rest>.*)$/;

const BAD_BALANCE = 'not a balance such as C261130EUR1234,56';
const BAD_LINE = 'not a statement line such as 2611301130D1234,56NTRFNONREF';
const OTHER_CURRENCY = 'the balance is in another currency than the account';

/** What is said about the entry before it, or else about the whole statement. */
function inform({ entry, head }: Current, { lines }: Field): void {
  if (entry === undefined) return;
  const { code, references, text, returnReason, counterparty, batch, charges } = partsOf86(lines);
  entry.code = [entry.code, code].filter((part) => part !== undefined && part !== '').join(' ') || undefined;
  entry.references = [...entry.references, ...references];
  entry.text = [entry.text, text].filter((part) => part !== '').join(' ');
  entry.returnReason = returnReason;
  entry.counterparty = counterparty;
  entry.batch = batch;
  entry.chargesMinor = charges === undefined ? 0n : (amountOf(charges, head.currency ?? '') ?? 0n);
}

/** The money moves the other way if an earlier booking is undone. */
function directionOf(mark: string): Direction {
  const isCredit = mark.endsWith('C') !== mark.startsWith('R');
  return isCredit ? 'credit' : 'debit';
}

const named = (reference: string | undefined): string | undefined => {
  const text = reference?.trim() ?? '';
  return text === '' || /^(?:NONREF|NOREF)$/i.test(text) ? undefined : text;
};

/** YYMMDD; undefined: it is no day of the calendar. */
function dayOf(text: string): string | undefined {
  const [, year, month, day] = /^(\d{2})(\d{2})(\d{2})$/.exec(text) ?? [];
  if (year === undefined) return undefined;
  const at = new Date(Date.UTC(2000 + Number(year), Number(month) - 1, Number(day)));
  const iso = at.toISOString().slice(0, 'YYYY-MM-DD'.length);
  // Interest is dated the 30th of every month: 30 February is the last of it.
  if (iso.slice(2) === `${year}-${month}-${day}`) return iso;
  const isLast = Number(month) === 2 && Number(day) <= 30;
  return isLast ? new Date(Date.UTC(2000 + Number(year), 2, 0)).toISOString().slice(0, iso.length) : undefined;
}

/** MMDD of the year that is nearest to the value date. */
function bookedDay(valueOn: string, booked: string): string {
  if (booked.trim() === '') return valueOn;
  const year = Number(valueOn.slice(0, 4));
  const days = [year - 1, year, year + 1].flatMap((it) => dayOf(`${it % 100}`.padStart(2, '0') + booked) ?? []);
  const away = (day: string): number => Math.abs(Date.parse(day) - Date.parse(valueOn));
  return days.toSorted((a, b) => away(a) - away(b))[0] ?? valueOn;
}

/** `1234,56`, `1234,`, `,56`; some banks write `1.234,56` or a point. */
function amountOf(text: string, currency: string): bigint | undefined {
  const point = text.includes(',') ? text.replaceAll('.', '').replace(',', '.') : text;
  return /\d/.test(point) ? minorOf(point, currency) : undefined;
}

/** Some banks write the currency behind the number of the account. */
function accountIn(text: string): { account: string; currency: string | undefined } {
  const [, account = '', currency] = /^(.*?\d)\s*([A-Z]{3})?$/.exec(text.trim()) ?? [undefined, text.trim()];
  return currency !== undefined && currencyExponent(currency) !== undefined
    ? { account, currency }
    : { account: text.trim(), currency: undefined };
}

/** Field 86 of MT940, in the structures that banks use for it. */
interface InformationToOwner {
  /** Business transaction code of German banks (GVC), three digits. */
  code: string | undefined;
  references: string[];
  text: string;
  returnReason: ReturnReason | undefined;
  counterparty: string | undefined;
  batch: BatchBooking | undefined;
  /** As written. */
  charges: string | undefined;
}

function partsOf86(lines: readonly string[]): InformationToOwner {
  const whole = lines.join('');
  const german = /^\s*(\d{3})([?<>^~|])(?=\d\d)/.exec(whole);
  if (german !== null) return ofGerman(whole, german[1] ?? '', german[2] ?? '?');
  const coded = lines.some((line) => /^\s*\/[A-Z]{3,4}\//.test(line)) || /\/(?:EREF|REMI|TRTP|RTRN)\//.test(whole);
  return coded ? ofCodes(whole) : ofText(lines.join(' '));
}

/** `166?00GUTSCHRIFT?20EREF+...?30BIC?31IBAN?32NAME`: a text of 27 characters continues in the next field. */
function ofGerman(whole: string, code: string, separator: string): InformationToOwner {
  const fields = new Map<number, string>();
  for (const part of whole.split(separator).slice(1)) fields.set(Number(part.slice(0, 2)), part.slice(2));
  const joined = (from: number, to: number): string =>
    [...fields].flatMap(([number, text]) => (number >= from && number <= to ? [text] : [])).join('');
  const purpose = joined(20, 29) + joined(60, 63);
  const sepa = keyed(purpose, /(?:^|(?<=.))(EREF|KREF|MREF|CRED|DEBT|COAM|OAMT|SVWZ|ABWA|ABWE|IBAN|BIC|PURP)[+:]/g);
  const text = sepa.get('SVWZ') ?? purpose;
  const kept = [sepa.get('EREF'), sepa.get('KREF')];
  return {
    code,
    references: kept.flatMap((it) => (it === undefined || isNone(it) ? [] : [it.trim()])),
    text: [fields.get(0), text, sepa.get('ABWE')].filter((it) => it !== undefined && it !== '').join(' '),
    returnReason: RETURN_CODES.has(code) ? reasonIn(purpose) : undefined,
    counterparty: counterpartyIn(fields.get(31)) ?? counterpartyIn(sepa.get('IBAN')),
    batch: COLLECTIVE_CODES.has(code) ? batchOf(sepa.get('KREF'), undefined, undefined) : undefined,
    charges: amountIn(sepa.get('COAM')),
  };
}

/** Returned and recalled payments, and collective bookings, among the codes of German banks. */
const RETURN_CODES: ReadonlySet<string> = new Set(['108', '109', '159', '181', '184']);
const COLLECTIVE_CODES: ReadonlySet<string> = new Set(['191', '192', '193', '194', '195']);

/** `/TRTP/SEPA/EREF/.../REMI//USTD//text`: codes as the banks of the Netherlands and others write them. */
function ofCodes(whole: string): InformationToOwner {
  const parts = keyed(
    whole,
    /\/(TRTP|TRCD|EREF|PREF|KREF|MARF|CSID|IBAN|BIC|NAME|REMI|RTRN|BENM|ORDP|CNTP|SVCL|CREF|ISDT|NRTX|ID|ADDR|UDTR|UCRD|PURP|OCMT|CHGS?|RFI|ADD)\//g,
  );
  const at = (name: string): string | undefined => parts.get(name)?.replace(/\/+$/, '').trim() || undefined;
  const count = Number(at('NRTX') ?? Number.NaN);
  const party = at('CNTP')?.split('/')[0];
  const returned = at('RTRN')?.split('/')[0];
  const references = [at('EREF'), at('PREF'), at('KREF'), at('CREF')];
  return {
    code: undefined,
    references: references.flatMap((it) => (it === undefined || isNone(it) ? [] : [it])),
    text: [at('NAME'), at('REMI')?.replaceAll(/\/(?:USTD|STRD)?\/+/g, ' ')].filter((it) => it !== undefined).join(' '),
    returnReason: parts.has('RTRN') ? { code: returned, text: undefined } : undefined,
    counterparty: counterpartyIn(at('IBAN')) ?? counterpartyIn(party),
    batch: batchOf(undefined, at('PREF'), Number.isSafeInteger(count) ? count : undefined),
    charges: amountIn(at('CHGS') ?? at('CHG')),
  };
}

function ofText(text: string): InformationToOwner {
  const [iban] = /\b[A-Z]{2}\d{2}[A-Z0-9]{11,30}\b/.exec(text.toUpperCase()) ?? [];
  const isReturned = /\b(?:RETURN(?:ED)?|RETOU?R|R(?:UE|Ü)CK(?:UE|Ü)BERWEISUNG|R(?:UE|Ü)CKGABE|STORNO)\b/i.test(text);
  return {
    ...{ code: undefined, references: [], text: text.replaceAll(/\s+/g, ' ').trim() },
    returnReason: isReturned ? reasonIn(text) : undefined,
    ...{ counterparty: iban, batch: undefined, charges: undefined },
  };
}

/** The texts behind each of the names that the pattern finds. */
function keyed(text: string, pattern: RegExp): ReadonlyMap<string, string> {
  const found = [...text.matchAll(pattern)];
  return new Map(
    found.map((match, index) => [
      match[1] ?? '',
      text.slice(match.index + match[0].length, found[index + 1]?.index ?? text.length).trim(),
    ]),
  );
}

const batchOf = (
  messageId: string | undefined,
  paymentId: string | undefined,
  count: number | undefined,
): BatchBooking | undefined =>
  messageId === undefined && paymentId === undefined && count === undefined
    ? undefined
    : { messageId, paymentId, count };

/** A reason code among the words, and the words. */
function reasonIn(text: string): ReturnReason {
  const code = text.split(/[^A-Z0-9]+/).find(isReturnReason);
  return { code, text: code === undefined ? text.trim().slice(0, 140) || undefined : undefined };
}

const isNone = (reference: string): boolean => /^(?:NOT ?PROVIDED|NONREF|NOREF|)$/i.test(reference.trim());

const counterpartyIn = (text: string | undefined): string | undefined =>
  text === undefined || !/\d{4}/.test(text) ? undefined : text.replaceAll(/\s+/g, '');

const amountIn = (text: string | undefined): string | undefined => /[\d.]*,?\d+/.exec(text ?? '')?.[0];
