import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { COMPILE_CACHE } from '../../support/compile-cache.ts';

const METER = new URL('./meter.ts', import.meta.url).href;
const STOP_PATIENCE_MS = 15_000;
const LOG_SHOWN = 2_000;

/** Environment under which a Node process counts its calls of the bank and its commits into files named `name` in `dir`. */
export const metered = (dir: string, name: string, bankUrl: string) => ({
  PATH: process.env.PATH ?? '',
  HOME: dir,
  ...COMPILE_CACHE,
  NODE_OPTIONS: `--import ${METER}`,
  BENCH_METER: join(dir, name),
  BENCH_BANK: new URL(bankUrl).origin,
});

export type Tally = 'calls' | 'commits';

/** So often a process under this name has done it, all its lives together. */
export function tallied(dir: string, name: string, what: Tally): number {
  return statSync(join(dir, `${name}.${what}`), { throwIfNoEntry: false })?.size ?? 0;
}

export interface ProcessSpec {
  /** Folder of its log and its tallies. */
  dir: string;
  name: string;
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
}

/** A process of the bench; one of our own programs says that it is up, takes work and says that it is done, by messages. */
export class MeasuredProcess {
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #spec: ProcessSpec;

  constructor(spec: ProcessSpec, { talks = true } = {}) {
    const log = openSync(join(spec.dir, `${spec.name}.log`), 'a', 0o600);
    this.#spec = spec;
    this.#child = spawn(spec.command, spec.args, {
      env: spec.env,
      stdio: talks ? ['ignore', log, log, 'ipc'] : ['ignore', log, log],
    });
    closeSync(log);
    process.once('exit', this.#kill);
    this.pid = this.#child.pid ?? 0;
  }

  readonly #kill = (): void => {
    this.#child.kill('SIGKILL');
  };

  /** What it says next. Rejects when it ends instead. */
  async said<Message>(): Promise<Message> {
    const ended = new AbortController();
    const { signal } = ended;
    try {
      const [message] = await Promise.race([
        once(this.#child, 'message', { signal }),
        once(this.#child, 'exit', { signal }).then(() => Promise.reject(this.#endedEarly())),
      ]);
      return message as Message;
    } finally {
      ended.abort();
    }
  }

  /** Hands work over and waits until it is done. */
  async does(work: object): Promise<void> {
    const said = this.said<{ problem?: string }>();
    this.#child.send(work);
    const { problem } = await said;
    if (problem !== undefined) throw new Error(`${this.#spec.name}: ${problem}`);
  }

  async end(): Promise<void> {
    process.removeListener('exit', this.#kill);
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    const force = setTimeout(this.#kill, STOP_PATIENCE_MS);
    await ended;
    clearTimeout(force);
  }

  #endedEarly(): Error {
    // The folder goes with the run: what the process said last is shown here.
    const log = readFileSync(join(this.#spec.dir, `${this.#spec.name}.log`), 'utf8');
    return new Error(`${this.#spec.name} ended: ${log.slice(-LOG_SHOWN)}`);
  }
}

/** A program of this folder. */
export const ownProgram = (file: string): string => fileURLToPath(new URL(`./${file}`, import.meta.url));

/** The other end of it, in the process itself. */
export function takesWork<Work>(work: (asked: Work) => Promise<void>): void {
  process.on('message', (asked: Work) => {
    work(asked).then(
      () => process.send?.({}),
      (error: unknown) => process.send?.({ problem: String(error) }),
    );
  });
  process.on('SIGTERM', () => process.exit(0));
  process.on('disconnect', () => process.exit(0));
}
