import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { Secret } from '../../../src/platform/config/key.ts';
import { createLog } from '../../../src/platform/log.ts';
import { deliverEvents, webhookEndpoint } from '../../../src/reports/events/deliver.ts';
import { openStore } from '../../../src/store/open.ts';
import { payoutClaim } from '../../store/samples.ts';
import { Receiver } from './receiver.ts';
import { NAME, SECRETS, SETTINGS } from './sending.ts';

const CHILD = fileURLToPath(new URL('sender-child.ts', import.meta.url));
const EVENTS = 30;
const KILLED_AT = 12;

it('a process that is killed between deliveries and its note loses none, and repeats those under their ids', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'payouts-killed-'));
  const url = `file:${join(folder, 'store.sqlite')}`;
  await using receiver = await Receiver.start();
  const store = await openStore(url);
  const asked = { name: NAME, owner: 'nobody', now: 0, until: 0 };
  await store.leaseSubscription(asked);
  await store.releaseSubscription(asked);
  for (let n = 0; n < EVENTS; n += 1) {
    const { reference, term } = (await store.claimPayout(payoutClaim(`doc-${n}`))).record;
    await store.changePayout(reference, { term, state: 'completed', at: n });
  }

  const child = spawn(process.execPath, [CHILD, url, receiver.url], { stdio: 'inherit' });
  const died = once(child, 'exit');
  receiver.answer = () => {
    if (receiver.asked.length === KILLED_AT) child.kill('SIGKILL');
    return 200;
  };
  expect(await died).toEqual([null, 'SIGKILL']);
  const [before] = await store.subscriptions();
  expect(before?.position).toBe(0);

  const to = { kind: 'webhook', url: receiver.url, secrets: new Secret(SECRETS), privateNetwork: false } as const;
  let now = Date.now();
  const proxy = webhookEndpoint(to, () => now);
  const { signal } = new AbortController();
  const deps = {
    store,
    pages: undefined,
    settings: SETTINGS,
    log: createLog('silent'),
    now: () => now,
    draw: () => 0,
    owner: 'heir',
    signal,
  };
  await deliverEvents(deps, { name: NAME, to }, proxy.send);
  // The dead one's time is not over.
  expect(await store.subscriptions()).toEqual([before]);
  now += 60_000;
  await deliverEvents(deps, { name: NAME, to }, proxy.send);
  const all = receiver.taken.map(({ event }) => event.id);
  expect(new Set(all).size).toBe(EVENTS);
  expect(all.length).toBeGreaterThanOrEqual(EVENTS + KILLED_AT - 1);
  expect((await store.subscriptions())[0]?.position).toBe(EVENTS);

  await proxy.close();
  await store.close();
  rmSync(folder, { recursive: true });
});
