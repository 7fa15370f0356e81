import { claimRows } from '../claimed-rows.ts';
import { People } from '../people.ts';
import { copyOfStore, openSimStore } from '../sim-store.ts';
import type { Product, World } from '../world.ts';
import { Comparison } from './comparison.ts';

/** Somebody goes on with a copy of a stopped home beside the original, or takes the same documents from another folder. */
export class SecondHome {
  /** Homes taken up by somebody who cannot know what was sent meanwhile: by number, 0 for the first. */
  readonly resumed: { home: number; from: number }[] = [];
  private readonly world: World;
  private readonly product: Product;

  constructor(world: World, product: Product) {
    this.world = world;
    this.product = product;
  }

  start(): void {
    const { worlds, time, rare } = this.world;
    if (worlds.hazards.has('copied-home'))
      time.after(rare.pick([rare.between(500, 30_000), rare.between(5_000, 300_000)]), () => this.copy());
    if (worlds.hazards.has('second-folder')) time.after(rare.between(5_000, 300_000), () => void this.openFolder());
  }

  private copy(): void {
    const { cluster, time, stores, trace, rare } = this.world;
    if (this.world.isCalm) return;
    const [sim] = stores;
    const moment = cluster.moment();
    if (sim === undefined || moment === undefined) {
      time.after(500, () => this.copy());
      return;
    }
    this.world.fired('copied home');
    trace.note('the home is stopped and copied');
    for (const process of cluster.processes) process.kill();
    const bytes = sim.database.serialize();
    const [upAt, copyUpAt] = [time.now + rare.between(1_000, 20_000), time.now + rare.between(5_000, 480_000)];
    this.resumed.push({ home: 0, from: upAt }, { home: 1, from: copyUpAt });
    time.after(upAt - time.now, () => void this.world.startProcess());
    time.expect(copyUpAt - time.now, () => {
      void copyOfStore(this.product, bytes).then((store) => {
        const other = this.world.beside(store);
        other.cluster.take(moment);
        this.begin(other);
      });
    });
  }

  private async openFolder(): Promise<void> {
    const { world, product } = this;
    const { time, random } = world;
    if (world.isCalm) return;
    world.fired('second folder');
    world.trace.note('the same documents are taken from another folder');
    this.resumed.push({ home: 1, from: time.now });
    const other = world.beside(await openSimStore(product), ({ accepted }) => accepted.generation === 0);
    await claimRows(other, product);
    for (const payout of other.payouts) time.after(random.between(0, 20_000), () => other.startPayout(payout));
    new Comparison(other).start();
    this.begin(other);
  }

  private begin(other: World): void {
    void other.startProcess();
    new People(other).start();
  }
}
