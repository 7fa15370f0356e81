import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../../docs/architecture/sources.ts';
import { apiOf, generated } from './api-client.ts';
import { openGateway } from './running-gateway.ts';

it('the types that the package exports are those of the document; -u writes them', async () => {
  await expect(await generated({ generateClient: false })).toMatchFileSnapshot(join(ROOT, 'docs/api.d.ts'));
});

it('a client is generated from it, by which payouts are handed over, read and found', async () => {
  const api = await apiOf(await openGateway());
  const payout = { uid: 'u-1001', account_id: 'acc-u1001-usd', currency: 'USD', beneficiary_id: 'ben-u1001-usd-local' };
  const rows = ['12.50', '13.50', '14.50'].map((amount, index) => ({ ...payout, id: `INV-${index + 1}`, amount }));
  const taken = await api.submitBatch({ payouts: rows });
  expect([taken.status, taken.data.counts]).toMatchObject([202, { total: 3 }]);

  const ids: string[] = [];
  for (let after: string | undefined; ; ) {
    const { data } = await api.listPayouts({ order: 'oldest', limit: 2, after });
    ids.push(...data.payouts.map(({ id }: { id: string }) => id));
    if (data.next === null) break;
    after = data.next;
  }
  expect(ids).toEqual(['INV-1', 'INV-2', 'INV-3']);
  const [found] = (await api.listPayouts({ uid: 'u-1001', id: 'INV-2' })).data.payouts;
  const { data } = await api.getPayout(found.reference);
  expect(data.payout).toMatchObject({ id: 'INV-2', batchId: taken.data.batchId, state: 'received' });
  const one = await api.submitPayout(
    { ...payout, id: 'INV-4', amount: '15.50' },
    {},
    { headers: { 'idempotency-key': 'k' } },
  );
  expect([one.status, one.headers.get('location')]).toEqual([202, `/v1/payouts/${one.data.payout.reference}`]);
  expect((await api.listBatches()).data.batches).toHaveLength(2);
  expect(await api.getPayout('none').catch(({ status, error }) => ({ status, error }))).toMatchObject({
    status: 404,
    error: { code: 'unknown-id' },
  });
});
