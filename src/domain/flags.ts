/** What people should look at before they decide on a payout, in words. */
export const FLAGS = {
  'new-payee': 'new payee',
  'changed-payee': 'the payee was changed at the bank',
  'look-alike-name': 'the name looks like that of another payee',
  'first-to-country': 'first payment to this country',
  'above-usual': 'more than 3 times the largest of the recent payments to this payee',
  'payee-differs': 'the payee differs from the first reading',
  'account-differs': 'the paying account differs from the first reading',
  'fee-differs': 'the fee differs from the first reading',
} as const;

export type Flag = keyof typeof FLAGS;

export const flagsText = (flags: readonly Flag[] = []): string => flags.map((flag) => FLAGS[flag]).join(', ');

/** What a reading of the bank shows, as far as it showed it. */
export interface Shown {
  /** Digest. */
  payee?: string;
  account?: string;
  /** With its currency. */
  fee?: string;
}
