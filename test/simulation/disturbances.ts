import type { Interruption } from '../checker/observation.ts';
import { decimalText } from './bank/books.ts';
import type { OtherFault } from './bank/faults.ts';
import { itemsOf } from './bank/payees.ts';
import type { PlannedPayout } from './scenario.ts';
import type { Execution } from './temporal/execution.ts';
import type { WorkerProcess } from './temporal/worker-process.ts';
import type { World } from './world.ts';

const ENDS: ReadonlySet<string> = new Set(['completed', 'failed', 'rejected', 'cancelled']);
/** Orders of other people come until the bank has this many: more would only cost time. */
const ORDERS_MAX = 30;
/** Activities whose worker stands still while its run is reset, and how often. */
const STANDING: Readonly<Record<string, number>> = {
  recordState: 0.15,
  closePayout: 0.15,
  readOrder: 0.03,
  submitPayment: 0.1,
  submitExchange: 0.1,
};
const FEES = ['0.5', '1.25', '2', '3.5', '7'] as const;

/** What happens around the payouts: workers die and stand still, runs are dropped, and the bank changes under them. */
export class Disturbances {
  readonly interruptions: Interruption[] = [];
  crashes = 0;
  resets = 0;
  /** Workers that stand still with something of a run that was reset. */
  private readonly standing = new Map<string, WorkerProcess>();
  private readonly world: World;

  constructor(world: World) {
    this.world = world;
  }

  start(): void {
    const { random } = this.world;
    this.now('crash', 120_000, () => this.crash('kill'));
    this.now('pause', 120_000, () => this.crash('pause'));
    this.now('reset', 240_000, () => this.interrupt('reset'));
    this.now('terminate', 240_000, () => this.interrupt('terminated'));
    const { foreignEveryMs } = this.world.bank.profile;
    if (foreignEveryMs > 0) this.every(foreignEveryMs, () => this.foreignOrder());
    for (const currency of ['USD', 'EUR', 'JPY', 'KWD']) this.setFee(currency);
    const changes = [
      () => this.setFee(random.pick(['USD', 'EUR', 'JPY', 'KWD'])),
      () => this.world.bank.moveRate(random.pick(['EUR', 'JPY', 'KWD']), random.between(-20, 20)),
      () => this.changePayee(),
      () => this.freeze(),
      () => this.deposit(random.between(1, 400_000)),
    ];
    for (const change of changes) if (random.chance(0.4)) this.every(random.between(20_000, 400_000), change);
  }

  /** From now on the bank is well: money is there and nothing is frozen. */
  calm(): void {
    for (const account of this.world.bank.books.all()) account.frozen = false;
    this.deposit(900_000_000);
  }

  /** A fault that is on in this seed, again and again around `mean`. */
  private now(kind: OtherFault, mean: number, work: () => void): void {
    const rate = this.world.faults.other.get(kind);
    if (rate === undefined) return;
    this.every(mean / (0.2 + rate), work);
  }

  private every(mean: number, work: () => void): void {
    const { time, random } = this.world;
    time.after(random.spell(mean), () => {
      if (this.world.isCalm) return;
      work();
      this.every(mean, work);
    });
  }

  /** A dead worker is replaced; a paused one, too, and goes on later as if nothing had been. */
  private crash(how: 'kill' | 'pause'): void {
    const { cluster, random, time, trace } = this.world;
    const alive = cluster.processes.filter(({ isAlive }) => isAlive);
    if (alive.length === 0) return;
    this.world.fired(how);
    const process: WorkerProcess = random.pick(alive);
    trace.note(`${process.name}: ${how}`);
    if (how === 'kill') {
      this.crashes += 1;
      process.kill();
    } else {
      this.standFor(process, random.pick([2_000, 20_000, 90_000, 400_000]) + random.between(0, 10_000));
    }
    time.after(random.spell(8_000), () => void this.world.startProcess());
  }

  private standFor(process: WorkerProcess, ms: number): void {
    const { cluster, time, trace } = this.world;
    process.pause();
    time.after(ms, () => {
      trace.note(`${process.name} goes on`);
      process.resume();
      // One worker too many: it ends once what it had in hand is done.
      time.after(60_000, () => {
        if (cluster.processes.filter((other) => other.isAlive).length > 2) process.kill();
      });
    });
  }

  /** A worker stands still between the first lines of a send and its first byte. */
  private standBeforeBytes(process: WorkerProcess): void {
    const { faults, random, time } = this.world;
    if (!random.chance((faults.other.get('pause') ?? 0) * 0.2)) return;
    time.after(random.between(1, 20), () => {
      if (!process.isAlive) return;
      this.world.fired('pause');
      this.standFor(process, random.pick([4_000, 8_000, 60_000, 400_000]));
      void this.world.startProcess();
    });
  }

  /**
   * The run is reset while a process is about to send, or to store what the run has found, and stands still: what it does
   * in the end is of a run that is no more.
   */
  whenPerformed({ start }: Execution, activity: string, process: WorkerProcess): void {
    const { faults, random, time, isCalm } = this.world;
    const { workflowId } = start;
    // What it has in hand is done right before the new run does the same.
    const isSend = /^submit(Payment|Exchange) /.test(activity);
    if (isSend) this.goOn(workflowId);
    if (isSend && !isCalm) this.standBeforeBytes(process);
    const rate = faults.other.get('reset');
    const share = this.shareOf(activity);
    if (isCalm || rate === undefined || share === undefined || !random.chance(rate * share)) return;
    time.after(random.between(1, 8), () => this.resetStanding(workflowId, process));
    time.after(random.pick([200, 1_000, 5_000, 60_000]), () => this.goOn(workflowId));
  }

  /** How often the worker of an activity stands still while its run is reset; undefined: never. */
  private shareOf(activity: string): number | undefined {
    return STANDING[activity.split(' ')[0] ?? ''];
  }

  private resetStanding(workflowId: string, process: WorkerProcess): void {
    const { cluster, payouts } = this.world;
    const payout = payouts.find((it) => it.workflowId === workflowId);
    if (payout === undefined || !cluster.isOpen(workflowId)) return;
    this.world.fired('reset of a standing worker');
    this.resets += 1;
    process.pause();
    this.standing.set(workflowId, process);
    cluster.reset(workflowId);
    this.noteInterruption(payout, 'reset');
    void this.world.startProcess();
  }

  private goOn(workflowId: string): void {
    const process = this.standing.get(workflowId);
    if (process === undefined) return;
    this.standing.delete(workflowId);
    this.world.trace.note(`${process.name} goes on`);
    process.resume();
  }

  private interrupt(kind: 'reset' | 'terminated'): void {
    const { payouts, random, cluster, trace } = this.world;
    if (!payouts.some(({ workflowId }) => cluster.isOpen(workflowId))) return;
    const payout = random.pick(payouts.filter(({ workflowId }) => cluster.isOpen(workflowId)));
    this.world.fired(kind);
    trace.note(`payout ${payout.accepted.id}: ${kind}`);
    if (kind === 'reset') {
      this.resets += 1;
      cluster.reset(payout.workflowId);
    } else {
      cluster.terminate(payout.workflowId);
      this.startAgain(payout);
    }
    this.noteInterruption(payout, kind);
  }

  private noteInterruption({ reference }: PlannedPayout, kind: Interruption['kind']): void {
    const { store, time } = this.world;
    void store.payout(reference).then((row) => {
      const whileParked = row?.state === 'needs-operator';
      this.interruptions.push({ at: time.now, reference, kind, whileParked });
    });
  }

  /** Somebody starts a terminated payout again, at times after a batch has noticed that it is gone. */
  private startAgain(payout: PlannedPayout): void {
    const { time, random, store, trace } = this.world;
    const { reference } = payout;
    const isNoticed = random.chance(0.4);
    time.after(random.spell(60_000), () => {
      void store.payout(reference).then(async (row) => {
        if (row !== undefined && ENDS.has(row.state)) return;
        if (isNoticed && row !== undefined) {
          trace.note(`payout ${payout.accepted.id} is noticed to be closed`);
          const reason = { code: 'workflow-closed', message: 'the workflow was closed before the payout had an end' };
          await store.changePayout(reference, { state: 'needs-operator', reason, at: time.now });
          this.interruptions.push({ at: time.now, reference, kind: 'terminated', whileParked: true });
        }
        this.world.startPayout(payout);
      });
    });
  }

  private setFee(currency: string): void {
    const { bank, random } = this.world;
    const fee = currency === 'JPY' ? String(random.between(1, 9)) : random.pick(FEES);
    bank.setFee(currency, fee, random.chance(0.8) ? currency : 'USD');
  }

  private changePayee(): void {
    const { bank, random, payouts, time, trace } = this.world;
    const payee = random.pick(bank.payees.ofUser(random.pick(payouts).accepted.uid));
    const before = itemsOf(payee).account_no ?? '';
    const account_no = before.endsWith('9') ? before.slice(0, -1) : `${before}9`;
    trace.note(`bank: payee ${payee.id} is changed`);
    bank.payees.change(payee, { account_no }, time.now);
  }

  private freeze(): void {
    const { bank, random, time } = this.world;
    const account = random.pick(bank.books.all());
    account.frozen = true;
    time.after(random.spell(60_000), () => {
      account.frozen = false;
    });
  }

  private deposit(minor: number): void {
    const { bank, time } = this.world;
    for (const account of bank.books.all())
      bank.books.credit(account.accountId, 'deposit', BigInt(minor), null, time.now);
  }

  private foreignOrder(): void {
    const { bank, random } = this.world;
    if (bank.machine.orders.length >= ORDERS_MAX) return;
    const { accountId, uid, currency } = random.pick(bank.books.all());
    const reference = random.pick([null, 'FOREIGN-1', decimalText(BigInt(random.between(1, 999)), 'JPY')]);
    bank.machine.note({
      reference,
      type: 'PAYMENT',
      direct: 'OUT',
      uid,
      accountId,
      currency,
      amount: BigInt(random.between(1, 9_999)),
    });
  }
}
