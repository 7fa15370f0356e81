import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { ClusterError, type Part } from './part.ts';

export interface ProcessSpec {
  name: string;
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** What it prints, appended over all its lives. */
  logFile: string;
  /** The user that it runs as; only root can name another one. */
  user?: { uid: number; gid: number } | undefined;
  /** Asked again and again after a start; an exception counts as no. */
  isHealthy(): Promise<boolean>;
  /** How long it may take to become healthy, 60 s when not said. */
  startLimitMs?: number;
  /** What asks it to end, SIGTERM when not said. */
  stopSignal?: NodeJS.Signals;
  /** How long it may take to end before it is killed, 45 s when not said: a send under way may take 30 s. */
  stopLimitMs?: number;
}

const POLL_MS = 250;
/** Before a process that ended by itself is started again; doubled each time up to the longest. */
const RESTART_MS = 1_000;
const RESTART_LONGEST_MS = 15_000;

/** A process that is started again whenever it ends without having been asked to. */
export class ServerProcess implements Part {
  readonly spec: ProcessSpec;
  /** Called whenever it has another process id. */
  onLaunch: () => void = () => undefined;
  #child: ChildProcess | undefined;
  #stopping: AbortController | undefined;
  #restarts = 0;
  readonly #say: (line: string) => void;

  constructor(spec: ProcessSpec, say: (line: string) => void) {
    this.spec = spec;
    this.#say = say;
  }

  get name(): string {
    return this.spec.name;
  }

  /** undefined while it does not run. */
  get pid(): number | undefined {
    return this.#child === undefined || hasEnded(this.#child) ? undefined : this.#child.pid;
  }

  async start(): Promise<void> {
    this.#stopping = new AbortController();
    const logFrom = sizeOf(this.spec.logFile);
    const child = this.#launch(this.#stopping.signal);
    const deadline = performance.now() + (this.spec.startLimitMs ?? 60_000);
    while (!(await this.isHealthy())) {
      const why = hasEnded(child)
        ? `ended with ${child.exitCode === null ? child.signalCode : `exit code ${child.exitCode}`}`
        : performance.now() > deadline && 'did not become healthy in time';
      if (why === false) {
        await pause(POLL_MS);
        continue;
      }
      await this.stop();
      throw new ClusterError(
        `${this.name} ${why}:\n${lastLines(this.spec.logFile, logFrom)}`,
        `Its log: ${this.spec.logFile}`,
      );
    }
  }

  async isHealthy(): Promise<boolean> {
    if (this.pid === undefined) return false;
    return await this.spec.isHealthy().catch(() => false);
  }

  async stop(): Promise<void> {
    this.#stopping?.abort();
    const child = this.#child;
    if (child === undefined || hasEnded(child)) return;
    const ended = once(child, 'exit');
    child.kill(this.spec.stopSignal);
    const late = setTimeout(() => child.kill('SIGKILL'), this.spec.stopLimitMs ?? 45_000);
    await ended;
    clearTimeout(late);
  }

  #launch(stopping: AbortSignal): ChildProcess {
    // A group of its own: Ctrl+C of a terminal goes to the supervisor alone, which ends its parts in order.
    const child = spawnLogged(this.spec, { detached: true });
    child.once('error', (error) => this.#say(`${this.name}: ${error.message}`));
    child.once('exit', (code, signal) => {
      if (!stopping.aborted && this.#child === child) void this.#restart(stopping, signal ?? `exit code ${code}`);
    });
    this.#child = child;
    this.onLaunch();
    return child;
  }

  async #restart(stopping: AbortSignal, how: string): Promise<void> {
    const waitMs = Math.min(RESTART_LONGEST_MS, RESTART_MS * 2 ** this.#restarts);
    this.#restarts += 1;
    this.#say(`${this.name} ended (${how}); restarting in ${waitMs / 1_000} s; log: ${this.spec.logFile}`);
    await pause(waitMs, undefined, { signal: stopping }).catch(() => undefined);
    if (stopping.aborted) return;
    const child = this.#launch(stopping);
    while (!hasEnded(child) && !stopping.aborted && !(await this.isHealthy())) await pause(POLL_MS);
    if (hasEnded(child) || stopping.aborted) return;
    this.#restarts = 0;
    this.#say(`${this.name} is healthy again`);
  }
}

type Program = Pick<ProcessSpec, 'name' | 'command' | 'args' | 'env' | 'logFile' | 'user'>;

/** Runs once to its end, at every start of the cluster; one whose work is done already does nothing. */
export const job = (program: Program): Part => ({
  name: program.name,
  async start() {
    const { name, logFile } = program;
    const from = sizeOf(logFile);
    const [code] = (await once(spawnLogged(program), 'exit')) as [number | null];
    if (code !== 0) throw new ClusterError(`${name} failed:\n${lastLines(logFile, from)}`, `Its log: ${logFile}`);
  },
});

function spawnLogged({ command, args, env, logFile, user }: Program, { detached = false } = {}): ChildProcess {
  const log = openSync(logFile, 'a', 0o600);
  const child = spawn(command, args, { env, stdio: ['ignore', log, log], detached, ...user });
  closeSync(log);
  return child;
}

const hasEnded = ({ exitCode, signalCode, pid }: ChildProcess): boolean =>
  pid === undefined || exitCode !== null || signalCode !== null;

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** What a part has said since, as far as it helps. */
const lastLines = (file: string, from = 0): string =>
  readFileSync(file)
    .subarray(from)
    .toString('utf8')
    .trimEnd()
    .split('\n')
    .slice(-8)
    .map((line) => line.slice(0, 300))
    .join('\n');
