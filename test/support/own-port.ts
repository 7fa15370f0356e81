import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems give to processes that ask for any one (from 32768 on), without one that browsers refuse. */
const [FIRST, COUNT] = [11_000, 20_000];
/** Processes with neighbouring ids begin so far from each other. */
const APART = 100;

let asked = process.pid * APART;

/**
 * A port on 127.0.0.1 that nobody uses, for a server that is started with it later: a free port that the system has named may be
 * given to somebody else in between.
 */
export async function ownPort(): Promise<number> {
  for (;;) {
    asked += 1;
    const port = FIRST + (asked % COUNT);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
