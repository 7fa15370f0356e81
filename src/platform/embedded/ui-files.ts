import { type ChildProcess, spawn } from 'node:child_process';
import { hash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { freePort } from './ports.ts';

const HOST = '127.0.0.1';
const START_LIMIT_MS = 60_000;
const IDLE_MS = 3_000;

export interface UiFile {
  /** Its content type. */
  type: string;
  /** Its content security policy, if it has one of its own. */
  csp?: string | undefined;
  body: Buffer;
}

const keptHeader = z.object({ type: z.string(), csp: z.string().optional() });

interface UiFilesOptions {
  cliPath: string;
  /** Where files are kept, for one version of the Web UI. */
  folder: string;
}

/**
 * The files of the Temporal Web UI, which only the CLI has and only its UI server gives out. That server answers any Host and
 * Origin, so that a web page open on this machine could use the API behind it. None runs beside the embedded server: one is
 * started with an empty server of its own when a file is asked for the first time, and ended when no more are asked for.
 */
export class UiFiles {
  readonly #options: UiFilesOptions;
  #source: Promise<Source> | undefined;
  #idle: NodeJS.Timeout | undefined;
  #asked = 0;

  constructor(options: UiFilesOptions) {
    this.#options = options;
  }

  /** The file at a path of the Web UI; undefined if it has none. */
  async read(path: string): Promise<UiFile | undefined> {
    const kept = join(this.#options.folder, hash('sha256', path));
    return fileAt(kept) ?? this.#fetch(path, kept);
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const source = this.#source;
    this.#source = undefined;
    await source?.then(({ end }) => end()).catch(() => undefined);
  }

  async #fetch(path: string, kept: string): Promise<UiFile | undefined> {
    clearTimeout(this.#idle);
    this.#asked += 1;
    try {
      this.#source ??= startSource(this.#options.cliPath);
      const { port } = await this.#source;
      const answer = await fetchFrom(port, path);
      const { 'content-type': type = '', 'content-security-policy': csp } = answer.headers;
      const file = { type, csp: csp?.toString(), body: await buffer(answer) };
      // For any path that is no file the UI server answers its page.
      if (answer.statusCode !== 200 || (path !== '/' && type.startsWith('text/html'))) return undefined;
      keep(kept, file);
      return file;
    } catch (error) {
      await this.close();
      throw error;
    } finally {
      this.#asked -= 1;
      if (this.#asked === 0) this.#idle = setTimeout(() => void this.close(), IDLE_MS).unref();
    }
  }
}

/** A file is kept as one line with its headers, then its bytes. */
function fileAt(kept: string): UiFile | undefined {
  try {
    const bytes = readFileSync(kept);
    const end = bytes.indexOf('\n');
    return { ...keptHeader.parse(JSON.parse(bytes.toString('utf8', 0, end))), body: bytes.subarray(end + 1) };
  } catch {
    return undefined;
  }
}

function keep(kept: string, { body, ...header }: UiFile): void {
  const fresh = `${kept}.${randomUUID()}`;
  try {
    mkdirSync(dirname(kept), { recursive: true, mode: 0o700 });
    writeFileSync(fresh, Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), body]), { mode: 0o600 });
    renameSync(fresh, kept);
  } catch {
    // A cache that cannot be written costs time only: the file is read from the CLI again.
  }
}

async function fetchFrom(port: number, path: string): Promise<IncomingMessage> {
  const [answer] = await once(get({ host: HOST, port, path, agent: false }), 'response');
  return answer as IncomingMessage;
}

interface Source {
  port: number;
  end(): Promise<void>;
}

/** A dev server with no file and nothing in it, for the sake of its UI server. */
async function startSource(cliPath: string): Promise<Source> {
  const port = await freePort([]);
  const own = await freePort([port]);
  const child = spawnBesideUs(cliPath, [
    ...['server', 'start-dev', '--ip', HOST, '--port', `${own}`, '--ui-port', `${port}`, '--log-level', 'never'],
  ]);
  const end = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.stdin?.end();
    await once(child, 'exit');
  };
  for (const deadline = performance.now() + START_LIMIT_MS; performance.now() < deadline; await pause(20)) {
    if (child.exitCode !== null) break;
    const answer = await fetchFrom(port, '/').catch(() => undefined);
    answer?.resume();
    if (answer !== undefined) return { port, end };
  }
  await end();
  throw new Error('the UI server of the Temporal CLI did not start');
}

/**
 * Through a shell that ends it as soon as our end of its input is closed, so that a SIGKILL of us leaves nothing behind, and that
 * ends with it.
 */
function spawnBesideUs(command: string, args: readonly string[]): ChildProcess {
  const script = 'exec 3<&0; "$@" & server=$!; { read -r _ <&3; kill -9 $server; } & wait $server; kill $!';
  return spawn('/bin/sh', ['-c', script, 'sh', command, ...args], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {},
  });
}
