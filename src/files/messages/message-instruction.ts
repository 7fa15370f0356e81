import { shownValue } from '../../domain/finding.ts';
import { present } from '../../domain/iterate.ts';
import { CITY_FIELDS } from '../../domain/payee.ts';
import type { Creditor, CreditTransfer } from '../credit-transfer.ts';
import type { Broken } from '../rules/field-rules.ts';
import { accountKey, type Identity, type MessageMapping, type PaymentTypeRule } from './mapping.ts';
import type { MessageContext } from './message-context.ts';

/** `own`: the rule of the mapping file that was applied. */
type PaymentTypeChoice = { paymentType: string; own?: PaymentTypeRule } | { rule: string; message: string };

/** Service levels of an ordinary transfer. */
export const ORDINARY_LEVELS: readonly string[] = ['SEPA', 'NURG'];
/** Entry classes of NACHA, which are ordinary transfers to people and to companies. */
export const ORDINARY_INSTRUMENTS: readonly string[] = ['PPD', 'CCD'];

/** Whether a transfer asks for a service (an instant or urgent one, say) that the rule of its payment type does not carry. */
export const asksForMore = ({ service }: CreditTransfer, rule: PaymentTypeRule | undefined): boolean =>
  (service.levels ?? []).some((level) => !ORDINARY_LEVELS.includes(level) && level !== rule?.serviceLevel) ||
  ![undefined, rule?.localInstrument, ...ORDINARY_INSTRUMENTS].includes(service.localInstrument);

/** Clearing systems that correspond to a payment type of the interface, in their own currency. */
const DOMESTIC: Readonly<Record<string, { currency: string; paymentType: string }>> = {
  AUBSB: { currency: 'AUD', paymentType: 'bsb' },
  USABA: { currency: 'USD', paymentType: 'local' },
};

/**
 * How a payee is paid. The mapping's own rules come first; then, the most certain first:
 *
 * | the message has | payment type |
 * |---|---|
 * | clearing code AUBSB in AUD | `bsb` |
 * | clearing code USABA in USD | `local` |
 * | another clearing code that the mapping gives a field | `local` |
 * | service level SEPA, EUR and an IBAN | `local` |
 * | IBAN without BIC, in the currency of its country or in EUR within SEPA | none: probably domestic, so a rule is proposed |
 * | IBAN and BIC, or one of the two and no clearing code | `swift` |
 *
 * Nothing else is guessed: SEPA must be requested by name and is never replaced by the more expensive network; if the bank has no
 * `local` for it, the row is refused before money moves.
 */
export function paymentTypeOf(
  transfer: CreditTransfer,
  mapping: MessageMapping,
  bic = transfer.creditor.bic,
): PaymentTypeChoice {
  const { creditor, currency, service } = transfer;
  const { clearing, iban } = creditor;
  const own = mapping.paymentTypes.find((rule) => fits(rule, transfer));
  if (own !== undefined) return { paymentType: own.paymentType, own };
  const domestic = clearing === undefined ? undefined : DOMESTIC[clearing.system];
  if (domestic?.currency === currency) return domestic;
  const mapped = clearing !== undefined && mapping.clearingFields.has(clearing.system);
  if (mapped && domestic === undefined) return { paymentType: 'local' };
  if (service.levels?.includes('SEPA') && currency === 'EUR' && iban !== undefined) return { paymentType: 'local' };
  if (iban !== undefined && bic !== undefined) return { paymentType: 'swift' };
  if (clearing !== undefined) return UNMAPPED_CLEARING;
  if (iban !== undefined && bic === undefined && isDomestic(iban, currency)) return domesticRule(currency);
  return iban !== undefined || bic !== undefined ? { paymentType: 'swift' } : NO_PAYMENT_TYPE;
}

/** Countries of SEPA, whose banks need no BIC for an IBAN in EUR (EPC409-09); Liechtenstein also pays in CHF. */
const SEPA =
  'AD AL AT BE BG CH CY CZ DE DK EE ES FI FR GB GI GR HR HU IE IS IT LI LT LU LV MC MD ME MK MT NL NO PL PT RO RS SE SI SK SM VA';

/** A currency code begins with that of its country (ISO 4217). */
function isDomestic(iban: string, currency: string): boolean {
  const country = iban.slice(0, 2).toUpperCase();
  if (currency === 'EUR') return SEPA.split(' ').includes(country);
  return currency.startsWith(country) || (currency === 'CHF' && country === 'LI');
}

const domesticRule = (currency: string) => ({
  rule: 'no-payment-type',
  message: `an IBAN without BIC in ${currency} is a domestic transfer, which the message does not ask for by name; add {"currency": "${currency}", "paymentType": "local"} to paymentTypes in the mapping file (template mapping proposes it), or payment_type to the payee directory`,
});

function fits(rule: PaymentTypeRule, { service, currency, creditor }: CreditTransfer): boolean {
  const pairs = [
    [rule.serviceLevel, service.levels?.find((level) => level === rule.serviceLevel)],
    [rule.localInstrument, service.localInstrument],
    [rule.currency, currency],
    [rule.clearingSystem, creditor.clearing?.system],
  ];
  return pairs.every(([wanted, actual]) => wanted === undefined || wanted === actual);
}

const UNMAPPED_CLEARING = {
  rule: 'unmapped-clearing-system',
  message:
    "no payment type and field are known for the clearing system of the payee's bank in this currency; add it to clearingFields or paymentTypes in the mapping file",
};
const NO_PAYMENT_TYPE = {
  rule: 'no-payment-type',
  message:
    "the message has neither IBAN nor BIC nor a clearing code of the payee's bank; add a rule to paymentTypes in the mapping file, or add the payee to the payee directory",
};

type Address = NonNullable<Creditor['address']>;

/** Number of `AdrLine` allowed in a hybrid address (Swift CBPR+, EPC guidance on addresses EPC153-22). */
const HYBRID_LINES_MAX = 2;

/** Street and address lines in the bank's one field; a hybrid address may have both. */
function streetOf({ street, lines = [] }: Address): string | undefined {
  return [street, ...lines].flatMap((part) => part ?? []).join(', ') || undefined;
}

/**
 * Why an address in lines cannot be paid. From the configured day on, CBPR+ and SEPA accept only structured and hybrid addresses
 * (town, country and up to two lines); what counts is the day of sending. `fields` is the payee as passed to the bank, so address
 * data from the directory counts.
 */
function addressProblem(
  { lines = [] }: Address,
  fields: Readonly<Record<string, string | undefined>>,
  { executeOn = '', today, structuredAddressesFrom }: AddressDay,
): Broken | undefined {
  // The interface's `bsb` payees have no address (section 2).
  if (lines.length === 0 || fields.payment_type === 'bsb') return undefined;
  if ((executeOn > today ? executeOn : today) < structuredAddressesFrom) return undefined;
  const hasTown = CITY_FIELDS.some((name) => fields[name] !== undefined);
  if (!hasTown || fields.address_country === undefined) return linesAlone(structuredAddressesFrom);
  return lines.length > HYBRID_LINES_MAX ? TOO_MANY_LINES : undefined;
}

interface AddressDay extends Pick<MessageContext, 'today' | 'structuredAddressesFrom'> {
  /** The requested day, ISO 8601. */
  executeOn?: string;
}

const COLUMN = 'address_address1';
const linesAlone = (from: string): Broken => ({
  column: COLUMN,
  rule: 'address-lines-only',
  message: `since ${from} CBPR+ and SEPA do not accept addresses with free lines only; add TwnNm and Ctry and at most ${HYBRID_LINES_MAX} AdrLine, or add address_city and address_country to the payee directory`,
});
const TOO_MANY_LINES: Broken = {
  column: COLUMN,
  rule: 'too-many-address-lines',
  message: `an address with town and country has at most ${HYBRID_LINES_MAX} AdrLine; use elements StrtNm, BldgNb and PstCd, or put the address into the payee directory`,
};

/** Ids of one transaction, as in the message; `NOTPROVIDED` and blanks count as absent. */
interface TransactionIds {
  endToEndId?: string;
  instructionId?: string;
  /** Unique in the message without the other ids, e.g. message id, payment id and number joined by dots. */
  position: string;
}

const ABSENT = /^(?:NOT ?PROVIDED)?$/i;
const given = (id: string | undefined): string | undefined =>
  id === undefined || ABSENT.test(id.trim()) ? undefined : id.trim();

/** The document id of a payout; "/" becomes "|", because our ids must not contain a slash. */
export function documentId({ endToEndId, instructionId, position }: TransactionIds, identity: Identity): string {
  const chosen: Readonly<Record<Identity, string | undefined>> = {
    'end-to-end-id': given(endToEndId) ?? given(instructionId),
    'instruction-id': given(instructionId),
    position: undefined,
  };
  return (chosen[identity] ?? position).replaceAll('/', '|');
}

interface MappedTransfer {
  /** By column names; what is unknown is left out. */
  instruction: Record<string, string>;
  /** Payee fields taken from the message, which may be dropped if the bank does not ask for them. */
  spare: string[];
  /** Why the transfer cannot be paid. */
  broken: BrokenTransfer[];
  /** The rule of the mapping file by which it is paid; undefined: none, or the payee directory names the payment type. */
  rule: PaymentTypeRule | undefined;
}

/** `value` is safe to print. */
type BrokenTransfer = Broken & { value?: string | null };

type Fields = Record<string, string>;

/** A credit transfer as a payout: our account for the debtor's, the bank's fields for the creditor's data. */
export function instructionOf(transfer: CreditTransfer, context: MessageContext): MappedTransfer {
  const { id, amount, currency, requestedExecution, remittance, purpose, adviceTo } = transfer;
  const debtor = debtorOf(transfer, context);
  const payee = payeeOf(transfer, debtor.fields.uid, context);
  const instruction = {
    id,
    ...debtor.fields,
    amount,
    currency,
    ...payee.fields,
    ...present({ note: remittance, reason: purpose, execute_on: requestedExecution, advice_to: adviceTo }),
  };
  const { spare, rule } = payee;
  context.seen?.(transfer, instruction, rule);
  return { instruction, spare, rule, broken: [...debtor.broken, ...payee.broken] };
}

function debtorOf({ debtorAccount, debtorCurrency }: CreditTransfer, { mapping }: MessageContext) {
  const ours = mapping.accounts.get(accountKey(debtorAccount));
  const broken: BrokenTransfer[] = [];
  if (ours === undefined) {
    broken.push({ ...UNMAPPED_ACCOUNT, value: shownValue('debtor_account', debtorAccount) });
  } else if (ours.currency !== undefined && debtorCurrency !== undefined && ours.currency !== debtorCurrency) {
    broken.push({ ...OTHER_CURRENCY, value: shownValue('currency', debtorCurrency) });
  }
  const fields: Fields = ours === undefined ? {} : { uid: ours.uid, account_id: ours.account_id };
  return { fields, broken };
}

function payeeOf(
  transfer: CreditTransfer,
  uid: string | undefined,
  context: MessageContext,
): Omit<MappedTransfer, 'instruction'> & { fields: Fields } {
  const { mapping, payees } = context;
  const known = payees.find(transfer, uid) ?? {};
  if (known === 'ambiguous') return { fields: {}, spare: [], broken: [AMBIGUOUS_PAYEE], rule: undefined };
  if (known.beneficiary_id !== undefined) return { fields: known, spare: [], broken: [], rule: undefined };
  const broken: Broken[] = [];
  const beneficiaryType = known.beneficiary_type ?? transfer.creditor.type ?? mapping.beneficiaryType;
  if (beneficiaryType === undefined) broken.push(NO_BENEFICIARY_TYPE);
  const bic = transfer.creditor.bic ?? known.swift_code;
  const choice = known.payment_type === undefined ? paymentTypeOf(transfer, mapping, bic) : undefined;
  if (choice !== undefined && 'rule' in choice) broken.push({ column: 'payment_type', ...choice });
  const paymentType = choice !== undefined && 'paymentType' in choice ? choice.paymentType : undefined;
  const said = detailsOf(transfer, beneficiaryType, mapping.clearingFields);
  // The city has two field names: if the directory has either, the message's city would contradict it.
  if (CITY_FIELDS.some((name) => known[name] !== undefined)) delete said.address_city;
  const types = present({ beneficiary_type: beneficiaryType, payment_type: paymentType });
  const spare = Object.keys(said).filter((name) => known[name] === undefined);
  const fields = { ...types, ...said, ...known };
  // A street in the directory replaces the address lines.
  if (known.address_address1 === undefined) {
    const day = { ...context, executeOn: transfer.requestedExecution };
    broken.push(...[addressProblem(transfer.creditor.address ?? {}, fields, day)].flatMap((found) => found ?? []));
  }
  return { fields, spare, broken, rule: choice !== undefined && 'own' in choice ? choice.own : undefined };
}

/** By the interface's field names (sections 2 and 4). First and last name are never derived from a full name. */
function detailsOf(
  { creditor }: CreditTransfer,
  beneficiaryType: string | undefined,
  clearingFields: ReadonlyMap<string, string>,
): Fields {
  const { name, iban, account, bic, clearing, mobile, address = {} } = creditor;
  const clearingField = clearing === undefined ? undefined : clearingFields.get(clearing.system);
  return present({
    account_name: name,
    company_name: beneficiaryType === 'business' ? name : undefined,
    mobile,
    // ISO 9362 and ISO 13616: a BIC contains the bank's country, an IBAN begins with it.
    region_country: creditor.bankCountry ?? bic?.slice(4, 6) ?? iban?.slice(0, 2),
    ...(clearingField === undefined ? {} : { [clearingField]: clearing?.member }),
    swift_code: bic,
    iban_no: iban,
    account_no: account,
    address_country: address.country,
    address_state: address.state,
    address_city: address.city,
    address_address1: streetOf(address),
    // The interface's regex for postcodes allows no blanks, which carry no meaning.
    address_postcode: address.postcode?.replace(/\s+/g, ''),
  });
}

const UNMAPPED_ACCOUNT: Broken = {
  column: 'account_id',
  rule: 'unmapped-account',
  message: "no bank account is known for the debtor's account; add it to accounts in the mapping file",
};
const OTHER_CURRENCY: Broken = {
  column: 'account_id',
  rule: 'debtor-currency',
  message:
    "the message and the mapping file give different currencies for the debtor's account; correct one of the two",
};
const AMBIGUOUS_PAYEE: Broken = {
  column: 'beneficiary_id',
  rule: 'ambiguous-payee',
  message: 'two entries of the payee directory match equally well; distinguish them by bank, currency or uid',
};
const NO_BENEFICIARY_TYPE: Broken = {
  column: 'beneficiary_type',
  rule: 'no-beneficiary-type',
  message:
    'it is not known whether the payee is a person or a company; set it in the payee directory, or set beneficiaryType in the mapping file',
};
