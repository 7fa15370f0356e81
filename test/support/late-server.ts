import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { NativeConnection } from '@temporalio/worker';
import { inject } from 'vitest';
import { temporalConnections } from './temporal-connections.ts';

/** The Temporal server of the tests, on a connection for workers on which what it sends can be held back. */
export interface LateServer extends AsyncDisposable {
  native: NativeConnection;
  /** The returned function lets it through again. */
  holdBack(): () => void;
}

export async function openLateServer(): Promise<LateServer> {
  // Installs the runtime of the SDK, and keeps it.
  await temporalConnections();
  const [host = '', port = ''] = inject('temporalAddress').split(':');
  const behind = new Set<Socket>();
  const server = createServer((worker) => {
    const temporal = connect(Number(port), host);
    behind.add(temporal);
    worker.pipe(temporal).pipe(worker);
    for (const [socket, other] of [
      [worker, temporal],
      [temporal, worker],
    ] as const) {
      socket.on('error', () => {});
      socket.on('close', () => other.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const native = await NativeConnection.connect({ address: `127.0.0.1:${(server.address() as AddressInfo).port}` });
  return {
    native,
    holdBack() {
      for (const socket of behind) socket.pause();
      return () => {
        for (const socket of behind) socket.resume();
      };
    },
    async [Symbol.asyncDispose]() {
      await native.close();
      server.close();
    },
  };
}
