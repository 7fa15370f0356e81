/** What people should look at before they decide on a payout, in words. */
export const FLAGS = {
  'new-payee': 'new payee',
  'changed-payee': 'payee changed at the bank',
  'look-alike-name': 'name looks like that of another payee',
  'first-to-country': 'first payment to this country',
  'above-usual': 'more than 3 times the largest of the last payments to this payee',
  'payee-differs': 'another payee than at the first reading',
  'account-differs': 'paid from another account than at the first reading',
  'fee-differs': 'another fee than at the first reading',
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
