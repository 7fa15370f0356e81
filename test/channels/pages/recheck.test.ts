import { expect, it } from 'vitest';
import { because } from '../../../src/domain/reasons.ts';
import { openGateway } from '../http/running-gateway.ts';
import { claimed } from './asking.ts';
import { openPagesOf, signedIn, Visit } from './visiting.ts';

it('a held payout checks again at the request of its maker, an approver or an operator', async () => {
  const { people, gateway } = await openPagesOf({
    alice: 'maker',
    bob: 'approver',
    audrey: 'auditor',
    yen: ['approver', { currencies: ['JPY'] }],
  });
  const { store, temporal } = gateway.proxy;
  const [row] = await claimed(gateway, [{ id: '1' }], 'alice');
  const path = `/payouts/${row?.reference}`;
  const recheck = async (name: string) => (await signedIn(people, name)).submit(path, `${path}/recheck`, {});
  await expect(recheck('bob')).rejects.toThrow('no form');
  await store.changePayout(row?.reference ?? '', { state: 'held', reason: because('account-frozen'), at: Date.now() });
  for (const name of ['alice', 'bob']) {
    expect((await recheck(name)).headers.location, name).toBe(`${path}?notice=rechecking`);
  }
  expect(temporal.sent.map(({ name, payload }) => [name, payload])).toEqual(Array(2).fill(['orderChanged', undefined]));
  await expect(recheck('audrey')).rejects.toThrow('no form');
  expect((await (await signedIn(people, 'yen')).send(path)).status).toBe(404);
  const entries = await store.auditEntriesOf(row?.reference ?? '');
  expect(entries.filter(({ action }) => action === 'asked to recheck').map(({ actor }) => actor)).toEqual(
    expect.arrayContaining(['alice', 'bob']),
  );
});

it('what is not held has nothing to check again', async () => {
  const gateway = await openGateway();
  const [row] = await claimed(gateway, [{ id: '1' }], 'alice');
  const path = `/payouts/${row?.reference}`;
  const { text } = await new Visit(gateway.url).send(path);
  expect(text).not.toContain('/recheck');
  const answer = await gateway.send(`/v1${path}/recheck`, {
    method: 'POST',
    body: '{}',
    headers: { 'content-type': 'application/json' },
  });
  expect(answer.document).toMatchObject({ refused: 'it waits for nothing that can be checked: it is received' });
});
