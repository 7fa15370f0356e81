/** Kill switches: while one is off, nothing that moves money or creates anything is sent for the payouts it matches. */
export const SWITCH_SCOPES = ['everything', 'uid', 'account', 'currency', 'payee', 'batch'] as const;
export type SwitchScope = (typeof SWITCH_SCOPES)[number];
