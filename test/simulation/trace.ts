import { createHash } from 'node:crypto';
import { RUN_START, type VirtualTime } from './virtual-time.ts';

/** What happened in a run, line by line: always as a hash, and as text where somebody reads it. */
export class Trace {
  private readonly hash = createHash('sha256');
  private readonly time: VirtualTime;
  private readonly print: ((line: string) => void) | undefined;

  constructor(time: VirtualTime, print?: (line: string) => void) {
    this.time = time;
    this.print = print;
  }

  readonly note = (what: string): void => {
    const line = `${((this.time.now - RUN_START) / 1_000).toFixed(3).padStart(10)} ${what}`;
    this.hash.update(line).update('\n');
    this.print?.(line);
  };

  digest(): string {
    return this.hash.digest('hex').slice(0, 16);
  }
}
