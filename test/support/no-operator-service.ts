import { once } from 'node:events';
import { connect, constants, createServer, type IncomingHttpHeaders } from 'node:http2';
import type { AddressInfo } from 'node:net';

/** gRPC status UNIMPLEMENTED. */
const UNIMPLEMENTED = '12';

/** A Temporal server without an operator service, as Temporal Cloud is: everything else is answered by the one behind it. */
export async function withoutOperatorService(address: string): Promise<{ address: string; close(): void }> {
  const behind = connect(`http://${address}`);
  const sessions = new Set<{ destroy(): void }>();
  const server = createServer().on('session', (session) => sessions.add(session));
  server.on('stream', (stream, headers) => {
    if (String(headers[constants.HTTP2_HEADER_PATH]).startsWith('/temporal.api.operatorservice.')) {
      const trailers = { 'grpc-status': UNIMPLEMENTED, 'grpc-message': 'unknown service OperatorService' };
      stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...trailers }, { endStream: true });
      return;
    }
    const call = behind.request(headers);
    let trailers: IncomingHttpHeaders = {};
    call.on('response', (answer) => stream.respond(answer, { waitForTrailers: true }));
    call.on('trailers', (seen) => {
      trailers = seen;
    });
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    stream.pipe(call).pipe(stream);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      for (const session of [...sessions, behind]) session.destroy();
      server.close();
    },
  };
}
