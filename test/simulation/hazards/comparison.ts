import type { World } from '../world.ts';

const ID = 'reconciliation';
/** How long the last comparison may take. */
const LAST_MS = 10 * 60_000;

/** The product's own workflow that compares what has ended with what the bank shows, pass after pass. */
export class Comparison {
  private readonly world: World;

  constructor(world: World) {
    this.world = world;
  }

  start(): void {
    if (this.world.isReconciled) this.world.cluster.start('reconciliation', ID, {});
  }

  /** One more pass, over all that has happened; returns when it began, undefined when it has not ended in time. */
  async last(advance: (ms: number) => Promise<void>): Promise<number | undefined> {
    const { world } = this;
    if (!world.isReconciled) return undefined;
    const began = world.time.now;
    let isOver = false;
    const id = `${ID}-last`;
    world.whenClosed(id, () => {
      isOver = true;
    });
    world.cluster.start('reconciliation', id, { once: true });
    for (let waited = 0; !isOver && waited < LAST_MS; waited += 10_000) await advance(10_000);
    return isOver ? began : undefined;
  }
}
