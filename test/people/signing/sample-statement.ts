import type { Statement } from '../../../src/domain/authority.ts';

export const AT = 1_700_000_000_000;
export const STATEMENT: Statement = {
  id: '5b1d7d9e-5c1e-4f2c-8c39-0d2f6f9a7c01',
  storeId: 'store-1',
  question: 'payout',
  decision: 'approve',
  reference: 'reference-1',
  digest: 'digest-1',
  subject: 'bob',
  remark: '',
  signedAt: AT,
  expiresAt: AT + 3_600_000,
};
