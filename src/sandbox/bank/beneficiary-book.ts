import type { z } from 'zod';
import type { Beneficiary, FieldDescriptor, RequiredDetailsEntry } from '../../bank/schemas/beneficiaries.ts';
import type { Page } from '../../bank/schemas/wire.ts';
import { badRequest, type beneficiaryListQuery, newId, Refusal } from '../requests.ts';
import type { Database, Parameters } from '../sandbox-database.ts';
import type { Books } from './books.ts';
import { pageOf } from './order-list.ts';

/** Identifies an entry of required-details. */
interface BeneficiaryKind {
  currency: string;
  beneficiary_type: string;
  payment_type: string;
}

/**
 * The detail fields of a request; others are dropped. Throws 2002 with every missing or invalid field, 2009 if the currency does
 * not have the payment type.
 */
function checkedItems(kind: BeneficiaryKind, request: Readonly<Record<string, unknown>>): Record<string, string> {
  const items: Record<string, string> = {};
  const invalid: string[] = [];
  for (const descriptor of fieldsOf(kind)) {
    const { field, required } = descriptor;
    const value = Object.hasOwn(request, field) ? request[field] : undefined;
    if (isBlank(value)) {
      if (required) invalid.push(field);
    } else if (matches(descriptor, value)) {
      items[field] = value;
    } else {
      invalid.push(field);
    }
  }
  if (invalid.length > 0) throw badRequest(`check ${invalid.join(', ')}`);
  return items;
}

function fieldsOf({ currency, beneficiary_type, payment_type }: BeneficiaryKind): FieldDescriptor[] {
  const entries = requiredDetails(currency, beneficiary_type);
  const entry = entries.find((candidate) => candidate.payment_type === payment_type);
  if (entry === undefined) throw new Refusal(2009, 'payment_type: not in required-details');
  return entry.fields;
}

const VALUE_CHARACTERS_MAX = 255;
const COUNTRY = /^[A-Z]{2}$/;

const isBlank = (value: unknown): boolean => value === undefined || value === null || value === '';

/**
 * `[\d-A-Z]` in interface section 2 means digits, a hyphen and a range of letters; of the range, JavaScript would take only both
 * ends.
 */
const patternOf = (regex: string): RegExp => new RegExp(regex.replaceAll('\\d-', '\\d\\-'));

function matches({ regex, data_type }: FieldDescriptor, value: unknown): value is string {
  if (typeof value !== 'string' || value.length > VALUE_CHARACTERS_MAX) return false;
  return patternOf(regex).test(value) && (data_type !== 'country' || COUNTRY.test(value));
}

/**
 * Required details by currency, beneficiary type and payment type. USD personal is the interface's (section 2), and AUD `bsb` has
 * its five keys; the others are not shown there, and are chosen here in the same style.
 */

const field = (name: string, regex = '', data_type: FieldDescriptor['data_type'] = 'text'): FieldDescriptor => ({
  field: name,
  required: true,
  regex,
  data_type,
});
const optional = (descriptor: FieldDescriptor): FieldDescriptor => ({ ...descriptor, required: false });

const PERSON = [field('account_name'), field('first_name'), field('last_name')];
const CONTACT = [field('mobile', '', 'phone'), field('region_country', '', 'country')];
const COMPANY = [field('account_name'), field('company_name')];

const address = (city: 'address_city' | 'address_suburb'): FieldDescriptor[] => [
  field('address_country', '', 'country'),
  field('address_state'),
  field(city),
  field('address_address1'),
  optional(field('address_address2')),
  optional(field('address_postcode', '^[\\d-A-Za-z]+$')),
];

const IBAN = field('iban_no', '^[a-zA-Z0-9 ]+$');
const SWIFT = [field('swift_code', '^[a-zA-Z0-9 ]{6,15}$'), IBAN];

/** Bank coordinates of a payment type; a `plain` one requires no contact and no address. */
interface Network {
  paymentType: string;
  coordinates: FieldDescriptor[];
  city: 'address_city' | 'address_suburb';
  plain?: boolean;
}

const swift = (city: Network['city'] = 'address_city'): Network => ({ paymentType: 'swift', coordinates: SWIFT, city });
const local = (...coordinates: FieldDescriptor[]): Network => ({
  paymentType: 'local',
  coordinates,
  city: 'address_city',
});
const number = (name: string, regex: string): FieldDescriptor => field(name, regex, 'number');

const NETWORKS: Readonly<Record<string, readonly Network[]>> = {
  USD: [local(number('aba_routing_code', '^[\\d ]{6,13}$'), number('account_no', '^[\\d ]+$')), swift()],
  EUR: [local(IBAN), swift()],
  GBP: [local(number('sort_code', '^\\d{2}-?\\d{2}-?\\d{2}$'), number('account_no', '^\\d{8}$')), swift()],
  AUD: [
    {
      paymentType: 'bsb',
      coordinates: [number('bsb', '^\\d{3}-?\\d{3}$'), number('account_no', '^\\d{4,10}$')],
      city: 'address_suburb',
      plain: true,
    },
    swift('address_suburb'),
  ],
  CHF: [local(IBAN), swift()],
  JPY: [
    local(number('bank_code', '^\\d{4}$'), number('branch_code', '^\\d{3}$'), number('account_no', '^\\d{7}$')),
    swift(),
  ],
  HKD: [local(number('bank_code', '^\\d{3}$'), number('account_no', '^\\d{6,12}$')), swift()],
  SGD: [local(number('bank_code', '^\\d{4}$'), number('account_no', '^\\d{6,14}$')), swift()],
};

/** Entries for a currency; empty if the sandbox has no network for it. */
export function requiredDetails(currency: string, beneficiaryType: string): RequiredDetailsEntry[] {
  const holder = beneficiaryType === 'business' ? COMPANY : PERSON;
  return (NETWORKS[currency] ?? []).map(({ paymentType, coordinates, city, plain }) => ({
    currency,
    beneficiary_type: beneficiaryType,
    payment_type: paymentType,
    fields: plain ? [...holder, ...coordinates] : [...holder, ...CONTACT, ...coordinates, ...address(city)],
  }));
}

export interface BeneficiaryRow extends BeneficiaryKind {
  id: string;
  uid: string;
  /** JSON object of the detail fields. */
  items: string;
  created_at: bigint;
}

/** Adds a payee; the same details again add another one (the interface shows no key). Throws 2002, 2009. */
export function addBeneficiary(
  { db, now }: Books,
  request: BeneficiaryKind & { uid: string; [field: string]: unknown },
): { beneficiary_id: string } {
  const items = checkedItems(request, request);
  const { uid, currency, beneficiary_type, payment_type } = request;
  const id = newId('ben');
  const details = JSON.stringify(items);
  const row = { id, uid, currency, beneficiary_type, payment_type, items: details, created_at: now() };
  db.insert('beneficiaries', row);
  return { beneficiary_id: id };
}

const COLUMNS = 'id, created_at, uid, currency, payment_type, beneficiary_type, items';

/** Throws 2004. */
export function requireBeneficiary(db: Database, id: string): BeneficiaryRow {
  const row = db.one<BeneficiaryRow>(`SELECT ${COLUMNS} FROM beneficiaries WHERE id = :id`, { id });
  if (row === undefined) throw new Refusal(2004);
  return row;
}

/** Throws 2004 also if it belongs to another user. */
export function requireBeneficiaryOf(db: Database, uid: string, id: string): BeneficiaryRow {
  const row = requireBeneficiary(db, id);
  if (row.uid !== uid) throw new Refusal(2004);
  return row;
}

type BeneficiaryFilter = z.infer<typeof beneficiaryListQuery>;

/** The newest first. */
export function listBeneficiaries({ db, profile }: Books, filter: BeneficiaryFilter): Page<Beneficiary> {
  const { page, page_size, ...columns } = filter;
  const values: Parameters = {};
  for (const [column, value] of Object.entries(columns)) if (value !== undefined) values[column] = value;
  const where = Object.keys(values).map((column) => `${column} = :${column}`);
  const query = `FROM beneficiaries WHERE ${where.join(' AND ')}`;
  const total = db.one<{ total: bigint }>(`SELECT COUNT(*) AS total ${query}`, values)?.total ?? 0n;
  return pageOf(Number(total), { page, page_size }, profile.pageCap, (limit, offset) => {
    const sql = `SELECT ${COLUMNS} ${query} ORDER BY created_at DESC, seq DESC LIMIT :limit OFFSET :offset`;
    return db.all<BeneficiaryRow>(sql, { ...values, limit, offset }).map(toBeneficiary);
  });
}

/** Replaces every detail field. Throws 2002, 2004. */
export function updateBeneficiary({ db }: Books, id: string, request: { uid: string; [field: string]: unknown }): void {
  const row = requireBeneficiaryOf(db, request.uid, id);
  db.update('beneficiaries', { id }, { items: JSON.stringify(checkedItems(row, request)) });
}

/** Orders already placed continue. Throws 2004. */
export function deleteBeneficiary({ db }: Books, id: string): void {
  requireBeneficiary(db, id);
  db.run('DELETE FROM beneficiaries WHERE id = :id', { id });
}

export function toBeneficiary(row: BeneficiaryRow): Beneficiary {
  return { ...row, created_at: Number(row.created_at), items: JSON.parse(row.items) };
}
