import { expect, it } from 'vitest';
import { openGateway } from '../http/running-gateway.ts';
import { claimed } from './asking.ts';
import { openPages, pagePeople, signedIn } from './visiting.ts';

it.each([
  ['open', undefined, false],
  ['paid', 'completed', false],
  ['failed', 'failed', true],
] as const)('every file that the page of a batch links is there, of one that is %s', async (_, end, hasUnpaid) => {
  const gateway = await openGateway();
  const [row] = await claimed(gateway, [{ id: '1' }], 'alice');
  const batchId = row?.batchId ?? '';
  if (end !== undefined) await gateway.proxy.end(batchId, end);
  const { document: page } = await gateway.send(`/batches/${batchId}`);
  const links = [...`${page}`.matchAll(/href="(\/batches\/[^"]*\/reports\/[^"]*)"/g)].map(([, link = '']) => link);
  const answers = await Promise.all(links.map(async (link) => [link, (await gateway.send(link)).status]));
  expect(answers.filter(([, status]) => status !== 200)).toEqual([]);
  expect(links.some((link) => link.endsWith('/failed'))).toBe(hasUnpaid);
});

it('what the page of a period links is there for those who are signed in, its document too', async () => {
  const people = await pagePeople({ bob: 'operator', alice: 'maker' });
  await openPages(people);
  const bob = await signedIn(people, 'bob');
  const path = '/period?of=2026-03-31';
  await bob.submit(path, '/period/close', {});
  const links = [...(await bob.send(path)).text.matchAll(/href="(\/period\/[^"]*)"/g)].map(([, link = '']) => link);
  expect(links.map((link) => link.replace(/[0-9a-f]{64}/, 'DIGEST'))).toEqual([
    '/period/csv?of=2026-03-31',
    '/period/json?of=2026-03-31',
    '/period/documents/DIGEST',
  ]);
  const answers = await Promise.all(links.map(async (link) => (await bob.send(link)).status));
  expect(answers).toEqual([200, 200, 200]);
  const alice = await signedIn(people, 'alice');
  for (const link of links) expect((await alice.send(link)).status, link).toBe(403);
});

it('the audit names a document and a file, and leads to their pages', async () => {
  const gateway = await openGateway();
  const [row] = await claimed(gateway, [{ id: 'inv-1' }], 'alice');
  const { store } = gateway.proxy;
  const { batchId = null, reference = '' } = row ?? {};
  for (const subject of [reference, 'policy'])
    await store.audit({ at: 1, actor: 'a', action: 'b', subject, detail: { remark: 'as agreed', digest: 'abc' } });
  const { document: page } = await gateway.send('/audit');
  expect(page).toContain(`<a href="/payouts/${reference}">inv-1</a>`);
  expect(page).toContain(`<a href="/batches/${batchId}">`);
  expect(page).toContain('<code>policy</code>');
  expect(page).toMatch(/>remark: as agreed<details[^>]*><summary>Ids and digests<\/summary>digest: abc</);
});
