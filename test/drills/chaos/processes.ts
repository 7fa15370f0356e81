import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { ownPort } from '../../support/own-port.ts';

export interface ProcessSpec {
  name: string;
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** What it prints, appended over all its lives. */
  logFile: string;
  /** Whom it runs as; only root can name another one. */
  user?: { uid: number; gid: number } | undefined;
  /** Runs after each start, until the process ends; readiness and what memory has to be set again. */
  onStart?: (() => Promise<void>) | undefined;
}

/** Every process of ours that is alive, so that none outlives this one. */
const alive = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});

const RESTART_AFTER_OWN_END_MS = 500;

/** A process that is started again whenever it ends, with the same arguments, files and ports. */
export class Supervised {
  readonly spec: ProcessSpec;
  /** How it ended when nobody killed it. */
  readonly ownEnds: string[] = [];
  #child: ChildProcess | undefined;
  #ended = false;
  #paused = false;
  #ready: Promise<void> = Promise.resolve();

  constructor(spec: ProcessSpec) {
    this.spec = spec;
  }

  start(): Promise<void> {
    this.#ended = false;
    this.#launch();
    return this.#ready;
  }

  get isPaused(): boolean {
    return this.#paused;
  }

  /** SIGKILL; it is started again at once. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || hasEnded(child)) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** Asks it to end; it is started again soon after. */
  async restart(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === undefined || hasEnded(child)) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  /** SIGSTOP, and SIGCONT after `ms`. */
  async freeze(ms: number): Promise<void> {
    const child = this.#child;
    if (child === undefined || hasEnded(child) || this.#paused) return;
    this.#paused = true;
    child.kill('SIGSTOP');
    await pause(ms);
    child.kill('SIGCONT');
    this.#paused = false;
  }

  /** Until it is started. */
  async end(): Promise<void> {
    this.#ended = true;
    await this.kill();
  }

  #launch(): void {
    const { command, args, env, logFile, name, user } = this.spec;
    const log = openSync(logFile, 'a', 0o600);
    const child = spawn(command, args, { env, stdio: ['ignore', log, log], detached: true, ...user });
    closeSync(log);
    alive.add(child);
    this.#child = child;
    this.#ready =
      this.spec.onStart?.().catch((error: unknown) => {
        if (!hasEnded(child)) throw new Error(`${name} did not come up`, { cause: error });
      }) ?? Promise.resolve();
    this.#ready.catch(() => undefined);
    child.once('exit', (code, signal) => {
      alive.delete(child);
      if (this.#ended) return;
      if (signal === 'SIGKILL') return this.#launch();
      this.ownEnds.push(signal ?? `exit ${code}`);
      setTimeout(() => this.#ended || this.#launch(), RESTART_AFTER_OWN_END_MS);
    });
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

export interface Ended {
  /** null: a signal ended it. */
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Command {
  pid: number;
  ended: Promise<Ended>;
  kill(signal: NodeJS.Signals): void;
}

/** A process that runs once and is read. */
export function command(program: string, args: readonly string[], env: Readonly<Record<string, string>>): Command {
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  alive.add(child);
  const printed = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed.stderr += text));
  const ended = once(child, 'close').then(([code]): Ended => {
    alive.delete(child);
    return { code, ...printed };
  });
  return { pid: child.pid ?? 0, ended, kill: (signal) => child.kill(signal) };
}

/** Ports that nobody uses, and that nobody is given while a process which has one is killed and started again. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) ports.push(await ownPort());
  return ports;
}
