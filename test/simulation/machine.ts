import type { Witness } from '../../src/domain/store-past.ts';
import type { Machine } from '../../src/platform/this-sender.ts';
import type { WorkerProcess } from './temporal/worker-process.ts';

/** The machine of one home: its processes, and what it keeps outside of the store, which goes back in time only with the machine. */
export class SimMachine {
  private readonly name: string;
  private readonly processes: WorkerProcess[] = [];
  private witnesses = new Map<string, Witness>();

  constructor(name: string) {
    this.name = name;
  }

  /** As a process on it sees it that uses this store. */
  seenBy(process: WorkerProcess, store: string): Machine {
    const pid = this.processes.push(process);
    const place = `${this.name}/${store}`;
    return {
      place: { file: place, place, placeMark: place },
      self: () => ({ machine: this.name, boot: 'boot', pid, processMark: `mark-${pid}` }),
      markOfProcess: (of) => (this.processes[of - 1]?.isDead === false ? `mark-${of}` : undefined),
      markOfFile: (path) => path,
      readWitness: (storeId) => this.witnesses.get(storeId),
      writeWitness: (storeId, witness) => void this.witnesses.set(storeId, witness),
    };
  }

  /** Undoes what was kept since. */
  kept(): () => void {
    const witnesses = new Map(this.witnesses);
    return () => {
      this.witnesses = new Map(witnesses);
    };
  }
}
