import { StoreCopy } from '../sim-store.ts';
import type { ClusterMoment } from '../temporal/cluster.ts';
import type { World } from '../world.ts';

const MOMENTS_MAX = 12;

/** One machine that goes back to an earlier moment with its store and its Temporal, once, and nobody says so. */
export class Rollback {
  /** When it went back, epoch ms. */
  readonly at: number[] = [];
  private readonly world: World;
  private readonly moments: { copy: StoreCopy; cluster: ClusterMoment; undo: () => void }[] = [];

  constructor(world: World) {
    this.world = world;
  }

  start(): void {
    if (this.world.worlds.hazards.has('rollback')) this.keepAgain();
  }

  whenPerformed(activity: string): void {
    const { random, time } = this.world;
    if (this.moments.length === 0 || this.isOver || !/^submit/.test(activity) || !random.chance(0.3)) return;
    time.after(random.pick([random.between(5, 4_000), random.between(20_000, 300_000)]), () => this.goBack());
  }

  private get isOver(): boolean {
    return this.world.isCalm || this.at.length > 0;
  }

  private keepAgain(): void {
    const { time, random, cluster, stores } = this.world;
    if (this.isOver) return;
    const moment = cluster.moment();
    const [sim] = stores;
    if (moment !== undefined && sim !== undefined) {
      this.moments.unshift({ copy: new StoreCopy(sim.database), cluster: moment, undo: this.world.machine.kept() });
      this.moments.splice(MOMENTS_MAX);
    }
    time.after(moment === undefined ? 500 : random.spell(20_000), () => this.keepAgain());
  }

  private goBack(): void {
    const { world } = this;
    const { random, time, cluster, olderCopies, payouts } = world;
    const [sim] = world.stores;
    if (this.isOver || sim === undefined) return;
    const { copy, cluster: moment, undo } = random.pick(this.moments);
    const started = payouts.filter(({ workflowId }) => cluster.executions.has(workflowId));
    for (const process of cluster.processes) process.kill();
    olderCopies.forget(new StoreCopy(sim.database), copy);
    copy.putInPlace(sim.database);
    cluster.goBack(moment);
    // A snapshot of the whole machine, or of the home alone.
    if (world.rare.chance(0.5)) undo();
    world.fired('rollback');
    world.trace.note('store and cluster go back to an earlier moment');
    this.at.push(time.now);
    olderCopies.restoredAt.push(time.now);
    world.whenRestored();
    // The starter of what is gone starts it again.
    for (const payout of started) {
      if (!cluster.executions.has(payout.workflowId)) time.after(random.spell(20_000), () => world.startPayout(payout));
    }
    for (let i = random.between(1, 2); i > 0; i -= 1)
      time.after(random.between(2_000, 120_000), () => void world.startProcess());
  }
}
