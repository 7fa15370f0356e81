import { CITY_FIELDS } from '../../domain/payee-fields.ts';
import type { Creditor } from '../credit-transfer.ts';
import type { Broken } from '../rules/field-rules.ts';
import type { MessageContext } from './message-context.ts';

type Address = NonNullable<Creditor['address']>;

/** Number of `AdrLine` allowed in a hybrid address (Swift CBPR+, EPC guidance on addresses EPC153-22). */
const HYBRID_LINES_MAX = 2;

/** Street and address lines in the bank's one field; a hybrid address may have both. */
export function streetOf({ street, lines = [] }: Address): string | undefined {
  return [street, ...lines].flatMap((part) => part ?? []).join(', ') || undefined;
}

/**
 * Why an address in lines cannot be paid. From the configured day on, CBPR+ and SEPA accept only structured and hybrid addresses
 * (town, country and up to two lines); what counts is the day of sending. `fields` is the payee as passed to the bank, so address
 * data from the directory counts.
 */
export function addressProblem(
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
