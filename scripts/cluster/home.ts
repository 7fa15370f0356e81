import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { readJsonFile, writeJsonFile } from '../../src/platform/embedded/home.ts';
import { takesConnections } from '../../src/platform/temporal/connection.ts';
import { OWNER, WRITER } from '../../src/store/engine/postgres.ts';
import { ClusterError } from './part.ts';

export const PORT_NAMES = [
  ...['postgres', 'temporal', 'temporal-ui', 'sandbox', 'gateway'],
  ...['worker-1-reads', 'worker-2-reads'],
  ...['worker-1-metrics', 'worker-2-metrics', 'gateway-metrics'],
  ...['worker-1-sdk-metrics', 'worker-2-sdk-metrics', 'gateway-sdk-metrics'],
  ...['frontend-membership', 'history', 'history-membership', 'matching', 'matching-membership'],
  ...['system-worker', 'system-worker-membership'],
] as const;

export type Ports = Readonly<Record<string, number>>;

/** The one folder of a cluster: databases, logs, secrets, and what its parts agree on. */
export interface ClusterHome {
  path: string;
  ports: Ports;
  /** Made at the first start, each in a file of its owner's alone. */
  secrets: ReturnType<typeof openSecrets>;
  log(part: string): string;
  file(...names: string[]): string;
}

const SECRETS = [
  ...(['postgres-password', 'temporal-password', 'bank-key', 'bank-secret'] as const),
  ...(['store-owner-password', 'store-password', 'store-reader-password'] as const),
] as const;
type SecretName = (typeof SECRETS)[number];
type FileName = SecretName | 'store-owner-url' | 'store-url' | 'codec-keys' | 'bank-reads-key';

/**
 * Opens the folder, making what is not there yet.
 *
 * @param given ports that the caller insists on, by name; the others are those of the start before, else free ones
 */
export async function openClusterHome(folder: string, given: Ports = {}): Promise<ClusterHome> {
  const path = resolve(folder);
  for (const name of ['logs', 'secrets', 'data']) mkdirSync(join(path, name), { recursive: true, mode: 0o700 });
  // The database runs as another user where everything else is root: it has to get through, and can list nothing.
  for (const way of [path, join(path, 'data')]) chmodSync(way, 0o711);
  const ports = await openPorts(path, given);
  const secrets = openSecrets(join(path, 'secrets'), ports);
  return {
    path,
    ports,
    secrets,
    log: (part) => join(path, 'logs', `${part}.log`),
    file: (...names) => join(path, ...names),
  };
}

/** What parts remember of each other are addresses (the bank's is part of the store's world): a port once taken is kept. */
async function openPorts(path: string, given: Ports): Promise<Ports> {
  const file = join(path, 'ports.json');
  const kept = readJsonFile(file, z.record(z.string(), z.int())) ?? {};
  const ports: Record<string, number> = {};
  for (const name of PORT_NAMES) {
    const port = given[name] ?? kept[name];
    if (port !== undefined && (await takesConnections('127.0.0.1', port, 500)))
      throw new ClusterError(
        `port ${port} of ${name} is in use`,
        `Stop the process that listens there (ss -ltnp 'sport = :${port}'), or choose another port: --port ${name}=PORT`,
      );
    ports[name] = port ?? (await freePort([...Object.values(ports), ...Object.values(kept)]));
  }
  writeJsonFile(file, ports);
  return ports;
}

/** Temporal keeps its ports in a smallint; nor do systems give one of these to a connection that goes out. */
const FROM = 20_000;
const BELOW = 32_768;

async function freePort(taken: readonly number[]): Promise<number> {
  for (;;) {
    const port = randomInt(FROM, BELOW);
    if (taken.includes(port)) continue;
    const server = createServer();
    try {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
      return port;
    } catch {
      // In use.
    } finally {
      server.close();
    }
  }
}

function openSecrets(folder: string, ports: Ports) {
  const path = (name: FileName): string => join(folder, name);
  for (const name of SECRETS) writeOnce(path(name), () => randomBytes(24).toString('hex'));
  writeOnce(path('codec-keys'), () => `cluster:${randomBytes(32).toString('base64')}`);
  writeOnce(path('bank-reads-key'), () => randomBytes(32).toString('base64'));
  const read = (name: SecretName): string => readFileSync(path(name), 'utf8');
  const url = (role: string, password: SecretName): string =>
    `postgres://${role}:${read(password)}@127.0.0.1:${ports.postgres}/payouts`;
  writeFileSync(path('store-owner-url'), url(OWNER, 'store-owner-password'), { mode: 0o600 });
  writeFileSync(path('store-url'), url(WRITER, 'store-password'), { mode: 0o600 });
  return { folder, read, path };
}

function writeOnce(file: string, value: () => string): void {
  if (!existsSync(file)) writeFileSync(file, value(), { mode: 0o600 });
}
