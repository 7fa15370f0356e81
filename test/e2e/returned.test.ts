import { expect, it } from 'vitest';
import { referenceOf } from '../../src/domain/identity.ts';
import { QUICK, stackOfFile } from '../support/command.ts';
import { until } from '../support/until.ts';
import { paymentsIn } from './books.ts';
import { batchOf, errorOf } from './documents.ts';
import { csvOf } from './payout-files.ts';

const rules = [{ currency: 'USD', amountAtLeast: '100.00', approvals: 1 }];
const home = stackOfFile({ ...QUICK, PAYOUTS_APPROVAL_POLICY: JSON.stringify({ rules }) });

const shown = async (...args: string[]) => JSON.parse((await home.payouts(...args, '--json')).stdout);

async function paid(name: string, rows: Parameters<typeof csvOf>[0]) {
  const run = batchOf(await home.payouts('run', home.file(name, csvOf(rows)), '--by', 'alice', '--yes', '--json'));
  expect(run.state).toBe('completed');
  return run.batchId;
}

/** Starts one payout that somebody has to approve, and waits for its end. */
async function approved(id: string, ...command: string[]) {
  const { batchId } = batchOf(await home.payouts(...command, '--by', 'alice', '--detach', '--yes', '--json'));
  await until(async () => (await shown('status', id)).payout?.state === 'awaiting-approval');
  expect((await home.payouts('approve', id, '--by', 'bob', '--yes')).code).toBe(0);
  const batch = batchOf(await home.payouts('watch', batchId, '--json'));
  expect(batch.state).toBe('completed');
  return batch;
}

/** The bank returns money of a payment by an order of its own. */
async function refund(reference: string, amount?: string): Promise<void> {
  const orderId = paymentsIn(home.path).find((it) => it.reference === reference)?.order_id ?? '';
  const response = await fetch(`${home.stack()?.apiUrl}/__sandbox/orders/${orderId}/refund`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ amount }),
  });
  expect(response.status).toBe(200);
}

async function agree(reference: string): Promise<void> {
  const { incidents } = await shown('incidents', '--open');
  const its = incidents.find((it: { reference: string }) => it.reference === reference);
  const why = ['--by', 'alice', '--reason', 'the payee has another account now', '--yes'];
  expect((await home.payouts('acknowledge', its.id, ...why)).code).toBe(0);
}

it('money that the order list shows as back is a state, and a retry pays it again after a new approval', async () => {
  const file = home.file('large.csv', csvOf([{ id: 'BACK-1', amount: '250.00' }]));
  const { batchId } = await approved('BACK-1', 'run', file);
  const reference = referenceOf('u-1001', 'BACK-1');
  await refund(reference);
  await home.payouts('reconcile');

  const reason = { code: 'returned', message: 'the money came back: 250.00 USD' };
  expect(await shown('status', 'BACK-1')).toMatchObject({ payout: { state: 'returned', reason, retryOf: null } });
  expect((await home.payouts('list', '--state', 'returned')).stdout).toContain('BACK-1');
  expect((await home.payouts('list', '--state', 'completed')).stdout).not.toContain('BACK-1');
  const { stdout: inbox } = await home.payouts('inbox');
  expect(inbox).toContain('returned');
  expect(inbox).toContain(`payouts retry ${batchId.slice(0, 13)} --rows 1`);
  const early = await home.payouts('retry', batchId, '--by', 'alice', '--yes', '--json');
  expect([early.code, errorOf(early).error.message]).toEqual([3, expect.stringContaining('proven unpaid')]);

  await agree(reference);
  const next = referenceOf('u-1001', 'BACK-1', 'payment', 1);
  await approved(next, 'retry', batchId, '--rows', '1');
  expect(await shown('status', 'BACK-1')).toMatchObject({
    payout: { reference: next, state: 'completed', retryOf: reference, approvals: [{ by: 'bob' }] },
  });
  const { stdout } = await home.payouts('status', reference);
  expect(stdout).toContain(`payout ${next.slice(0, 13)} pays it again, and is completed`);
  expect(await home.payouts('retry', batchId, '--by', 'alice', '--yes', '--json')).toMatchObject({ code: 8 });
});

it('a part on the statement of the bank is recorded once, and paid again once the order list shows it too', async () => {
  const batchId = await paid('part.csv', [{ id: 'PART-1', amount: '50.00' }]);
  const reference = referenceOf('u-1001', 'PART-1');
  const today = new Date().toISOString().slice(2, 10).replaceAll('-', '');
  const named = reference.replaceAll('-', '');
  const statement = [
    ...[':20:S', ':25:acc-u1001-usd', ':28C:1/1', `:60F:C${today}USD1000,00`],
    ...[`:61:${today}D50,00NTRFNONREF//B1`, `:86:166?20EREF+${named}`],
    ...[`:61:${today}C30,00NRTINONREF//B2`, `:86:159?20EREF+${named.slice(0, 22)}?21${named.slice(22)}?22SVWZ+AC06`],
    ...[`:62F:C${today}USD980,00`, '-'],
  ];
  expect((await home.payouts('statement', home.file('day.sta', statement.join('\n')))).code).toBe(0);
  const why =
    'a part of the money came back: 30.00 USD, and 20.00 USD did not; the account of the payee is blocked (AC06)';
  const part = { state: 'completed', reason: { code: 'partly-returned', message: why } };
  expect(await shown('status', 'PART-1')).toMatchObject({ payout: part });

  await agree(reference);
  const rowOf = (amount: string) => csvOf([{ id: 'PART-1', amount, retry_of: reference }]);
  const submit = (amount: string) =>
    home.payouts('run', home.file('again.csv', rowOf(amount)), '--by', 'alice', '--yes', '--json');
  expect(errorOf(await submit('30.00')).findings).toMatchObject([
    { rule: 'retry-not-proven', message: expect.stringContaining("the bank's list of orders does not show that") },
  ]);
  await refund(reference, '30.00');
  await home.payouts('reconcile');
  const { payout } = await shown('status', 'PART-1');
  expect(payout.returns).toMatchObject([{ amount: '30.00', currency: 'USD' }]);
  expect(errorOf(await submit('30.01')).findings).toMatchObject([{ rule: 'retry-not-proven' }]);
  expect(batchOf(await submit('30.00'))).toMatchObject({ state: 'completed' });
  const orders = paymentsIn(home.path).filter((it) =>
    [reference, referenceOf('u-1001', 'PART-1', 'payment', 1)].includes(it.reference),
  );
  expect(orders.map(({ amount }) => Math.abs(amount)).sort()).toEqual([3_000, 5_000]);
  expect((await home.payouts('retry', batchId, '--by', 'alice', '--yes')).code).toBe(3);
});
