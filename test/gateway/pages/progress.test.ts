import { once } from 'node:events';
import { get } from 'node:http';
import { expect, it } from 'vitest';
import { openGateway } from '../running-gateway.ts';
import { claimed } from './asking.ts';

it('says when a batch changes and when it is at rest', async () => {
  const gateway = await openGateway();
  const [row] = await claimed(gateway, [{ id: '1' }], 'alice');
  const answer = await fetch(`${gateway.url}/batches/${row?.batchId}/live`);
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
  const text = answer.text();
  await gateway.door.store.changePayout(row?.reference ?? '', { state: 'completed', at: Date.now() });
  expect((await text).match(/^event: .*$/gm)?.at(-1)).toBe('event: ended');
});

it('keeps no gateway up that is to end', async () => {
  const gateway = await openGateway();
  const [row] = await claimed(gateway, [{ id: '1' }], 'alice');
  const [answer] = await once(get(`${gateway.url}/batches/${row?.batchId}/live`), 'response');
  await once(answer, 'data');
  const ended = once(answer.resume(), 'close');
  await gateway.close();
  await ended;
});
