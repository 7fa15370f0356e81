import { statusOf } from './bank/orders.ts';
import { type AskedQuestion, viewOf } from './payout-view.ts';
import type { People } from './people.ts';
import type { PlannedPayout } from './scenario.ts';
import type { World } from './world.ts';

const APPROVERS = ['alice', 'bob', 'carol'] as const;
/** How long a moment is: a message is on its way for longer, and a read of the bank as well. */
const MOMENT_MS = 30;

/** Many who act in one moment about one question, in an order that is drawn: first come, first served. */
export class AtOnce {
  private readonly world: World;
  private readonly people: People;

  constructor(world: World, people: People) {
    this.world = world;
    this.people = people;
  }

  start(): void {
    this.world.whenAsked = (payout, awaited) => this.expect(payout, awaited);
  }

  /** Soon after the question, or when it is about to end. */
  private expect(payout: PlannedPayout, { expiresAt }: AskedQuestion): void {
    const { time, random, isCalm } = this.world;
    if (isCalm) return;
    const left = expiresAt === null ? 0 : Date.parse(expiresAt) - time.now;
    const inMs = left > 0 && random.chance(0.3) ? left - random.between(0, MOMENT_MS) : random.between(0, 4_000);
    time.after(Math.max(1, inMs), () => this.moment(payout));
  }

  private moment(payout: PlannedPayout): void {
    const { world, people } = this;
    const { random, time, cluster } = world;
    const execution = cluster.open(payout.workflowId);
    if (execution === undefined) return;
    const view = viewOf(execution);
    const { awaited } = view;
    if (awaited === null) return;
    const acts: readonly [name: string, share: number, act: () => void][] = [
      ...APPROVERS.map((by) => {
        const approve = () => people.say(payout, view, awaited, { by, decision: 'approve' });
        return ['approve', 0.7, approve] as [string, number, () => void];
      }),
      ['reject', 0.5, () => people.say(payout, view, awaited, { by: 'dave', decision: 'reject' })],
      ['cancel', 0.3, () => people.cancel(payout)],
      ['payee changed', 0.3, () => world.changePayee(payout)],
      ['fee changed', 0.2, () => world.bank.setFee(payout.accepted.currency, '2', payout.accepted.currency)],
      ['decided at the bank', 0.5, () => this.decideAtBank(payout)],
    ];
    const drawn = acts.filter(([, share]) => random.chance(share));
    if (drawn.length < 2) return;
    world.fired(`at once, ${awaited.kind}`);
    for (const [name, , act] of random.shuffled(drawn)) {
      time.after(random.between(1, MOMENT_MS), () => {
        world.fired(`at once: ${name}`);
        act();
      });
    }
  }

  private decideAtBank({ reference }: PlannedPayout): void {
    const { bank, random } = this.world;
    const order = bank.machine.orders.find((it) => it.reference === reference && statusOf(it) === 'WAIT_FOR_AUDIT');
    if (order !== undefined) bank.machine.decide(order, random.pick(['approve', 'reject']));
  }
}
