import { expect, test } from 'vitest';
import type { Bank } from '../../../src/bank/bank.ts';
import { createMetrics } from '../../../src/platform/telemetry/metrics.ts';
import { observedCalls } from '../../../src/platform/telemetry/observed.ts';
import { answer, hangUp, inOrder, ok, type Script } from '../../bank/support/scripted-bank.ts';
import { bankWith, PAYMENT } from '../../bank/support/test-bank.ts';

/** What is counted of calls of a bank that answers like this. */
async function counted(script: Script, calls: (bank: Bank) => Promise<unknown>) {
  const metrics = createMetrics();
  const { bank } = await bankWith(script, { onCall: observedCalls(metrics) });
  await calls(bank);
  const text = await metrics.registry.metrics();
  return { text, calls: text.match(/payouts_bank_call_seconds_count\{.*/g) };
}

test('every call of the bank is counted by operation and by what came of it', async () => {
  const script = inOrder(ok({ order_id: 'o-1' }), answer(200, { code: 2010 }), hangUp, answer(401, ''));
  const { calls } = await counted(script, async (bank) => {
    for (let n = 0; n < 4; n += 1) await bank.transactions.payment(PAYMENT).catch(() => undefined);
  });
  const operation = 'operation="POST /v1/banking/transactions/payment"';
  const one = (result: string): string => `payouts_bank_call_seconds_count{${operation},result="${result}"} 1`;
  expect(calls).toEqual(['ok', 'refused', 'ambiguous', 'authentication'].map(one));
});

test('a read of an order, or of orders, is counted; no id is in a label', async () => {
  const { text } = await counted(answer(200, { code: 2010 }), async (bank) => {
    await bank.orders.get('o-4711').catch(() => undefined);
    await bank.orders.listAll({ uid: 'u-4711', currency: 'USD', from: 0 }, { pageSize: 10 }).catch(() => undefined);
    await bank.accounts.master().catch(() => undefined);
  });
  expect(text).toContain('payouts_looks_total{by="id"} 1');
  expect(text).toContain('payouts_looks_total{by="list"} 1');
  expect(text).toContain('operation="GET /v1/banking/transactions/{order_id}"');
  // Without the figures, seconds of which may have any digits.
  expect(text.replace(/ \S+$/gm, '')).not.toContain('4711');
});
