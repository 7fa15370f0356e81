import { expect, it } from 'vitest';
import { openGateway } from '../http/running-gateway.ts';
import { claimed } from './asking.ts';

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
