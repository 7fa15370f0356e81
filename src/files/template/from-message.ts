import { stringify } from 'csv-stringify/sync';
import type { RequiredDetailsEntry } from '../../bank/schemas/beneficiaries.ts';
import { beneficiaryFields } from '../../domain/instruction.ts';
import { present } from '../../domain/present.ts';
import type { CreditTransfer } from '../credit-transfer.ts';
import { accountKey, bankKey } from '../messages/account-key.ts';
import type { MessageMapping } from '../messages/mapping.ts';
import type { TemplateIds } from './template-rows.ts';
import { fieldNames } from './write-template.ts';

type Fields = Readonly<Record<string, string>>;

/** Columns of a payee directory that precede the bank's own fields. */
const COLUMNS = ['account', 'bank', 'currency', 'beneficiary_id', 'beneficiary_type', 'payment_type'];
/** A spreadsheet would run it; a phone number is none. What is left blank is taken from the message. */
const FORMULA = /^(?:[=@\t\r]|[+-](?![\d ()./-]*$))/;
/** Common fields; whatever else a bank requires may be the code of a clearing system. */
const USUAL = /^(?:account_|first_name|last_name|company_name|mobile|region_country|swift_code|iban_no|address_)/;
const TO_FILL_IN = { field: 'FIELD-OF-THE-BANK', paymentType: 'PAYMENT-TYPE-OF-THE-BANK' };

/** The debtor accounts and payees of a message, without duplicates, in order of appearance. */
export class MessageParties {
  readonly currencies = new Set<string>();
  private readonly debtors = new Map<string, { account: string; currency: string }>();
  private readonly payees = new Map<string, Fields>();
  /** Clearing systems by code, each with a currency in which it appeared. */
  private readonly systems = new Map<string, string>();
  private readonly withoutType = new Map<string, Fields>();

  /** @param instruction what is known of the transfer's payout */
  take(transfer: CreditTransfer, instruction: Fields): void {
    const { debtorAccount, debtorCurrency, currency, creditor, service } = transfer;
    this.currencies.add(currency);
    this.debtors.set(accountKey(debtorAccount), { account: debtorAccount, currency: debtorCurrency ?? currency });
    if (creditor.clearing !== undefined) this.systems.set(creditor.clearing.system, currency);
    const account = creditor.iban ?? creditor.account;
    if (account === undefined) return;
    const { beneficiary_id, beneficiary_type, payment_type } = instruction;
    if (payment_type === undefined && creditor.clearing === undefined) {
      const rule = { serviceLevel: service.levels?.[0], localInstrument: service.localInstrument, currency };
      this.withoutType.set(JSON.stringify(rule), present(rule));
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
    const rules = [...this.withoutType.values()].map((rule) => ({ ...rule, paymentType: TO_FILL_IN.paymentType }));
    const { beneficiaryType, identity } = known;
    const paymentTypes = [...known.paymentTypes, ...rules];
    return `${JSON.stringify({ accounts, paymentTypes, clearingFields, beneficiaryType, identity }, null, 2)}\n`;
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
