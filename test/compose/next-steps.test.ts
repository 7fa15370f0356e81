import { expect, it, onTestFinished } from 'vitest';
import { stepContext } from '../../src/compose/report-source.ts';
import { loadConfig } from '../../src/config.ts';
import type { PayoutState } from '../../src/domain/payout-state.ts';
import { because } from '../../src/domain/reasons.ts';
import { nextStep } from '../../src/reports/next-step.ts';
import { payoutClaim } from '../store/samples.ts';
import { openEmptyStore } from '../support/empty-store.ts';

it('a payout that ended unpaid after its exchange is told where the money is, and no retry that is refused', async () => {
  const store = await openEmptyStore();
  onTestFinished(() => store.close());
  const endedAs = async (id: string, state: PayoutState, isExchanged: boolean) => {
    const { reference } = (await store.claimPayout(payoutClaim(id))).record;
    const booked = { soldAmount: '9.09', soldCurrency: 'EUR', boughtAmount: '10.00', boughtCurrency: 'USD' };
    const rest = { orderId: `fx-${id}`, rate: null, fee: null, feeCurrency: null, seenAt: 1 };
    if (isExchanged) await store.recordBookedExchange({ reference, ...booked, ...rest });
    const reason = state === 'completed' ? null : because('bank-failed');
    await store.changePayout(reference, { state, reason, orderId: `o-${id}`, at: 2 });
    return reference;
  };
  const unpaid = await endedAs('unpaid', 'failed', true);
  const plain = await endedAs('plain', 'failed', false);
  const paid = await endedAs('paid', 'completed', true);
  const rows = await store.payoutsOf([unpaid, plain, paid]);
  const context = await stepContext(loadConfig({}), store, rows);
  expect(context.exchanged).toEqual(new Set([unpaid]));
  const todoOf = (reference: string) => {
    const row = rows.find((it) => it.reference === reference);
    return row && nextStep(row, context)?.todo;
  };
  expect(todoOf(unpaid)).toContain('exchange_bought_to');
  expect(todoOf(plain)).not.toContain('exchange_bought_to');
});
