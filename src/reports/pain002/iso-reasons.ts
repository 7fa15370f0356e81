import type { CheckVerdict } from '../../domain/payee-check.ts';

/** Status reasons: codes of the external list `ExternalStatusReason1Code` (2Q2026). */

/** Requires an explanation in `AddtlInf`. */
const NARRATIVE = 'NARR';
const FILE_FORMAT = 'FF01';

/** By reason code (`domain/reasons.ts`) and by rule of a finding; a name in both means the same in both. */
const BY_NAME: ReadonlyMap<string, string> = new Map(
  Object.entries({
    // reasons of payouts
    'insufficient-funds': 'AM04',
    'funds-patience-over': 'AM04',
    'account-frozen': 'AC06',
    'account-not-found': 'AC01',
    'beneficiary-not-found': 'AC01',
    'beneficiary-changed': 'AC15',
    'beneficiary-conflict': 'BE01',
    'no-payout-account': 'AC10',
    'payee-close-match': 'RVMC',
    'payee-no-match': 'RVNM',
    'payee-not-verified': 'RVNA',
    'invalid-instruction': 'CH16',
    unsupported: 'AG01',
    'approval-rejected': 'CUST',
    'cancelled-by-request': 'CUST',
    'batch-cancelled': 'CUST',
    'closed-by-operator': 'CUST',
    'bank-rejected': 'MS03',
    'bank-cancelled': 'MS03',
    'bank-failed': 'MS03',
    'exchange-failed': 'MS03',
    // the same payment twice
    'id-reused': 'DU04',
    'duplicate-id': 'DU04',
    'already-taken': 'AM05',
    'message-id-reused': 'DU01',
    'duplicate-payment-id': 'DU02',
    // values of a row
    'bad-beneficiary-type': 'CH16',
    'bad-charge-type': 'BE19',
    'bad-date': 'DT01',
    'bad-id': 'CH16',
    'bad-time': 'DT01',
    'beneficiary-named-twice': 'CH17',
    'control-character': 'RR10',
    country: 'BE09',
    'not-a-decimal': 'AM12',
    'not-positive': 'AM12',
    'payment-type-not-offered': 'FF03',
    required: 'CH21',
    'too-large': 'AM02',
    'too-long': 'CH16',
    'too-many-decimals': 'CH20',
    'unknown-currency': 'AM11',
    'unknown-field': 'CH17',
    // requests of a bank message that cannot be fulfilled
    'address-lines-only': 'BE04',
    'too-many-address-lines': 'BE04',
    'agreed-rate': 'CH17',
    'ambiguous-payee': 'BE01',
    'bad-amount': 'AM12',
    'bad-bsb': 'RC01',
    'bad-routing-number': 'RC01',
    'debit-entry': 'AG01',
    'debtor-currency': 'AC10',
    'equivalent-amount': 'CH17',
    'no-beneficiary-type': 'CH21',
    'no-payment-type': 'FF03',
    'not-a-transfer': 'FF03',
    'prenote-entry': 'AG01',
    'return-entry': 'AG01',
    'unknown-transaction-code': 'FF03',
    'unmapped-account': 'AC02',
    'unmapped-clearing-system': 'RC01',
    'unsupported-entry-class': 'FF05',
    'withholding-tax': 'RR06',
    // totals of a file
    'unbalanced-debit': 'AM10',
    'wrong-control-sum': 'AM10',
    'wrong-transaction-count': 'AM18',
  }),
);

/** If the bank's rule for a beneficiary field is broken, the field says more than the rule. */
const BY_FIELD: readonly (readonly [field: RegExp, code: string])[] = [
  [/^(account_no|iban_no)$/, 'AC03'],
  [/^(swift_code|aba_routing_code|sort_code|bsb|bank_code|branch_code)$/, 'RC01'],
  [/^address_/, 'BE04'],
  [/^(account_name|first_name|last_name|company_name)$/, 'BE22'],
  [/^mobile$/, 'BE18'],
];
const RULES_OF_THE_BANK: ReadonlySet<string> = new Set(['required', 'regex']);

/** Results of Verification of Payee: codes of `ExternalPaymentTransactionStatus1Code`. */
export const VERIFICATION_CODES: Readonly<Partial<Record<CheckVerdict, string>>> = {
  match: 'RCVC',
  'close-match': 'RVMC',
  'no-match': 'RVNM',
  'not-available': 'RVNA',
};
const VERIFICATIONS: ReadonlySet<string | undefined> = new Set(Object.values(VERIFICATION_CODES));

/** The element for a code: one of another list than that of reasons is proprietary. */
export const elementOfCode = (code: string | undefined): 'Cd' | 'Prtry' => (VERIFICATIONS.has(code) ? 'Prtry' : 'Cd');

export const reasonCodeOf = (reason: string): string => BY_NAME.get(reason) ?? NARRATIVE;

export function findingCodeOf({ rule, column }: { rule: string; column: string | null }): string {
  const field =
    RULES_OF_THE_BANK.has(rule) && column !== null ? BY_FIELD.find(([name]) => name.test(column)) : undefined;
  return field?.[1] ?? BY_NAME.get(rule) ?? NARRATIVE;
}

export function fileCodeOf(rule: string): string {
  return BY_NAME.get(rule) ?? FILE_FORMAT;
}
