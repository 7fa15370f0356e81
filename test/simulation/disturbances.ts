import { sameAmount } from '../support/checker/decimals.ts';
import type { Interruption } from '../support/checker/observation.ts';
import { decimalText } from './bank/books.ts';
import type { OtherFault } from './bank/faults.ts';
import { itemsOf } from './bank/payees.ts';
import { Resets } from './resets.ts';
import type { PlannedPayout } from './scenario.ts';
import type { Execution } from './temporal/execution.ts';
import type { WorkerProcess } from './temporal/worker-process.ts';
import type { World } from './world.ts';

const ENDS: ReadonlySet<string> = new Set(['completed', 'failed', 'rejected', 'cancelled']);
/** Orders of other people come until the bank has this many: more would only cost time. */
const ORDERS_MAX = 30;
/** When the server ends the task of a send. */
const SEND_MS = 45_000;
const FEES = ['0.5', '1.25', '2', '3.5', '7'] as const;

/** What happens around the payouts: workers die and pause, runs are dropped, and the bank changes under them. */
export class Disturbances {
  readonly interruptions: Interruption[] = [];
  crashes = 0;
  private readonly runs: Resets;
  private readonly world: World;

  constructor(world: World) {
    this.world = world;
    this.runs = new Resets(world, (payout) => this.noteInterruption(payout, 'reset'));
  }

  get resets(): number {
    return this.runs.count;
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
      this.pauseFor(process, random.pick([2_000, 20_000, 90_000, 400_000]) + random.between(0, 10_000));
    }
    time.after(random.spell(8_000), () => void this.world.startProcess());
  }

  /** Pauses for so long, or until it is resumed. */
  pauseFor(process: WorkerProcess, ms: number): void {
    const { time, trace } = this.world;
    process.pause();
    time.after(ms, () => {
      trace.note(`${process.name} goes on`);
      process.resume();
      // One worker too many: it ends once what it had in hand is done.
      time.after(60_000, () => {
        if (this.world.isSpare(process)) process.kill();
      });
    });
  }

  /**
   * A worker pauses between the task of a send and its first line: until the workflow was notified long ago that it is over.
   */
  whenTaken(process: WorkerProcess, activity: string): void {
    const { faults, random } = this.world;
    if (this.world.isCalm || !/^(?:submit|approveOrder|rejectOrder|addBeneficiary)/.test(activity)) return;
    if (!random.chance((faults.other.get('pause') ?? 0) * 0.5)) return;
    this.world.fired('pause');
    this.world.trace.note(`${process.name}: pauses with ${activity} in hand`);
    const { lateCommitMs, listLagMs } = this.world.settings.terms.waits;
    const windowMs = lateCommitMs + listLagMs;
    this.pauseFor(process, random.pick([20_000, SEND_MS, SEND_MS]) + random.between(0, windowMs * 2));
    void this.world.startProcess();
  }

  whenPerformed({ start }: Execution, activity: string, process: WorkerProcess): void {
    if (/^submit/.test(activity) && !this.world.isCalm) {
      this.standInSend(process);
      this.setClockRight();
    }
    this.runs.whenPerformed(start.workflowId, activity, process);
  }

  /** What the order's record shows of its time is then another time than anybody measures. */
  private setClockRight(): void {
    const { worlds, random, time, bank, trace } = this.world;
    if (!worlds.clockSetRight || Number.isFinite(bank.profile.clockRightFrom) || !random.chance(0.5)) return;
    time.after(random.between(1, 400), () => {
      bank.profile.clockRightFrom = Math.min(bank.profile.clockRightFrom, time.now);
      trace.note('bank: the clock is set right');
      this.world.fired('clock set right');
    });
  }

  /**
   * A worker pauses between the first lines of a send and its first byte, or between the answer and what it writes last.
   */
  private standInSend(process: WorkerProcess): void {
    const { faults, random, time } = this.world;
    if (!random.chance((faults.other.get('pause') ?? 0) * 0.3)) return;
    time.after(random.chance(0.5) ? random.between(1, 20) : random.between(20, 200), () => {
      if (!process.isAlive) return;
      this.world.fired('pause');
      this.pauseFor(process, random.pick([random.between(0, 5_000), 4_000, 8_000, 60_000, 400_000]));
      void this.world.startProcess();
    });
  }

  /**
   * After an older copy was put in place some runs begin anew: what they know of what was sent comes from it. Those of which it has
   * forgotten an attempt begin soon, while nothing says that their orders have to be looked for.
   */
  whenRestored(): void {
    const { payouts, random, time, cluster, olderCopies } = this.world;
    const forgotten = new Set(olderCopies.forgottenAttempts.map(({ reference }) => reference));
    for (const payout of payouts) {
      const isForgotten = forgotten.has(payout.reference);
      if (!isForgotten && !random.chance(0.5)) continue;
      time.after(random.spell(isForgotten ? 3_000 : 20_000), () => {
        if (cluster.isOpen(payout.workflowId) && this.world.mayStartAnew(payout)) this.runs.reset(payout);
      });
    }
  }

  private interrupt(kind: 'reset' | 'terminated'): void {
    const { payouts, random, cluster, trace } = this.world;
    const open = payouts.filter(({ workflowId }) => cluster.isOpen(workflowId));
    const able = kind === 'terminated' ? open.filter((payout) => this.world.mayStartAnew(payout)) : open;
    // A run that has ended can be reset, too.
    const closed = payouts.filter(({ workflowId }) => cluster.executions.has(workflowId));
    const from = kind === 'reset' && random.chance(0.1) ? closed : able;
    if (from.length === 0) return;
    const payout = random.pick(from);
    if (kind === 'reset') {
      if (this.runs.reset(payout)) this.world.fired(kind);
      return;
    }
    this.world.fired(kind);
    trace.note(`payout ${payout.accepted.id}: ${kind}`);
    cluster.terminate(payout.workflowId);
    this.startAgain(payout);
    this.noteInterruption(payout, kind);
  }

  private noteInterruption({ reference }: PlannedPayout, kind: Interruption['kind']): void {
    const { time } = this.world;
    void this.world.row(reference).then((row) => {
      const whileParked = row?.state === 'needs-operator';
      this.interruptions.push({ at: time.now, reference, kind, whileParked });
    });
  }

  /** Somebody starts a terminated payout again, at times after a batch has noticed that it is gone. */
  private startAgain(payout: PlannedPayout): void {
    const { time, random, trace, worlds } = this.world;
    const { reference } = payout;
    if (worlds.passes) {
      this.startUnclaimed(payout);
      return;
    }
    const isNoticed = random.chance(0.4);
    time.after(random.spell(60_000), () => {
      void this.world.home(reference).then(async (store) => {
        const row = await store.payout(reference);
        if (row !== undefined && ENDS.has(row.state)) return;
        if (isNoticed && row !== undefined) {
          trace.note(`payout ${payout.accepted.id} is noticed to be closed`);
          const reason = { code: 'workflow-closed', message: 'the workflow was closed before the payout ended' };
          await store.changePayout(reference, { state: 'needs-operator', reason, at: time.now });
          this.interruptions.push({ at: time.now, reference, kind: 'terminated', whileParked: true });
        }
        this.world.startPayout(payout);
      });
    });
  }

  /** A pass sees to what was released. What was closed before it claimed anything, only who started it can start again. */
  private startUnclaimed(payout: PlannedPayout): void {
    const { world } = this;
    world.time.after(60_000, () => {
      void world.row(payout.reference).then((row) => {
        if (row === undefined || row.releasedAt === null) world.startPayout(payout);
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
    const { bank, random, payouts } = this.world;
    if (bank.machine.orders.length >= ORDERS_MAX) return;
    const { accountId, uid, currency } = random.pick(bank.books.all());
    const reference = random.pick([null, 'FOREIGN-1', decimalText(BigInt(random.between(1, 999)), 'JPY')]);
    const amount = BigInt(random.between(1, 9_999));
    const isLikeOurs = payouts.some(({ instruction }) => sameAmount(instruction.amount, decimalText(amount, currency)));
    // One for the same money that shows no reference may be ours for all that anybody can see: people are asked, and rightly.
    bank.machine.note({
      ...{ reference, type: 'PAYMENT', direct: 'OUT', uid, accountId, currency },
      amount: isLikeOurs ? amount + 1n : amount,
    });
  }
}
