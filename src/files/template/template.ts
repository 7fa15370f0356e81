import { stringify } from 'csv-stringify/sync';
import { matchPattern } from '../../bank/pattern.ts';
import type { FieldDescriptor, RequiredDetailsEntry } from '../../bank/schemas/beneficiaries.ts';
import { sampleIban } from '../../domain/bank-identifiers.ts';
import { beneficiaryFields, INSTRUCTION_FIELDS } from '../../domain/instruction.ts';
import { present } from '../../domain/iterate.ts';
import { currencyExponent, formatMinor, sumDecimals } from '../../domain/money.ts';
import type { USUAL_PAYEE_FIELDS } from '../../domain/payee.ts';
import type { CreditTransfer } from '../credit-transfer.ts';
import { ofType } from '../iso20022/simple-types.ts';
import { accountKey, bankKey, type MessageMapping, type PaymentTypeRule } from '../messages/mapping.ts';
import { asksForMore } from '../messages/message-instruction.ts';
import { writeXlsx } from '../xlsx/write-xlsx.ts';

/** The longest account number in any network. */
const CHARACTERS_MAX = 34;

/**
 * The required fields of a new payee with made-up values that match the bank's rules. A field for which no value matches is left
 * out.
 */
export function samplePayee({ currency, fields }: RequiredDetailsEntry): Record<string, string> {
  const needed = fields.filter(({ required }) => required);
  const own = countryOf(currency);
  // The bank of an account is in the country of its IBAN.
  const country = needed.some(({ field }) => field === 'iban_no') ? sampleIban(own).slice(0, 2) : own;
  const values = needed.map((field): [string, string | undefined] => [
    field.field,
    sampleValue(field, currency, country),
  ]);
  return Object.fromEntries(values.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** Required fields for which no made-up value matches: the person who fills in the template must find one. */
export function fieldsWithoutSample(entries: readonly RequiredDetailsEntry[]): string[] {
  const missing = entries.flatMap((entry) => {
    const sample = samplePayee(entry);
    return entry.fields.flatMap(({ field, required }) => (required && sample[field] === undefined ? [field] : []));
  });
  return [...new Set(missing)];
}

/** A value that matches the field's rule; `undefined` if none of the usual shapes does. */
export function sampleValue(
  { field, regex, data_type }: FieldDescriptor,
  currency: string,
  country = countryOf(currency),
): string | undefined {
  if (data_type === 'country') return country;
  const named = Object.hasOwn(NAMED, field) ? NAMED[field as keyof typeof NAMED]?.(country) : undefined;
  const candidates = [named, ...(data_type === 'phone' ? PHONES : []), ...shapes(country)];
  return candidates.find((value) => value !== undefined && (regex === '' || matchPattern(regex, value) === 'match'));
}

/** For a currency without a country of its own: a country that uses it. */
const COUNTRIES: Readonly<Record<string, string>> = { EUR: 'DE' };

/** ISO 4217 codes begin with the ISO 3166 code of their country. */
const countryOf = (currency: string): string => COUNTRIES[currency] ?? currency.slice(0, 2);

/** Values that nobody mistakes for a real person or account. */
const NAMED: Partial<Record<(typeof USUAL_PAYEE_FIELDS)[number], (country: string) => string>> = {
  account_name: () => 'Example Payee',
  first_name: () => 'Example',
  last_name: () => 'Payee',
  company_name: () => 'Example Company',
  mobile: () => '+10000000000',
  address_state: () => 'Example State',
  address_city: () => 'Example City',
  address_suburb: () => 'Example City',
  address_address1: () => '1 Example Street',
  aba_routing_code: () => '000000000',
  account_no: () => '00001001',
  iban_no: sampleIban,
  swift_code: (country) => `EXAM${country}00`,
};
const PHONES = ['+10000000000', '10000000000'];

/** Usual shapes of bank codes: digits, groups of digits, letters, and both, in every length. */
function* shapes(country: string): Generator<string> {
  yield 'Example';
  yield '00-00-00';
  yield '000-000';
  for (let length = 1; length <= CHARACTERS_MAX; length += 1) {
    yield '0'.repeat(length);
    yield 'X'.repeat(length);
    yield `${country}00`.padEnd(length, '0');
    yield `EXAM${country}00`.padEnd(length, '0');
    yield 'EXAM'.padEnd(length, '0');
  }
  yield 'payee@example.com';
  yield '2000-01-01';
}

export interface TemplateIds {
  uid: string;
  accountOf(currency: string): string;
  /** A beneficiary known to the bank. */
  beneficiaryOf(currency: string, paymentType: string): string;
}

/** For the sandbox the seeded ids, so that the template can be paid there; never an account of a real bank. */
export const templateIds = (isSandbox: boolean): TemplateIds =>
  isSandbox
    ? {
        uid: 'u-1001',
        accountOf: (currency) => `acc-u1001-${currency.toLowerCase()}`,
        beneficiaryOf: (currency, paymentType) => `ben-u1001-${currency.toLowerCase()}-${paymentType}`,
      }
    : {
        uid: 'YOUR-UID',
        accountOf: (currency) => `YOUR-${currency}-ACCOUNT`,
        beneficiaryOf: (currency) => `YOUR-${currency}-BENEFICIARY`,
      };

const WHOLE_UNITS = 100;

/** One row to a known beneficiary, then one for each payment type that the bank offers. Blank values are left out. */
export function templateRows(entries: readonly RequiredDetailsEntry[], ids: TemplateIds): Record<string, string>[] {
  const known = entries.slice(0, 1).map((entry) => ({
    entry,
    payee: { beneficiary_id: ids.beneficiaryOf(entry.currency, entry.payment_type) },
  }));
  const made = entries.map((entry) => {
    const { beneficiary_type, payment_type } = entry;
    return { entry, payee: { beneficiary_type, payment_type, ...samplePayee(entry) } };
  });
  return [...known, ...made].map(({ entry: { currency }, payee }, index) => ({
    id: `EXAMPLE-${index + 1}`,
    uid: ids.uid,
    account_id: ids.accountOf(currency),
    // No two alike: its first plan would warn of rows that may be the same payment.
    amount: formatMinor(BigInt(WHOLE_UNITS + index) * 10n ** BigInt(currencyExponent(currency) ?? 2), currency),
    currency,
    ...payee,
    note: 'Example payout',
  }));
}

/** A bank message and the two files that complete it; together they pass the bank's rules. */
interface MessageTemplate {
  /** In version pain.001.001.09. */
  pain001: string;
  /** The payee directory: what the message does not say about its payees. */
  payees: string;
  /** The account of ours for the debtor's account. */
  mapping: string;
}

/** Fields that the message itself has; the others go into the payee directory. */
const SAID: ReadonlySet<string> = new Set(['iban_no', 'account_no', 'swift_code', 'account_name']);

type Row = Readonly<Record<string, string>>;

/** Payments in the first currency: to a known beneficiary, and by each payment type. `at`: the day to pay on. */
export function messageTemplate(entries: readonly RequiredDetailsEntry[], ids: TemplateIds, at: Date): MessageTemplate {
  const [first] = entries;
  const alike = entries.filter(
    (it) => it.currency === first?.currency && it.beneficiary_type === first.beneficiary_type,
  );
  const rows = templateRows(alike, ids);
  const names = fieldNames(alike).filter((name) => !SAID.has(name));
  const columns = ['account', 'bank', 'beneficiary_id', 'beneficiary_type', 'payment_type', ...names];
  const payees = rows.map((row) => ({ ...row, account: accountOf(row), bank: bicOf(row) }));
  const accounts = Object.fromEntries(
    rows.map(({ uid, account_id: id = '', currency }) => [id, { uid, account_id: id, currency }]),
  );
  return {
    pain001: pain001(rows, at),
    payees: stringify(payees, { header: true, columns }),
    mapping: `${JSON.stringify({ accounts, identity: 'end-to-end-id' }, null, 2)}\n`,
  };
}

/** For a known beneficiary, any account by which the directory finds its id. */
const accountOf = ({ iban_no, account_no, id = '' }: Row): string => iban_no ?? account_no ?? `${id}-ACCOUNT`;
const bicOf = ({ swift_code: code }: Row): string | undefined => ofType('Bicfi', code);

/** Values are our ids or made up here: none contains a character that must be escaped in XML. */
function pain001(rows: readonly Row[], at: Date): string {
  const [{ account_id = '', currency = '' } = {}] = rows;
  const totals = `<NbOfTxs>${rows.length}</NbOfTxs><CtrlSum>${sumDecimals(rows.map(({ amount = '0' }) => amount))}</CtrlSum>`;
  const instant = at.toISOString();
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09">
  <CstmrCdtTrfInitn>
    <GrpHdr>
      <MsgId>EXAMPLE-MESSAGE-1</MsgId>
      <CreDtTm>${instant.slice(0, 19)}Z</CreDtTm>
      ${totals}
      <InitgPty><Nm>Example Payer</Nm></InitgPty>
    </GrpHdr>
    <PmtInf>
      <PmtInfId>EXAMPLE-PAYMENT-1</PmtInfId>
      <PmtMtd>TRF</PmtMtd>
      ${totals}
      <ReqdExctnDt><Dt>${instant.slice(0, 10)}</Dt></ReqdExctnDt>
      <Dbtr><Nm>Example Payer</Nm></Dbtr>
      <DbtrAcct><Id><Othr><Id>${account_id}</Id></Othr></Id><Ccy>${currency}</Ccy></DbtrAcct>
      <DbtrAgt><FinInstnId><Othr><Id>NOTPROVIDED</Id></Othr></FinInstnId></DbtrAgt>
      <ChrgBr>SHAR</ChrgBr>
${rows.map(transaction).join('\n')}
    </PmtInf>
  </CstmrCdtTrfInitn>
</Document>
`;
}

function transaction(row: Row): string {
  const { id, amount, currency, note, account_name: name = 'Example Payee' } = row;
  const account = accountOf(row);
  const bic = bicOf(row);
  const agent = bic === undefined ? [] : [`<CdtrAgt><FinInstnId><BICFI>${bic}</BICFI></FinInstnId></CdtrAgt>`];
  const lines = [
    `<PmtId><EndToEndId>${id}</EndToEndId></PmtId>`,
    `<Amt><InstdAmt Ccy="${currency}">${amount}</InstdAmt></Amt>`,
    ...agent,
    `<Cdtr><Nm>${name}</Nm></Cdtr>`,
    `<CdtrAcct><Id>${ofType('Iban', account) === undefined ? `<Othr><Id>${account}</Id></Othr>` : `<IBAN>${account}</IBAN>`}</Id></CdtrAcct>`,
    `<RmtInf><Ustrd>${note}</Ustrd></RmtInf>`,
  ];
  return ['      <CdtTrfTxInf>', ...lines.map((line) => `        ${line}`), '      </CdtTrfTxInf>'].join('\n');
}

type Fields = Readonly<Record<string, string>>;

/** Columns of a payee directory that precede the bank's own fields. */
const COLUMNS = ['account', 'bank', 'currency', 'beneficiary_id', 'beneficiary_type', 'payment_type'];
/** A spreadsheet would run it as a formula; a phone number is not one. What is left blank is taken from the message. */
const FORMULA = /^(?:[=@\t\r]|[+-](?![\d ()./-]*$))/;
/** Common fields; anything else that a bank requires may be the code of a clearing system. */
const USUAL = /^(?:account_|first_name|last_name|company_name|mobile|region_country|swift_code|iban_no|address_)/;
const DOMESTIC = 'local';
const TYPES = ['personal', 'business'] as const;
const TO_FILL_IN = { field: 'FIELD-OF-THE-BANK', paymentType: 'PAYMENT-TYPE-OF-THE-BANK' };

/** The debtor accounts and payees of a message, without duplicates, in order of appearance. */
export class MessageParties {
  readonly currencies = new Set<string>();
  private readonly debtors = new Map<string, { account: string; currency: string }>();
  private readonly payees = new Map<string, Fields>();
  /** Clearing systems by code, each with a currency in which it appeared. */
  private readonly systems = new Map<string, string>();
  /** Conditions under which the message gives no payment type; `isDomestic`: an IBAN without BIC. */
  private readonly withoutType = new Map<string, { rule: Fields; isDomestic: boolean }>();
  private readonly ids = new Set<string>();
  private hasRepeatedIds = false;

  /** @param instruction what is known of the transfer's payout */
  take(transfer: CreditTransfer, instruction: Fields, applied: PaymentTypeRule | undefined): void {
    const { debtorAccount, debtorCurrency, currency, creditor, service } = transfer;
    this.hasRepeatedIds ||= this.ids.has(transfer.id);
    this.ids.add(transfer.id);
    this.currencies.add(currency);
    this.debtors.set(accountKey(debtorAccount), { account: debtorAccount, currency: debtorCurrency ?? currency });
    if (creditor.clearing !== undefined) this.systems.set(creditor.clearing.system, currency);
    const account = creditor.iban ?? creditor.account;
    if (account === undefined) return;
    const { beneficiary_id, beneficiary_type, payment_type } = instruction;
    const isWithoutType = payment_type === undefined && creditor.clearing === undefined;
    if (isWithoutType || (beneficiary_id === undefined && asksForMore(transfer, applied))) {
      const { levels, localInstrument } = service;
      const isDomestic = isWithoutType && creditor.iban !== undefined && localInstrument === undefined;
      const asked = { serviceLevel: levels?.[0], localInstrument };
      const rule = present({ ...(isDomestic ? {} : asked), currency });
      this.withoutType.set(JSON.stringify(rule), { rule, isDomestic });
    }
    const bank = creditor.bic ?? creditor.clearing?.member;
    const key = [accountKey(account), bankKey(bank ?? ''), currency].join(' ');
    const details = beneficiaryFields(instruction as Parameters<typeof beneficiaryFields>[0]);
    this.payees.set(
      key,
      present({ ...details, account, bank, currency, beneficiary_id, beneficiary_type, payment_type }),
    );
  }

  get isEmpty(): boolean {
    return this.debtors.size === 0;
  }

  /** A mapping file with every account of the message; entries already known are kept. */
  mapping(known: MessageMapping, ids: TemplateIds, entries: readonly RequiredDetailsEntry[]): string {
    const accounts = Object.fromEntries(
      [...this.debtors].map(([key, { account, currency }]) => {
        const ours = { uid: ids.uid, account_id: ids.accountOf(currency), currency };
        return [account, known.accounts.get(key) ?? ours];
      }),
    );
    const unmapped = [...this.systems].filter(([system]) => !known.clearingFields.has(system));
    const clearingFields = Object.fromEntries(
      unmapped.map(([system, currency]) => [system, codeField(entries, currency)]),
    );
    const offered = (currency: string | undefined): boolean =>
      entries.some((entry) => entry.currency === currency && entry.payment_type === DOMESTIC);
    const rules = [...this.withoutType.values()].map(({ rule, isDomestic }) => ({
      ...rule,
      paymentType: isDomestic && offered(rule.currency) ? DOMESTIC : TO_FILL_IN.paymentType,
    }));
    const { beneficiaryType } = known;
    const identity = this.hasRepeatedIds ? 'position' : known.identity;
    // The first match counts, and a rule that is known may be wider.
    const paymentTypes = [...rules, ...known.paymentTypes];
    return `${JSON.stringify({ accounts, paymentTypes, clearingFields, beneficiaryType, identity }, null, 2)}\n`;
  }

  /** What must be filled in, in groups of payees that lack the same. */
  lacking(entries: readonly RequiredDetailsEntry[]): Lacking[] {
    const groups = new Map<string, Lacking>();
    for (const payee of this.payees.values()) {
      if (payee.beneficiary_id !== undefined) continue;
      const types = TYPES.filter((type) => (payee.beneficiary_type ?? type) === type);
      const columns = Object.fromEntries(types.map((type) => [type, columnsLacking(payee, type, entries)]));
      const key = JSON.stringify(columns);
      const group: Lacking = groups.get(key) ?? { payees: [], columns };
      group.payees.push({ name: payee.account_name ?? '', account: payee.account ?? '' });
      groups.set(key, group);
    }
    return [...groups.values()].filter(({ columns }) => Object.values(columns).some((names) => names.length > 0));
  }

  /** A payee directory with every payee of the message; blank cells are what the message lacks and the bank may require. */
  directory(entries: readonly RequiredDetailsEntry[]): string {
    const rows = [...this.payees.values()].map((payee) => {
      const askedOf = namesAskedOf(payee, entries);
      const shown = Object.entries(payee).filter(([name]) => COLUMNS.includes(name) || askedOf.has(name));
      return Object.fromEntries(shown.filter(([, value]) => !FORMULA.test(value)));
    });
    return stringify(rows, { header: true, columns: [...COLUMNS, ...fieldNames(entries)] });
  }
}

/** Payees that lack the same, and what they lack by their type (`beneficiary_type`), where the message does not say which it is. */
export interface Lacking {
  payees: { name: string; account: string }[];
  columns: Partial<Record<'personal' | 'business', string[]>>;
}

/** Columns of the directory that must be filled in for a payee of this type; under an unknown payment type, those of each. */
function columnsLacking(payee: Fields, type: string, entries: readonly RequiredDetailsEntry[]): string[] {
  const fitting = entries
    .filter((it) => it.currency === payee.currency && it.beneficiary_type === type)
    .filter((it) => (payee.payment_type ?? it.payment_type) === it.payment_type)
    .map(({ fields }) => new Set(fields.flatMap(({ field, required }) => (required ? [field] : []))));
  const [first = new Set<string>(), ...others] = fitting;
  const asked = [...others.reduce((common, names) => common.intersection(names), first)];
  const unknown = ['beneficiary_type', 'payment_type'].filter((name) => payee[name] === undefined);
  return [...unknown, ...asked.filter((name) => payee[name] === undefined)];
}

/** Fields that the bank requires of a payee under every payment type it may get: any other could end up as a finding. */
function namesAskedOf(payee: Fields, entries: readonly RequiredDetailsEntry[]): ReadonlySet<string> {
  const { currency, payment_type: paymentType, beneficiary_type: type } = payee;
  const fitting = entries
    .filter((it) => it.currency === currency && (paymentType ?? it.payment_type) === it.payment_type)
    .filter((it) => (type ?? it.beneficiary_type) === it.beneficiary_type)
    .map(({ fields }) => new Set(fields.map(({ field }) => field)));
  const [first = new Set<string>(), ...others] = fitting;
  return others.reduce((common, names) => common.intersection(names), first);
}

/** The only field, beyond the common ones, that the bank requires in a currency. */
function codeField(entries: readonly RequiredDetailsEntry[], currency: string): string {
  const names = fieldNames(entries.filter((entry) => entry.currency === currency)).filter((name) => !USUAL.test(name));
  return names.length === 1 ? (names[0] ?? TO_FILL_IN.field) : TO_FILL_IN.field;
}

/** Not for new rows: `failed.csv` fills it in. */
const LEFT_OUT: ReadonlySet<string> = new Set(['retry_of']);

/** All our columns and every field that the bank may require, then the rows. */
export function csvTemplate(
  rows: readonly Readonly<Record<string, string>>[],
  entries: readonly RequiredDetailsEntry[],
): string {
  return stringify([...rows], { header: true, columns: columnsFor(entries) });
}

/** The same as a spreadsheet: amounts are numbers, and what a spreadsheet would change (account numbers, dates) is text. */
export const xlsxTemplate = (
  rows: readonly Readonly<Record<string, string>>[],
  entries: readonly RequiredDetailsEntry[],
): Buffer =>
  writeXlsx(
    'Payouts',
    columnsFor(entries).map((name) => ({ name, kind: name === 'amount' ? 'number' : 'text' })),
    rows,
  );

const columnsFor = (entries: readonly RequiredDetailsEntry[]): string[] => [
  ...INSTRUCTION_FIELDS.filter((name) => !LEFT_OUT.has(name)),
  ...fieldNames(entries),
];

export function jsonTemplate(rows: readonly Readonly<Record<string, string>>[]): string {
  return `${JSON.stringify({ payouts: rows }, null, 2)}\n`;
}

/** Field names of payees in all entries, in the bank's order. */
export const fieldNames = (entries: readonly RequiredDetailsEntry[]): string[] => [
  ...new Set(entries.flatMap(({ fields }) => fields.map(({ field }) => field))),
];
