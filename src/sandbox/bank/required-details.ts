import type { FieldDescriptor, RequiredDetailsEntry } from '../../bank/schemas/beneficiaries.ts';

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
