import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openPage } from '../../../src/cli/open-page.ts';
import { fakeSession } from '../../support/fake-session.ts';

const HOME_WITHOUT_STACK = mkdtempSync(join(tmpdir(), 'payouts-open-'));

async function addressOf(config: object, id?: string): Promise<unknown> {
  let shown: unknown;
  const output = { json: true, result: (document: unknown) => (shown = document) };
  const gateway = { tokens: { reveal: () => [] } };
  const ask = async () => ({ kind: 'batch', batch: { batchId: '01a2207c' } });
  const session = fakeSession({ output, ask, config: { home: HOME_WITHOUT_STACK, gateway, settings: {}, ...config } });
  await openPage(session, id, { print: true });
  return shown;
}

it('is where the policy has the pages, or the gateway of the command', async () => {
  const settings = { policy: { origin: 'https://payouts.example.com' } };
  expect(await addressOf({ settings })).toEqual({ url: 'https://payouts.example.com/' });
  expect(await addressOf({ settings }, 'latest')).toEqual({ url: 'https://payouts.example.com/batches/01a2207c' });
});

it('is that of the stack that is up, and of none that is not', async () => {
  await expect(addressOf({})).rejects.toMatchObject({ code: 'no-pages', hint: expect.stringContaining('payouts dev') });
  const home = mkdtempSync(join(tmpdir(), 'payouts-open-'));
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    rmSync(home, { recursive: true });
  });
  const { port } = server.address() as AddressInfo;
  const stack = {
    ...{ temporalAddress: `127.0.0.1:${port}`, namespace: 'default', uiUrl: 'http://127.0.0.1:1', pid: process.pid },
    ...{ apiUrl: `http://127.0.0.1:${port}`, gatewayUrl: 'http://127.0.0.1:2', temporalPid: process.pid },
    ...{ temporal: 'embedded', bank: 'sandbox', stays: true },
  };
  writeFileSync(join(home, 'stack.json'), JSON.stringify(stack));
  expect(await addressOf({ home })).toEqual({ url: 'http://127.0.0.1:2/' });
});
