import { expect, it } from 'vitest';
import { because } from '../../../src/domain/reasons.ts';
import { openGateway } from '../http/running-gateway.ts';
import { claimed } from './asking.ts';
import { openPagesOf, signedIn, Visit } from './visiting.ts';

it('rows that are proven unpaid are paid again from their batch and from their own page', async () => {
  const gateway = await openGateway();
  const { store } = gateway.proxy;
  const [paid, failed, other] = await claimed(
    gateway,
    [{ id: 'a' }, { id: 'b', amount: '640.00' }, { id: 'c' }],
    'alice',
  );
  const end = (reference: string | undefined, state: 'completed' | 'failed') =>
    store.changePayout(reference ?? '', {
      state,
      at: Date.now(),
      reason: state === 'failed' ? because('bank-failed') : null,
    });
  await end(paid?.reference, 'completed');
  await end(failed?.reference, 'failed');
  await end(other?.reference, 'failed');
  const visit = new Visit(gateway.url);
  const batch = `/batches/${paid?.batchId}`;
  expect((await visit.send(batch)).text).toContain(`href="${batch}/retry">Pay again what is unpaid`);
  const { text: own } = await visit.send(`/payouts/${failed?.reference}`);
  expect(own).toContain(`href="${batch}/retry?rows=2">Pay again`);
  expect((await visit.send(`/payouts/${paid?.reference}`)).text).not.toContain('/retry');
  const plan = await visit.send(`${batch}/retry?rows=2`);
  expect(plan.text).toContain('Pay 1 payout');
  expect(plan.text).toContain('640.00 USD');
  expect(plan.text).toContain('1 payout, 1 retry of an earlier payout.');
  const done = await visit.submit(`${batch}/retry?rows=2`, `${batch}/retry`, { by: 'alice' });
  const made = (await store.batches(9)).find(({ retryOf }) => retryOf === paid?.batchId);
  expect([done.status, done.headers.location]).toEqual([303, `/batches/${made?.batchId}`]);
  expect((await Array.fromAsync(store.rows(made?.batchId ?? ''))).map(({ documentId }) => documentId)).toEqual(['b']);
  const completed = await visit.send(`${batch}/retry?rows=1`);
  expect(completed.status).not.toBe(200);
  expect(completed.text).toContain('This cannot be paid again');
  expect((await visit.send(`${batch}/retry?rows=x`)).status).toBe(400);
});

it('a retry is for makers who may see the batch', async () => {
  const { people, gateway } = await openPagesOf({ alice: 'maker', anna: 'maker', bob: 'approver' });
  const [row] = await claimed(gateway, [{ id: 'a' }], 'alice');
  await gateway.proxy.store.changePayout(row?.reference ?? '', { state: 'failed', at: Date.now() });
  const status = async (name: string) =>
    (await (await signedIn(people, name)).send(`/batches/${row?.batchId}/retry`)).status;
  expect([await status('alice'), await status('anna'), await status('bob')]).toEqual([200, 404, 403]);
  expect((await (await signedIn(people, 'bob')).send(`/payouts/${row?.reference}`)).text).not.toContain('/retry');
});

it('the rows of a batch are paged in both directions', async () => {
  const gateway = await openGateway();
  const rows = await claimed(
    gateway,
    Array.from({ length: 250 }, (_, n) => ({ id: `d-${n}` })),
    'alice',
  );
  const visit = new Visit(gateway.url);
  const seen = async (path: string) => {
    const { text } = await visit.send(path);
    const link = (rel: string): string =>
      (new RegExp(`rel="${rel}" href="([^"]*)"`).exec(text)?.[1] ?? '').replaceAll('&amp;', '&');
    return {
      shown: [...text.matchAll(/>(d-\d+)<\/a><\/th>/g)].map(([, id]) => id),
      prev: link('prev'),
      next: link('next'),
    };
  };
  const first = await seen(`/batches/${rows[0]?.batchId}`);
  const second = await seen(first.next);
  const third = await seen(second.next);
  expect([first.shown.length, second.shown.length, third.shown.length]).toEqual([100, 100, 50]);
  expect([first.prev, third.next]).toEqual(['', '']);
  expect((await seen(third.prev)).shown).toEqual(second.shown);
  expect(await seen(second.prev)).toMatchObject({ shown: first.shown, prev: '' });
});
