import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { beforeEach, expect, it } from 'vitest';
import { choosePorts, lastPorts, rememberPorts } from '../../../src/platform/embedded/ports.ts';
import { newFolder } from '../../support/new-folder.ts';

let home: string;

beforeEach(() => {
  home = newFolder();
});

async function occupied(): Promise<{ port: number } & AsyncDisposable> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}

it('are four different free ones, the same again for the same home', async () => {
  const first = await choosePorts(home);
  expect(new Set(Object.values(first)).size).toBe(4);
  rememberPorts(home, first);
  expect(await choosePorts(home)).toEqual(first);
  expect(lastPorts(home)).toEqual(first);
});

it('gives up a port of last time that another process has now', async () => {
  await using other = await occupied();
  const last = await choosePorts(home);
  rememberPorts(home, { ...last, ui: other.port });
  const now = await choosePorts(home);
  expect(now.temporal).toBe(last.temporal);
  expect(now.ui).not.toBe(other.port);
});

it('refuses a given port that is taken', async () => {
  await using other = await occupied();
  await expect(choosePorts(home, { ui: other.port })).rejects.toMatchObject({
    code: 'stack-port-taken',
    hint: 'Free it, or name another by --ui-port.',
  });
});
