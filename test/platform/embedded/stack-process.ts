/**
 * A process that holds a stack, for tests that kill it: opens the stack of PAYOUTS_HOME in the mode given as argument,
 * sends what it got, and closes it on the message `close`.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadConfig } from '../../../src/platform/config.ts';
import { openStack } from '../../../src/platform/embedded/open-stack.ts';
import type { StackMode, StackOptions } from '../../../src/platform/embedded/stack.ts';
import { createLog } from '../../../src/platform/log.ts';

/** A bank that only answers, and a worker that does nothing: what a stack needs to come up. */
export const fakeParts: Pick<StackOptions, 'startSandbox' | 'startWorker' | 'log'> = {
  log: createLog('silent'),
  async startSandbox({ port }) {
    const server = createServer((_request, response) => response.end('{}')).listen(port, '127.0.0.1');
    await once(server, 'listening');
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      close: async () => {
        server.close();
        server.closeAllConnections();
      },
    };
  },
  startWorker: async () => ({ close: async () => {} }),
};

if (process.send !== undefined && process.argv[1] === import.meta.filename) {
  const stack = await openStack(loadConfig(process.env), { ...fakeParts, mode: process.argv[2] as StackMode });
  const { temporalAddress, apiUrl, owner } = stack;
  process.send({ temporalAddress, apiUrl, owner });
  await once(process, 'message');
  await stack.close();
  process.disconnect();
}
