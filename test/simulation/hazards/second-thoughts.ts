import { expectedReference } from '../../support/checker/references.ts';
import { decimalText } from '../bank/books.ts';
import { type Order, statusOf } from '../bank/orders.ts';
import type { PlannedPayout } from '../scenario.ts';
import type { World } from '../world.ts';

const REPAIRED: ReadonlySet<string> = new Set(['FAILED', 'REJECTED']);

/** Once a payout has ended the bank repairs its orders that took no money, and shows others than those that it has completed. */
export class SecondThoughts {
  private readonly world: World;

  constructor(world: World) {
    this.world = world;
  }

  whenEnded(workflowId: string): void {
    const { hazards } = this.world.worlds;
    const payout = this.world.payouts.find((it) => it.workflowId === workflowId);
    if (payout === undefined) return;
    if (hazards.has('repairs')) this.repairSoon(payout);
    if (hazards.has('drift')) this.driftSoon(payout);
  }

  private repairSoon(payout: PlannedPayout): void {
    const { random, time, bank } = this.world;
    const failed = this.ordersOf(payout).filter((order) => REPAIRED.has(statusOf(order) ?? ''));
    for (const order of failed) {
      if (!random.chance(0.7)) continue;
      const leastMs = this.world.settings.terms.waits.noMoneyRecheckMs;
      time.expect(leastMs + random.spell(120_000), () => {
        const how = random.pick(['completes', 'reissued'] as const);
        if (bank.machine.repair(order, how)) this.world.fired(`repaired, ${how}`);
      });
    }
  }

  private driftSoon(payout: PlannedPayout): void {
    const { random, time } = this.world;
    const completed = this.ordersOf(payout).filter((order) => statusOf(order) === 'COMPLETED');
    for (const order of completed) {
      if (random.chance(0.6)) time.expect(random.spell(200_000), () => this.drift(order, payout));
    }
  }

  private drift(order: Order, { instruction }: PlannedPayout): void {
    const { random, time, settings } = this.world;
    const hasCap = order.type === 'PAYMENT' && (instruction.fee_cap ?? settings.terms.feeCap) !== undefined;
    const field = random.pick(hasCap ? (['amount', 'account', 'fee'] as const) : (['amount', 'account'] as const));
    const value = { amount: decimalText(order.amount + 100n, order.currency), account: 'elsewhere', fee: '99' }[field];
    order.drift = { at: time.now, field, value };
    this.world.fired(`drift of the ${field}`);
  }

  private ordersOf({ accepted }: PlannedPayout): Order[] {
    const own = [expectedReference(accepted, 'payment'), expectedReference(accepted, 'exchange')];
    return this.world.bank.machine.orders.filter(({ asked }) => asked !== undefined && own.includes(asked.reference));
  }
}
