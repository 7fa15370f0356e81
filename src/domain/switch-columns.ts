import type { SwitchScope } from './switch-scope.ts';

/** Member of a stored payout that each scope is compared with; `everything` is compared with none. */
export const SWITCH_COLUMNS = {
  uid: 'uid',
  account: 'accountId',
  currency: 'currency',
  payee: 'beneficiaryId',
  batch: 'batchId',
} as const satisfies Partial<Record<SwitchScope, string>>;
