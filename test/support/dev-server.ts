import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { keepingFlags } from '../../src/platform/embedded/server.ts';
import { takesConnections } from '../../src/platform/temporal/connection.ts';
import { ownPort } from './own-port.ts';
import { until } from './until.ts';

export interface DevServer {
  /** host:port of its gRPC service. */
  address: string;
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';

/**
 * A Temporal dev server as the embedded stack has it, but without a Web UI: on a SQLite file with WAL, in a folder of its own that
 * also takes its log, and that goes with it. `flags` are added to its command line. Throws with the end of its log when it exits
 * before it serves.
 */
export async function startDevServer(cliPath: string, flags: readonly string[] = []): Promise<DevServer> {
  const folder = mkdtempSync(join(tmpdir(), 'payouts-temporal-'));
  const logFile = join(folder, 'temporal.log');
  const port = await ownPort();
  const log = openSync(logFile, 'w');
  const server = spawn(
    cliPath,
    [
      ...['server', 'start-dev', '--headless', '--ip', HOST, '--port', `${port}`],
      ...keepingFlags(join(folder, 'temporal.sqlite')),
      // Nobody needs these files after a crash of the machine.
      ...['--sqlite-pragma', 'synchronous=0'],
      ...flags,
    ],
    // GOGC: its heap is small, and collected by default it takes a quarter of the server's CPU time.
    { stdio: ['ignore', log, log], env: { GOGC: '400' } },
  );
  closeSync(log);
  process.once('exit', () => server.kill());
  const ended = once(server, 'exit');
  const hasEnded = (): boolean => server.exitCode !== null || server.signalCode !== null;
  const stop = async (): Promise<void> => {
    server.kill();
    await ended;
    rmSync(folder, { recursive: true });
  };
  await until(async () => hasEnded() || (await serves(port)));
  if (!hasEnded()) return { address: `${HOST}:${port}`, stop };
  const printed = readFileSync(logFile, 'utf8').slice(-2_000);
  await stop();
  throw new Error(`the Temporal server did not start: ${printed}`);
}

/** Also true of its namespace, which it makes after it takes connections. */
async function serves(port: number): Promise<boolean> {
  if (!(await takesConnections(HOST, port))) return false;
  const connection = Connection.lazy({ address: `${HOST}:${port}` });
  return connection.workflowService
    .describeNamespace({ namespace: 'default' })
    .then(
      () => true,
      () => false,
    )
    .finally(() => connection.close());
}
