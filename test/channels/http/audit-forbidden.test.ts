import { expect, it } from 'vitest';
import { batchClaim } from '../../store/samples.ts';
import { policyWithTokens } from './policy-with-tokens.ts';
import { openGateway } from './running-gateway.ts';

it('writes of many forbidden requests the first of each caller and route, and the others together', async () => {
  const gateway = await openGateway([], {
    policy: policyWithTokens([
      ['alice', ['maker']],
      ['erin', ['auditor']],
    ]),
  });
  const { store } = gateway.proxy;
  for (const id of ['b-1', 'b-2']) await store.claimBatch({ ...batchClaim(id, [id], 1_000), by: 'alice' });
  const post = async (path: string, name: string): Promise<void> => {
    const { status } = await gateway.send(path, { method: 'POST', headers: { authorization: `Bearer ${name}` } });
    expect(status).toBe(403);
  };
  for (let n = 0; n < 20; n += 1) await post(`/v1/batches/b-${1 + (n % 2)}/pause`, 'erin');
  await post('/v1/batches/b-1/resume', 'erin');
  const reported = async (): Promise<unknown[]> => {
    const entries = [...(await store.auditEntriesOf('b-1')), ...(await store.auditEntriesOf('b-2'))];
    return entries
      .filter(({ action }) => action === 'refused')
      .map(({ actor, subject, detail: { route, count } }) => [actor, subject, route, count]);
  };
  const first = [
    ['erin', 'b-1', '/v1/batches/:id/pause', undefined],
    ['erin', 'b-1', '/v1/batches/:id/resume', undefined],
  ];
  expect(await reported()).toEqual(first);
  await gateway.close();
  expect(await reported()).toEqual([...first, ['erin', 'b-2', '/v1/batches/:id/pause', '19']]);
});
