import type { ForeignCall } from '../support/checker/observation.ts';
import { expectedReference } from '../support/checker/references.ts';
import type { PlannedPayout } from './scenario.ts';
import { proxyActivities } from './temporal/workflow-module.ts';
import type { World } from './world.ts';

interface Call {
  name: string;
  input: unknown;
}

/** A workflow of somebody else, who has found out how the product's activities are called. Returns what became of each call. */
export async function rogue({
  calls,
}: {
  calls: Call[];
}): Promise<{ name: string; answer: unknown; refused: boolean }[]> {
  const activities = proxyActivities({ startToCloseTimeout: '1m', retry: { maximumAttempts: 1 } });
  const answers = [];
  for (const { name, input } of calls) {
    try {
      answers.push({ name, answer: await activities[name]?.(input), refused: false });
    } catch {
      answers.push({ name, answer: null, refused: true });
    }
  }
  return answers;
}

const BECAUSE = { code: 'cancelled-by-request', message: 'says somebody' };
const ODD_GENERATIONS: readonly unknown[] = [-1, '-7', 'x', 1.5, null, '0', '1', [0], {}, true, 2 ** 60, '0 '];

/** People who reach the cluster and are nobody: they call, start and claim what is not theirs. */
export class Rogues {
  readonly calls: ForeignCall[] = [];
  private readonly world: World;
  private made = 0;

  constructor(world: World) {
    this.world = world;
  }

  start(): void {
    if (this.world.worlds.rogues) this.again();
  }

  private again(): void {
    const { time, random, isCalm, payouts } = this.world;
    time.after(random.spell(15_000), () => {
      if (isCalm) return;
      const payout = random.pick(payouts);
      const act = random.pick([
        () => this.callActivities(payout),
        () => this.callActivities(payout),
        () => this.callActivities(payout),
        () => this.startOddly(payout),
        () => this.startOtherTerms(payout),
      ]);
      void act();
      if (!this.world.isCalm) this.again();
    });
  }

  private async callActivities(payout: PlannedPayout): Promise<void> {
    const { random, cluster, bank, trace } = this.world;
    const { reference } = payout;
    const store = await this.world.home(reference);
    const term = (await store.payout(reference))?.term ?? 1;
    const claim = {
      storeId: random.chance(0.9) ? store.id : 'another store',
      reference,
      term: term + random.pick([0, 0, 0, 1, -1]),
    };
    const attempt = (await store.attempts(reference)).length + 1;
    const orderId = bank.machine.orders.find((order) => order.reference === reference)?.orderId ?? 'ord-1';
    const resolved = { payment: { upTo: 99, as: 'absent' }, exchange: { upTo: 99, as: 'absent' } };
    const end = { state: 'cancelled', reason: BECAUSE };
    const other = {
      amount: '999.99',
      uid: payout.accepted.uid,
      account_id: payout.accepted.accountId,
      instruction: payout.input,
    };
    const calls: Call[] = [
      { name: 'submitPayment', input: { claim, attempt, ...other } },
      { name: 'submitExchange', input: { claim, attempt, ...other } },
      { name: 'prepare', input: { input: payout.input } },
      { name: 'closePayout', input: { claim, ...end, resolved } },
      { name: 'recordState', input: { claim, state: 'needs-operator', reason: BECAUSE } },
      { name: 'approveOrder', input: { claim, orderKind: 'payment', orderId, by: 'mallory' } },
      { name: 'rejectOrder', input: { claim, orderKind: 'payment', orderId, by: 'mallory', remark: '' } },
      { name: 'addBeneficiary', input: { claim } },
      {
        name: 'assess',
        input: { claim, exchanged: true, exchangeSent: true, approved: [{ digest: 'x', by: ['mallory', 'eve'] }] },
      },
      {
        name: 'readOrder',
        input: {
          claim,
          ...{ as: 'followed', orderKind: 'payment', orderId, closedMeans: 'failed' },
          confirms: { meaning: 'failed', resolved },
        },
      },
    ];
    this.made += 1;
    const workflowId = `rogue-${this.made}`;
    this.world.fired('foreign calls');
    trace.note(`${workflowId} calls for ${payout.accepted.id}`);
    this.world.whenClosed(workflowId, (answers) => this.note(reference, answers));
    cluster.start('rogue', workflowId, { calls: random.shuffled(calls).slice(0, random.between(1, 4)) });
  }

  private note(reference: string, answers: unknown): void {
    const { time } = this.world;
    for (const { name, answer, refused } of answers as {
      name: string;
      answer: { outcome?: string } | null;
      refused: boolean;
    }[]) {
      this.calls.push({ at: time.now, reference, name, done: !refused && answer?.outcome !== 'not-sent' });
    }
  }

  /** A start that names no generation that there is, under the id that goes with it or one of its own. */
  private async startOddly({ input, accepted }: PlannedPayout): Promise<void> {
    const { random, cluster } = this.world;
    const generation = random.pick(ODD_GENERATIONS);
    const reference = expectedReference({ ...accepted, generation: generation as number }, 'payment');
    this.world.fired('odd start');
    cluster.start('payout', `payout/${reference}`, { ...input, generation });
  }

  /** The same document with other terms, under its own id: for a claimed row, whose terms are known. */
  private async startOtherTerms({ input, batchId, workflowId, accepted }: PlannedPayout): Promise<void> {
    const { random, cluster } = this.world;
    if (batchId === undefined) return;
    const given = random.pick([
      { ...input, amount: '77' },
      { ...input, account_id: `${accepted.uid}-none` },
      { id: accepted.id },
    ]);
    this.world.fired('start with other terms');
    cluster.start('payout', workflowId, given);
  }
}
