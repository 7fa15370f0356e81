import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod';
import { readJsonFile, StackError, writeJsonFile } from './home.ts';

const ports = z.object({ temporal: z.int(), ui: z.int(), api: z.int(), gateway: z.int() });

export type Ports = z.infer<typeof ports>;

/** Ports that the caller requires. */
export type StackPorts = Partial<Ports>;

export const lastPorts = (home: string): Ports | undefined => readJsonFile(join(home, 'ports.json'), ports);

/**
 * Ports on 127.0.0.1 for one boot: the given ones, else those of the last boot (so that links stay valid), else free ones. Throws
 * a `StackError` if a given one is taken.
 */
export async function choosePorts(home: string, given: StackPorts = {}): Promise<Ports> {
  const last = lastPorts(home);
  const chosen: Partial<Ports> = {};
  for (const name of ['temporal', 'ui', 'api', 'gateway'] as const) {
    chosen[name] = await choose(name, given[name], last?.[name], Object.values(chosen));
  }
  return chosen as Ports;
}

export const rememberPorts = (home: string, used: Ports): void => writeJsonFile(join(home, 'ports.json'), used);

async function choose(
  name: keyof Ports,
  given: number | undefined,
  last: number | undefined,
  taken: readonly number[],
): Promise<number> {
  if (given !== undefined) {
    if ((await bindable(given)) === undefined) throw portTaken(given, `--${name}-port`);
    return given;
  }
  const kept = last === undefined || taken.includes(last) ? undefined : await bindable(last);
  return kept ?? (await freePort(taken));
}

/** `option`: by which the command that asked for the port names another. */
export const portTaken = (port: number, option: string): StackError =>
  new StackError('port-taken', `port ${port} is taken`, `Free it, or name another by ${option}.`);

/** A free port on 127.0.0.1 that is not in `taken`. */
export async function freePort(taken: readonly number[]): Promise<number> {
  for (;;) {
    const port = await bindable(0);
    if (port !== undefined && !taken.includes(port)) return port;
  }
}

/** Binds and releases the port; 0 picks a free one. undefined if it is taken. */
export async function bindable(port: number): Promise<number | undefined> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  } catch {
    return undefined;
  } finally {
    server.close();
  }
}
