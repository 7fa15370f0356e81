import { expect, it } from 'vitest';
import { openGateway } from '../http/running-gateway.ts';
import { claimed } from './asking.ts';
import { Visit } from './visiting.ts';

it('a receiver of events that was parked is shown, sent to again, and given up', async () => {
  const gateway = await openGateway();
  const { store } = gateway.proxy;
  const lease = { name: 'erp', owner: 'a worker', now: 1_000, until: 2_000 };
  const leased = await store.leaseSubscription(lease);
  if (leased === undefined) throw new Error('nobody else sends');
  const [paid] = await claimed(gateway, [{ id: 'inv-1' }], 'alice');
  await store.changePayout(paid?.reference ?? '', { state: 'completed', at: 1_200 });
  const parked = { failures: 9, failingSince: 1_000, why: 'answered-410', parkedAt: 1_500 };
  expect(await store.recordDeliveryProgress({ ...lease, from: leased.position }, parked)).toBe(true);
  const visit = new Visit(gateway.url);
  const shown = async (): Promise<string> => (await visit.send('/subscriptions')).text;
  const page = await shown();
  expect(page).toContain('<strong>erp</strong>, parked: nothing is sent until somebody sends again');
  expect(page).toContain('answered-410');
  expect((await visit.send('/audit')).text).toContain('<a href="/subscriptions">');

  const replay = (from: string) =>
    visit.submit('/subscriptions', '/subscriptions/replay', { name: 'erp', from, by: 'olga' });
  expect((await replay('99')).status).toBe(400);
  expect((await replay('1')).status).toBe(303);
  expect(await store.subscriptions()).toMatchObject([{ name: 'erp', position: 0, parkedAt: null }]);
  expect(await shown()).toContain('<strong>erp</strong>, being delivered');

  expect((await visit.submit('/subscriptions', '/subscriptions/forget', { name: 'erp', by: 'olga' })).status).toBe(303);
  expect(await shown()).toContain('Nobody receives events.');
  const { size } = await store.auditTree();
  const audited: string[] = [];
  for await (const entries of store.auditLog({ from: 0, to: size }))
    audited.push(...entries.map(({ actor, action }) => `${actor} ${action}`));
  expect(audited.filter((it) => it.startsWith('olga'))).toHaveLength(2);
});
