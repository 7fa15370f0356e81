import type { INSTRUCTION_FIELDS } from '../../domain/instruction.ts';

/**
 * Texts about the columns of a file for `payouts explain`, `payouts template` and docs/input.md. The rules themselves are in
 * `field-rules.ts` and `beneficiary-rules.ts`.
 */
export type Column = (typeof INSTRUCTION_FIELDS)[number];

interface ColumnText {
  needed: 'yes' | 'one of two' | 'with beneficiary_type' | 'no';
  meaning: string;
  /** What values are valid. */
  rule: string;
  example: string;
  /** Rules that can be broken in this column, besides those of every column. */
  findings: readonly string[];
}

/** Rules that can be broken in any column. */
export const FINDINGS_OF_EVERY_COLUMN = [
  'control-character',
  'duplicate-column',
  'nested-value',
  'not-a-string',
  'surrounding-blanks',
] as const;
/** Rules of the payee's fields, from the bank's required-details. */
export const FINDINGS_OF_PAYEE_FIELDS = [
  'conflicting-fields',
  'country',
  'regex',
  'required',
  'unknown-field',
] as const;

const IDENTITY = 'At most 128 bytes; no `/`, control characters or surrounding spaces';
const BANK_ID = 'At most 128 letters, digits, `_`, `.`, `:` or `-`, exactly as the bank shows it';

export const COLUMNS: Readonly<Record<Column, ColumnText>> = {
  id: {
    needed: 'yes',
    meaning: 'Your own document number; together with `uid` it identifies the payout permanently',
    rule: IDENTITY,
    example: 'INV-4711',
    findings: [
      'already-taken',
      'bad-id',
      'duplicate-id',
      'id-reused',
      'missing-column',
      'required',
      'retry-exchanged',
      'retry-not-proven',
      'retry-unknown',
      'too-long',
    ],
  },
  uid: {
    needed: 'yes',
    meaning: "The bank's user id",
    rule: IDENTITY,
    example: 'u-1001',
    findings: ['bad-id', 'missing-column', 'required', 'too-long'],
  },
  account_id: {
    needed: 'yes',
    meaning: 'The paying account. If its currency differs from `currency`, money is exchanged first',
    rule: BANK_ID,
    example: 'acc-u1001-usd',
    findings: [
      'account-not-found',
      'account-not-own',
      'bad-id',
      'debtor-currency',
      'missing-column',
      'required',
      'unmapped-account',
    ],
  },
  amount: {
    needed: 'yes',
    meaning: 'Amount the payee receives',
    rule: 'Above zero, with a decimal point and without separators; no more decimals than the currency has in ISO 4217',
    example: '1250.00',
    findings: [
      'amount-not-a-string',
      'missing-column',
      'not-a-decimal',
      'not-positive',
      'required',
      'too-large',
      'too-many-decimals',
    ],
  },
  currency: {
    needed: 'yes',
    meaning: 'Currency of the payout',
    rule: 'ISO 4217 code, in capitals',
    example: 'EUR',
    findings: ['missing-column', 'required', 'unknown-currency'],
  },
  beneficiary_id: {
    needed: 'one of two',
    meaning: 'Id of a beneficiary at the bank',
    rule: `${BANK_ID}; empty if the row gives the details of a payee`,
    example: 'ben-u1001-usd-local',
    findings: [
      'ambiguous-payee',
      'bad-id',
      'beneficiary-currency',
      'beneficiary-named-twice',
      'beneficiary-not-found',
      'required',
    ],
  },
  beneficiary_type: {
    needed: 'one of two',
    meaning: "Type of a payee given by details; needs `payment_type` and the payee's fields as columns",
    rule: '`personal` or `business`',
    example: 'personal',
    findings: ['bad-beneficiary-type', 'beneficiary-named-twice', 'no-beneficiary-type', 'required'],
  },
  payment_type: {
    needed: 'with beneficiary_type',
    meaning: 'How the payee is paid',
    rule: 'A payment type that the bank offers for the currency, such as `local`, `bsb` or `swift`',
    example: 'local',
    findings: [
      'beneficiary-named-twice',
      'no-payment-type',
      'payment-type-not-offered',
      'required',
      'unmapped-clearing-system',
    ],
  },
  note: {
    needed: 'no',
    meaning: 'Passed to the bank',
    rule: 'At most 140 characters',
    example: 'Invoice 4711',
    findings: ['too-long'],
  },
  reason: {
    needed: 'no',
    meaning: 'Passed to the bank',
    rule: 'At most 140 characters',
    example: 'Salary March',
    findings: ['too-long'],
  },
  charge_type: {
    needed: 'no',
    meaning: "Who pays the bank's charges",
    rule: '`SHA` (the only option) or empty',
    example: 'SHA',
    findings: ['bad-charge-type'],
  },
  after_card_payment: {
    needed: 'no',
    meaning: 'Paid only after the card payment with this merchant_request_id has succeeded',
    rule: '1 to 64 letters, digits, `.`, `_`, `~` or `-`; no UUID of version 5',
    example: 'order-4711',
    findings: ['bad-card-payment'],
  },
  execute_on: {
    needed: 'no',
    meaning: 'Earliest day to send the payout, from midnight UTC',
    rule: 'ISO 8601 date',
    example: '2026-03-31',
    findings: ['bad-date'],
  },
  expires_at: {
    needed: 'no',
    meaning:
      "Sent as `expired_at`, the end of the bank's audit; if empty, `PAYOUTS_APPROVAL_TTL` after the first attempt",
    rule: 'ISO 8601 date and time with a time zone',
    example: '2026-03-31T17:00:00Z',
    findings: ['bad-time'],
  },
  fee_cap: {
    needed: 'no',
    meaning: "Highest acceptable fee, in the fee's own currency; above it the row is held",
    rule: 'Plain decimal',
    example: '2.50',
    findings: ['not-a-decimal'],
  },
  max_slippage: {
    needed: 'no',
    meaning: 'How much more than the quote of its plan an exchange may cost; above it the row is held',
    rule: 'Fraction from 0 to 1: `0.01` is one per cent',
    example: '0.01',
    findings: ['bad-fraction'],
  },
  priority: {
    needed: 'no',
    meaning: 'Within a batch, `high` rows are released first, and get scarce money first',
    rule: '`high` or `normal`; empty means `normal`',
    example: 'high',
    findings: ['bad-priority'],
  },
  advice_to: {
    needed: 'no',
    meaning: 'The payee is [advised by mail](report.md#remittance-advice) once the payment is completed',
    rule: 'One e-mail address',
    example: 'accounts@supplier.example',
    findings: ['bad-mail-address'],
  },
  advice_language: {
    needed: 'no',
    meaning: 'Language of that mail; empty: that of the country of the account',
    rule: '`en`, `de`, `fr` or `es`',
    example: 'de',
    findings: ['bad-language'],
  },
  retry_of: {
    needed: 'no',
    meaning: 'Reference of the earlier payout with this `id` that is proven unpaid and that this row pays again',
    rule: 'As shown in the report of the earlier batch',
    example: '0b6d7a3e-5f1c-5b2d-8a44-9c1e2f3a4b5c',
    findings: ['bad-reference'],
  },
};
