import { setTimeout as pause } from 'node:timers/promises';
import type { ClusterGround } from '../cluster-ground.ts';
import type { ChaosOptions, DrillOutcome } from '../options.ts';
import type { Stack } from '../stack.ts';

/** One thing that happens to a cluster while it pays. */
export interface Drill {
  name: string;
  /** What is done, in words. */
  what: string;
  /** What it needs of the run beside the usual. Throws when the machine lacks something; asked before the first drill begins. */
  needs?(): Partial<Pick<ChaosOptions, 'lay' | 'envOf' | 'clocksOffByMs'>>;
  run(stack: ClusterStack, handOver: Parameters<NonNullable<ChaosOptions['drill']>>[1]): Promise<DrillOutcome>;
}

/** Of a drill, which always uses a cluster. */
export interface ClusterStack extends Stack {
  ground: ClusterGround;
}

const POLL_MS = 200;

/** Resolves once the bank has this many orders: what follows happens in the middle. */
export async function untilOrders({ bank }: Stack, count: number): Promise<void> {
  for (;;) {
    const orders = await bank.state().then(
      ({ orders: all }) => all.filter(({ type }) => type === 'PAYMENT').length,
      () => 0,
    );
    if (orders >= count) return;
    await pause(POLL_MS);
  }
}
