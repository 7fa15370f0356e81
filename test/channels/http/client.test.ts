import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type GenerateApiParams, generateApi } from 'swagger-typescript-api';
import { expect, it, onTestFinished } from 'vitest';
import { ROOT } from '../../docs/architecture/sources.ts';
import { openGateway } from './running-gateway.ts';

/**
 * By swagger-typescript-api: it reads OpenAPI 3.1 and brings the compiler that it needs, where openapi-typescript and
 * @hey-api/openapi-ts call the one of the project, which no longer has their interface.
 */
async function generated(more: Partial<GenerateApiParams>): Promise<string> {
  const input = join(ROOT, 'docs/openapi.json');
  const { files } = await generateApi({
    input,
    output: false,
    silent: true,
    enumStyle: 'union',
    ...more,
  } as GenerateApiParams);
  return files[0]?.fileContent ?? '';
}

it('the types that the package exports are those of the document; -u writes them', async () => {
  await expect(await generated({ generateClient: false })).toMatchFileSnapshot(join(ROOT, 'docs/api.d.ts'));
}, 60_000);

it('a client is generated from it, by which payouts are handed over, read and found', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'payouts-client-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'client.ts');
  writeFileSync(file, await generated({ generateClient: true }));
  const { Api } = await import(file);
  const { url } = await openGateway();
  const { v1 } = new Api({ baseUrl: url });
  const payout = { uid: 'u-1001', account_id: 'acc-u1001-usd', currency: 'USD', beneficiary_id: 'ben-u1001-usd-local' };
  const rows = ['12.50', '13.50', '14.50'].map((amount, index) => ({ ...payout, id: `INV-${index + 1}`, amount }));
  const taken = await v1.submitBatch({ payouts: rows });
  expect([taken.status, taken.data.counts]).toMatchObject([202, { total: 3 }]);

  const ids: string[] = [];
  for (let after: string | undefined; ; ) {
    const { data } = await v1.listPayouts({ order: 'oldest', limit: 2, after });
    ids.push(...data.payouts.map(({ id }: { id: string }) => id));
    if (data.next === null) break;
    after = data.next;
  }
  expect(ids).toEqual(['INV-1', 'INV-2', 'INV-3']);
  const [found] = (await v1.listPayouts({ uid: 'u-1001', id: 'INV-2' })).data.payouts;
  const { data } = await v1.getPayout(found.reference);
  expect(data.payout).toMatchObject({ id: 'INV-2', batchId: taken.data.batchId, state: 'received' });
  const one = await v1.submitPayout(
    { ...payout, id: 'INV-4', amount: '15.50' },
    {},
    { headers: { 'idempotency-key': 'k' } },
  );
  expect([one.status, one.headers.get('location')]).toEqual([202, `/v1/payouts/${one.data.payout.reference}`]);
  expect((await v1.listBatches()).data.batches).toHaveLength(2);
  expect(await v1.getPayout('none').catch(({ status, error }: never) => ({ status, error }))).toMatchObject({
    status: 404,
    error: { code: 'unknown-id' },
  });
}, 60_000);
