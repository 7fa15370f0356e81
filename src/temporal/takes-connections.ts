import { once } from 'node:events';
import { connect } from 'node:net';

/** Whether something takes TCP connections there; no answer within the limit counts as none. */
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
