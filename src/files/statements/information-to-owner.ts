import { isReturnReason } from '../../domain/statements/return-reasons.ts';
import type { BatchBooking, ReturnReason } from '../../domain/statements/statement.ts';

/** Field 86 of MT940, in the structures that banks use for it. */
export interface InformationToOwner {
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

export function partsOf86(lines: readonly string[]): InformationToOwner {
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
    counterparty: accountIn(fields.get(31)) ?? accountIn(sepa.get('IBAN')),
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
    counterparty: accountIn(at('IBAN')) ?? accountIn(party),
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

const accountIn = (text: string | undefined): string | undefined =>
  text === undefined || !/\d{4}/.test(text) ? undefined : text.replaceAll(/\s+/g, '');

const amountIn = (text: string | undefined): string | undefined => /[\d.]*,?\d+/.exec(text ?? '')?.[0];
