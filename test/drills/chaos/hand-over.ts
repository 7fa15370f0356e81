import { setTimeout as pause } from 'node:timers/promises';
import type { Command, Ended } from './processes.ts';
import type { Stack } from './stack.ts';

/** Codes of `payouts run`: everything has an end, or is with an operator. */
const ENDED: ReadonlySet<number> = new Set([0, 5]);
const ALREADY_TAKEN = 8;
/** Interrupted, Temporal or the bank out of reach, a refused token: what faults and kills can cause. */
const EXPECTED: ReadonlySet<number | null> = new Set([null, 4, 6, 7, 130]);

const REPEAT_AFTER_MS = 500;

/** The file is handed in by the real command, again whenever that was killed or gave up, until it says that all is settled. */
export class HandOver {
  /** Exit codes that no fault explains, with what was printed. */
  readonly unexpected: string[] = [];
  /** How often the command ran. */
  runs = 0;
  readonly settled: Promise<void>;
  readonly #stack: Stack;
  #running: Command | undefined;
  #stopped = false;
  #held: Promise<void> | undefined;
  #paused = false;

  constructor(stack: Stack) {
    this.#stack = stack;
    this.settled = this.#repeat();
  }

  get isRunning(): boolean {
    return this.#running !== undefined && !this.#paused;
  }

  kill(): boolean {
    if (!this.isRunning) return false;
    this.#running?.kill('SIGKILL');
    return true;
  }

  /** Nobody hands anything in while `work` runs. */
  async during(work: () => Promise<void>): Promise<void> {
    this.#held = work();
    this.#running?.kill('SIGKILL');
    await this.#held;
  }

  async freeze(ms: number): Promise<void> {
    const running = this.#running;
    if (running === undefined || this.#paused) return;
    this.#paused = true;
    running.kill('SIGSTOP');
    await pause(ms);
    running.kill('SIGCONT');
    this.#paused = false;
  }

  stop(): void {
    this.#stopped = true;
    this.#running?.kill('SIGKILL');
  }

  async #repeat(): Promise<void> {
    while (!this.#stopped) {
      await this.#held;
      this.runs += 1;
      this.#running = this.#stack.payouts('run', this.#stack.file, '--yes', '--json', '--by', MAKER);
      const { code, stdout, stderr } = await this.#running.ended;
      this.#running = undefined;
      if (code !== null && (ENDED.has(code) || code === ALREADY_TAKEN)) return;
      if (!EXPECTED.has(code)) this.unexpected.push(`exit ${code}: ${(stdout + stderr).slice(-1_500)}`);
      await pause(REPEAT_AFTER_MS);
    }
  }
}

export const MAKER = 'chaos';

/** The report of the whole file as the command prints it. Throws when it prints none. */
export async function report(stack: Stack): Promise<unknown> {
  const batches = stack.store.batches();
  if (batches.length !== 1) throw new Error(`${batches.length} batches for one file`);
  const ended: Ended = await stack.payouts('report', batches[0]?.batch_id ?? '', '--json').ended;
  if (ended.code !== 0) throw new Error(`payouts report: exit ${ended.code} ${ended.stdout}${ended.stderr}`);
  return JSON.parse(ended.stdout);
}
