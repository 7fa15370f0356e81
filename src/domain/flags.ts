/** What people should check before they decide on a payout, in words. */
export const FLAGS = {
  'new-payee': 'new payee',
  'changed-payee': 'the payee was changed at the bank',
  'payee-of-another-user': 'the bank has the payee under another user',
  'look-alike-name': 'the name looks like that of another payee',
  'first-to-country': 'first payment to this country',
  'above-usual': 'more than 3 times the largest of the recent payments to this payee',
  'payee-differs': 'the payee differs from the first reading',
  'account-differs': 'the paying account differs from the first reading',
  'fee-differs': 'the fee differs from the first reading',
} as const;

export type Flag = keyof typeof FLAGS;

export const flagsText = (flags: readonly Flag[] = []): string => flags.map((flag) => FLAGS[flag]).join(', ');

/** What an assessment read from the bank; an absent member was not shown. */
export interface Shown {
  /** Digest of the payee's details. */
  payee?: string;
  account?: string;
  /** Amount with its currency. */
  fee?: string;
}
