import { describe } from 'vitest';
import { bankingContract } from './banking.contract.ts';
import { contractTarget } from './target.ts';

/**
 * The suite runs against the embedded sandbox, or against the bank `PAYOUTS_CONTRACT_URL` names (with `_KEY`, `_SECRET`,
 * `_UID`, `_ACCOUNT` and, if its audit threshold is above 10000.00, `_AUDIT_AMOUNT`).
 */
const bank = process.env.PAYOUTS_CONTRACT_URL ?? 'the embedded sandbox';

describe(`the banking contract, shown by ${bank}`, () => {
  bankingContract(() => contractTarget(process.env));
});
