import { expect, it } from 'vitest';
import { decisionTable } from '../../src/cli/decision-table.ts';
import type { PayoutRecord } from '../../src/store/store.ts';
import { instruction } from '../store/samples.ts';

const asking = (kind: PayoutRecord['kind'], more: Partial<PayoutRecord>): PayoutRecord =>
  ({
    kind,
    documentId: 'MOVE-1',
    amount: '1000.00',
    currency: 'USD',
    instruction: instruction('MOVE-1', { account_id: 'eur-1', to_account_id: 'usd-2', beneficiary_id: undefined }),
    reason: { code: 'approval-required', message: '' },
    lookAlikeOf: null,
    assessed: null,
    ...more,
  }) as PayoutRecord;

it('a transfer and an exchange are decided on by both accounts, an exchange by what it sells as well', () => {
  const exchange = { quotedSellAmount: '920.00', sellCurrency: 'EUR' };
  const assessed = { digest: 'd', approvalsNeeded: 1, exchange } as PayoutRecord['assessed'];
  const lineOf = (row: PayoutRecord): string | undefined => decisionTable([row]).split('\n').at(-1);
  expect(lineOf(asking('transfer', {}))).toMatch(/MOVE-1 +1,000\.00 USD +eur-1 +usd-2 +approval-required/);
  expect(lineOf(asking('exchange', { assessed }))).toMatch(/MOVE-1 +1,000\.00 USD for 920\.00 EUR +eur-1 +usd-2/);
  expect(lineOf(asking('payout', { assessed }))).toMatch(/MOVE-1 +1,000\.00 USD +eur-1/);
});
