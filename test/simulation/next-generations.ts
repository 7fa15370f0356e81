import { nextGeneration, type PlannedPayout } from './scenario.ts';
import type { World } from './world.ts';

/**
 * People who pay a document again under the next generation, at any time. The product takes it only where the generation before
 * took no money; one that it has taken is a payout like any other from then on.
 */
export class NextGenerations {
  private readonly world: World;
  private readonly asked = new Map<string, PlannedPayout>();

  constructor(world: World) {
    this.world = world;
  }

  start(): void {
    if (this.world.worlds.generations) this.again();
  }

  private again(): void {
    const { time, random, payouts } = this.world;
    time.after(random.spell(60_000), () => {
      void this.adopt();
      if (this.world.isCalm) return;
      this.ask(random.pick(payouts));
      this.again();
    });
  }

  private ask(payout: PlannedPayout): void {
    if (payout.accepted.generation > 0) return;
    const next = this.asked.get(payout.reference) ?? nextGeneration(payout);
    this.asked.set(payout.reference, next);
    if (this.world.payouts.includes(next) || this.world.cluster.isOpen(next.workflowId)) return;
    this.world.fired('next generation');
    this.world.startPayout(next);
    this.world.time.after(2_000, () => void this.adopt());
  }

  /** Those that the store has are accepted. */
  async adopt(): Promise<void> {
    for (const next of this.asked.values()) {
      if (this.world.payouts.includes(next) || (await this.world.row(next.reference)) === undefined) continue;
      if (this.world.payouts.includes(next)) continue;
      this.world.fired('next generation taken');
      this.world.take(next);
    }
  }
}
