import { CITY_FIELDS } from '../../domain/instruction.ts';
import type { Broken } from '../../rules/field-rules.ts';
import type { Creditor } from '../credit-transfer.ts';
import type { MessageContext } from './message-context.ts';

type Address = NonNullable<Creditor['address']>;

/** As many `AdrLine` as a hybrid address may have (Swift CBPR+, EPC guidance on addresses EPC153-22). */
const HYBRID_LINES_MAX = 2;

/** The bank's one field for the street and what stands in lines; a hybrid address may have both. */
export function streetOf({ street, lines = [] }: Address): string | undefined {
  return [street, ...lines].flatMap((part) => part ?? []).join(', ') || undefined;
}

/**
 * What keeps an address in lines from being paid. From the day of the setting on, CBPR+ and SEPA take structured addresses
 * and hybrid ones (town, country and two lines); the day that counts is the one on which the payment is sent. `fields` is
 * the payee as it is handed to the bank: what the directory says of the address counts.
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
  /** The day asked for, ISO 8601. */
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
