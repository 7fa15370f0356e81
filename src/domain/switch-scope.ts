/** Kill switches: while one is off, nothing that moves money or creates anything is sent for the payouts it matches. */
export const SWITCH_SCOPES = ['everything', 'uid', 'account', 'currency', 'payee', 'batch'] as const;
export type SwitchScope = (typeof SWITCH_SCOPES)[number];

/** Member of a stored payout that each scope is compared with; `everything` is compared with none. */
export const SWITCH_COLUMNS = {
  uid: 'uid',
  account: 'accountId',
  currency: 'currency',
  payee: 'beneficiaryId',
  batch: 'batchId',
} as const satisfies Partial<Record<SwitchScope, string>>;
