/** What people should look at before they decide on a payout. */
export const FLAGS = {
  'new-payee': 'new payee',
} as const;

export type Flag = keyof typeof FLAGS;
