import type { Supervised } from '../processes.ts';
import type { Stack } from '../stack.ts';
import { type Drill, untilOrders } from './drill.ts';

/** Each in the middle of work: when the bank has so many orders. */
const AT_ORDERS = [2, 9, 16] as const;

async function endEach(stack: Stack, process: Supervised, signals: readonly NodeJS.Signals[]): Promise<void> {
  for (const [index, signal] of signals.entries()) {
    await untilOrders(stack, AT_ORDERS[index] ?? 0);
    await process.restart(signal);
  }
}

export const databaseRestarted: Drill = {
  name: 'database restarted',
  what: 'PostgreSQL of Temporal and store crashes (SIGKILL), is shut down (SIGINT) and crashes again',
  async run(stack) {
    await endEach(stack, stack.ground.database, ['SIGKILL', 'SIGINT', 'SIGKILL']);
    return { did: ['crash database', 'restart database', 'crash database'] };
  },
};

export const temporalRestarted: Drill = {
  name: 'Temporal restarted',
  what: "Temporal's server is shut down (SIGTERM), crashes (SIGKILL) and is shut down again",
  async run(stack) {
    await endEach(stack, stack.ground.temporal, ['SIGTERM', 'SIGKILL', 'SIGTERM']);
    return { did: ['restart Temporal', 'crash Temporal', 'restart Temporal'] };
  },
};

const STOPPED_MS = 120_000;

export const workerStopped: Drill = {
  name: 'worker stopped',
  what: 'one of two workers is suspended for 120 s (SIGSTOP) in the middle of its work, then continues',
  async run(stack) {
    await untilOrders(stack, 2);
    await stack.workers[0]?.freeze(STOPPED_MS);
    return { did: ['stop worker for 120 s'] };
  },
};
