import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';

/** gRPC status UNAVAILABLE. */
const UNAVAILABLE = '14';

/** A server that answers every gRPC call with UNAVAILABLE and these words. */
export async function refusingServer(words: string): Promise<{ address: string; close(): void }> {
  const sessions = new Set<{ destroy(): void }>();
  const server = createServer().on('session', (session) => sessions.add(session));
  server.on('stream', (stream) => {
    const trailers = { 'grpc-status': UNAVAILABLE, 'grpc-message': words };
    stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...trailers }, { endStream: true });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      for (const session of sessions) session.destroy();
      server.close();
    },
  };
}
