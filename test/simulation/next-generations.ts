import { expectedReference } from '../support/checker/references.ts';
import { nextGeneration, type PlannedPayout } from './scenario.ts';
import type { World } from './world.ts';

/** Times one document is asked for again, where the bank changes its mind. */
const GENERATIONS_MAX = 2;
const UNPAID: ReadonlySet<string> = new Set(['failed', 'rejected', 'cancelled']);

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

  /** Where the bank changes its mind people ask long after an end as well. */
  whenEnded(workflowId: string): void {
    const { worlds, payouts, rare, time } = this.world;
    const payout = payouts.find((it) => it.workflowId === workflowId);
    if (!worlds.generations || worlds.hazards.size === 0 || payout === undefined) return;
    for (let asks = rare.between(0, 2); asks > 0; asks -= 1) {
      time.expect(rare.spell(240_000), () => void this.askIfUnpaid(payout));
    }
  }

  private again(): void {
    const { time, random, payouts } = this.world;
    time.after(random.spell(60_000), () => {
      void this.adopt();
      if (this.world.isCalm) return;
      const payout = random.pick(payouts);
      if (this.world.worlds.hazards.size > 0) void this.askWithBought(payout);
      else this.ask(payout);
      this.again();
    });
  }

  private async askIfUnpaid(payout: PlannedPayout): Promise<void> {
    const row = await this.world.row(payout.reference);
    if (row !== undefined && UNPAID.has(row.state)) await this.askWithBought(payout);
  }

  /** A retry after an exchange pays from the account that holds what was bought. */
  private async askWithBought(payout: PlannedPayout): Promise<void> {
    const { accepted } = payout;
    const store = await this.world.home(payout.reference);
    const references = Array.from({ length: accepted.generation + 1 }, (_, generation) =>
      expectedReference({ ...accepted, generation }, 'payment'),
    );
    const isBought = (await store.bookedExchangesOf(references)).length > 0;
    this.ask(payout, isBought ? `${accepted.uid}-${accepted.currency}` : undefined);
  }

  private ask(payout: PlannedPayout, from?: string): void {
    const most = this.world.worlds.hazards.size > 0 ? GENERATIONS_MAX : 1;
    if (payout.accepted.generation >= most || payout.accepted.kind === 'exchange') return;
    const before = this.asked.get(payout.reference);
    if (before !== undefined && (this.isTaken(before) || this.world.cluster.isOpen(before.workflowId))) return;
    const next = before === undefined || from !== undefined ? nextGeneration(payout, from) : before;
    this.asked.set(payout.reference, next);
    this.world.fired('next generation');
    next.accepted.askedAt = this.world.time.now;
    this.world.startPayout(next);
    this.world.time.after(2_000, () => void this.adopt());
  }

  private isTaken(next: PlannedPayout): boolean {
    return this.world.payouts.some(({ reference }) => reference === next.reference);
  }

  /** Those that the store has are accepted. */
  async adopt(): Promise<void> {
    for (const next of this.asked.values()) {
      if (this.isTaken(next) || (await this.world.row(next.reference)) === undefined) continue;
      if (this.isTaken(next)) continue;
      this.world.fired('next generation taken');
      this.world.take(next);
    }
  }
}
