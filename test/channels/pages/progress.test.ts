import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ConcurrencyCounter } from '../../../src/channels/http/admission.ts';
import { Problem } from '../../../src/domain/problem.ts';
import { openGateway, type RunningGateway } from '../http/running-gateway.ts';
import { claimed } from './asking.ts';
import { openPagesOf, pagePeople, signedIn, type Visit } from './visiting.ts';

it('says when a batch changes and when it is settled', async () => {
  const gateway = await openGateway();
  const [row] = await claimed(gateway, [{ id: '1' }], 'alice');
  const answer = await fetch(`${gateway.url}/batches/${row?.batchId}/live`);
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
  const text = answer.text();
  await gateway.proxy.store.changePayout(row?.reference ?? '', { state: 'completed', at: Date.now() });
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

describe('streams', () => {
  it('are few for each caller: a further one is refused with words, and has room once another has ended', async () => {
    const gateway = await openGateway();
    const [row] = await claimed(gateway, [{ id: '1' }], 'alice');
    const live = async (): Promise<IncomingMessage> => {
      const [answer] = await once(get(`${gateway.url}/batches/${row?.batchId}/live`), 'response');
      return answer;
    };
    const open = await Promise.all(Array.from({ length: 5 }, live));
    expect(open.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200, 200]);
    const refused = await gateway.send(`/batches/${row?.batchId}/live`);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('30');
    expect(refused.document).toContain('Too many pages are being followed at once.');
    open[0]?.destroy();
    await expect.poll(async () => (await live()).statusCode).toBe(200);
  });

  it('leave no room taken by a client that goes away before its stream begins', async () => {
    const gateway = await openGateway();
    const [row] = await claimed(gateway, [{ id: '1' }], 'alice');
    const live = () => get(`${gateway.url}/batches/${row?.batchId}/live`).on('error', () => {});
    const { batch } = gateway.proxy.store;
    const [asked, gone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let waiting = 0;
    gateway.proxy.store.batch = async (id) => {
      waiting += 1;
      if (waiting === 5) asked.resolve();
      await gone.promise;
      return batch(id);
    };
    const left = Array.from({ length: 5 }, live);
    await asked.promise;
    for (const each of left) each.destroy();
    await setTimeout(100);
    gone.resolve();
    const [answer] = await once(live(), 'response');
    expect(answer.statusCode).toBe(200);
  });

  it('are none for a client that asks for the head of one, which would go on unseen', async () => {
    const gateway = await openGateway();
    const [row] = await claimed(gateway, [{ id: '1' }], 'alice');
    expect((await fetch(`${gateway.url}/batches/${row?.batchId}/live`, { method: 'HEAD' })).status).toBe(405);
  });

  it('are no more than there is room for, for any clients', () => {
    const open = new ConcurrencyCounter(
      { each: 2, all: 3 },
      () => new Problem('too-many', 'full', 'full', { hint: '' }),
    );
    const [first] = [open.enter('alice'), open.enter('alice'), open.enter('bob')];
    expect(() => open.enter('carol')).toThrow('full');
    first?.();
    expect(() => open.enter('carol')).not.toThrow();
    expect(() => open.enter('alice')).toThrow('full');
  });

  /** A stream of somebody who is signed in. */
  async function watched(visit: Visit, gateway: RunningGateway, origin: string): Promise<IncomingMessage> {
    const [before] = await gateway.proxy.store.batches(1);
    const row = before ?? (await claimed(gateway, [{ id: '1' }], 'alice'))[0];
    const headers = { host: new URL(origin).host, cookie: visit.cookies };
    const [answer] = await once(get(`${gateway.url}/batches/${row?.batchId}/live`, { headers }), 'response');
    await once(answer, 'data');
    return answer;
  }

  it('end when the viewer has signed out or has left the policy', async () => {
    const people = await pagePeople({ alice: 'maker', bob: 'auditor' });
    let { policy } = people;
    const gateway = await openGateway([], { policy: () => policy, port: people.port });
    const alice = await signedIn(people, 'alice');
    const first = await watched(alice, gateway, people.origin);
    const over = once(first.resume(), 'end');
    await alice.submit('/', '/sign-out', {});
    await over;
    const second = await watched(await signedIn(people, 'alice'), gateway, people.origin);
    policy = { ...policy, people: policy.people.filter(({ name }) => name !== 'alice') };
    await once(second.resume(), 'end');
  });

  it('prolong no session', async () => {
    const { people, gateway } = await openPagesOf({ alice: 'maker' });
    const alice = await signedIn(people, 'alice');
    const answer = await watched(alice, gateway, people.origin);
    const over = once(answer.resume(), 'end');
    const later = Date.now() + 29 * 60_000;
    Object.assign(gateway.app, { now: () => later });
    await once(answer, 'data', { signal: AbortSignal.timeout(2_500) }).catch(() => undefined);
    expect(answer.readableEnded).toBe(false);
    Object.assign(gateway.app, { now: () => later + 2 * 60_000 });
    await over;
    expect((await alice.send('/')).status).toBe(303);
  });
});
