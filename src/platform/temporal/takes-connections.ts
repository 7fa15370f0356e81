import { once } from 'node:events';
import { connect } from 'node:net';

export async function takesConnections(host: string, port: number, limitMs = 2_000): Promise<boolean> {
  const socket = connect({ host, port });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(limitMs) });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
