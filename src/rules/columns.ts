import type { INSTRUCTION_FIELDS } from '../domain/instruction.ts';

/**
 * What people are told about the columns of a file: by `payouts explain`, `payouts template` and docs/input.md. The rules
 * themselves are in `field-rules.ts` and `beneficiary-rules.ts`.
 */
export type Column = (typeof INSTRUCTION_FIELDS)[number];

interface ColumnText {
  needed: 'yes' | 'one of two' | 'with the type above' | 'no';
  meaning: string;
  /** What a value must be. */
  rule: string;
  example: string;
  /** Rules whose findings can name it, besides those of every column. */
  findings: readonly string[];
}

/** Findings that any column can get. */
export const FINDINGS_OF_EVERY_COLUMN = [
  'control-character',
  'duplicate-column',
  'nested-value',
  'not-a-string',
  'surrounding-blanks',
] as const;
/** Findings of the payee's own fields, as the bank's required-details ask for them. */
export const FINDINGS_OF_PAYEE_FIELDS = [
  'conflicting-fields',
  'country',
  'regex',
  'required',
  'unknown-field',
] as const;

const IDENTITY = 'At most 128 bytes, no `/`, no control characters, no blanks around it';
const BANK_ID = 'Letters, digits, `_`, `.`, `:` and `-`, at most 128, as the bank shows it';

export const COLUMNS: Readonly<Record<Column, ColumnText>> = {
  id: {
    needed: 'yes',
    meaning: 'Your own document number; with `uid` the identity of the payout for ever',
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
    meaning: 'Account that pays. In another currency than `currency` it means: convert first',
    rule: BANK_ID,
    example: 'acc-u1001-usd',
    findings: ['account-not-found', 'bad-id', 'debtor-currency', 'missing-column', 'required', 'unmapped-account'],
  },
  amount: {
    needed: 'yes',
    meaning: 'What the payee gets',
    rule: 'Decimal with a point and without separators, above zero, no more decimals than ISO 4217 gives the currency',
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
    meaning: 'A beneficiary that the bank knows',
    rule: `${BANK_ID}; blank where the row names a payee by fields`,
    example: 'ben-u1001-usd-local',
    findings: ['ambiguous-payee', 'bad-id', 'beneficiary-named-twice', 'beneficiary-not-found', 'required'],
  },
  beneficiary_type: {
    needed: 'one of two',
    meaning: "A payee named by fields, with `payment_type` and the payee's fields as columns",
    rule: '`personal` or `business`',
    example: 'personal',
    findings: ['bad-beneficiary-type', 'beneficiary-named-twice', 'no-beneficiary-type', 'required'],
  },
  payment_type: {
    needed: 'with the type above',
    meaning: 'How the payee is paid',
    rule: 'A payment type that the bank offers for the currency, such as `local`, `bsb`, `swift`',
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
    meaning: 'Goes to the bank',
    rule: 'At most 140 characters',
    example: 'Invoice 4711',
    findings: ['too-long'],
  },
  reason: {
    needed: 'no',
    meaning: 'Goes to the bank',
    rule: 'At most 140 characters',
    example: 'Salary March',
    findings: ['too-long'],
  },
  charge_type: {
    needed: 'no',
    meaning: 'Who bears the charges',
    rule: '`SHA`, the only one available, or blank',
    example: 'SHA',
    findings: ['bad-charge-type'],
  },
  after_card_payment: {
    needed: 'no',
    meaning: 'Paid only when the card payment of this merchant_request_id has succeeded',
    rule: '1 to 64 letters, digits, `.`, `_`, `~` or `-`',
    example: 'order-4711',
    findings: ['bad-card-payment'],
  },
  execute_on: {
    needed: 'no',
    meaning: 'Not sent before midnight UTC of that day',
    rule: 'ISO 8601 date',
    example: '2026-03-31',
    findings: ['bad-date'],
  },
  expires_at: {
    needed: 'no',
    meaning: "Sent as `expired_at`, the end of the bank's audit; blank: `PAYOUTS_APPROVAL_TTL` from the first attempt",
    rule: 'ISO 8601 instant with its zone',
    example: '2026-03-31T17:00:00Z',
    findings: ['bad-time'],
  },
  fee_cap: {
    needed: 'no',
    meaning: "Highest fee, in the fee's own currency; above it the row is held",
    rule: 'Plain decimal',
    example: '2.50',
    findings: ['not-a-decimal'],
  },
  max_slippage: {
    needed: 'no',
    meaning: 'How much more than its quote an exchange may cost; above it the row is held',
    rule: 'Fraction from 0 to 1: `0.01` is one per cent',
    example: '0.01',
    findings: ['bad-fraction'],
  },
  priority: {
    needed: 'no',
    meaning: '`high` is released, and gets money that is short, before the other rows of its batch',
    rule: '`high` or `normal`; blank means `normal`',
    example: 'high',
    findings: ['bad-priority'],
  },
  retry_of: {
    needed: 'no',
    meaning: 'Reference of the earlier payout of this `id` that is proven unpaid and is paid again by this row',
    rule: 'As the report of the earlier batch shows it',
    example: '0b6d7a3e-5f1c-5b2d-8a44-9c1e2f3a4b5c',
    findings: ['bad-reference'],
  },
};
