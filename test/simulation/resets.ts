import type { Random } from './random.ts';
import type { PlannedPayout } from './scenario.ts';
import type { HistoryEvent } from './temporal/execution.ts';
import type { WorkerProcess } from './temporal/worker-process.ts';
import type { World } from './world.ts';

/** Activities whose worker pauses while its run is reset, and how often. */
const IN_FLIGHT_SHARES: Readonly<Record<string, number>> = {
  recordState: 0.15,
  closePayout: 0.15,
  readOrder: 0.03,
  submitPayment: 0.15,
  submitExchange: 0.15,
};

const SENDS: ReadonlySet<string> = new Set(['submitPayment', 'submitExchange', 'approveOrder', 'addBeneficiary']);

/** Runs that are reset, idle or while a worker pauses with what it does for them. */
export class Resets {
  count = 0;
  /** Workers that pause with something of a run that was reset. */
  private readonly inFlight = new Map<string, WorkerProcess>();
  private readonly world: World;
  private readonly note: (payout: PlannedPayout) => void;

  constructor(world: World, note: (payout: PlannedPayout) => void) {
    this.world = world;
    this.note = note;
  }

  /** False: the run must stay as it is. */
  reset(payout: PlannedPayout): boolean {
    const { cluster, random, trace } = this.world;
    const execution = cluster.executions.get(payout.workflowId);
    const least = execution === undefined ? undefined : this.world.leastReplay(payout, execution.history);
    if (execution === undefined || least === undefined) return false;
    const events = Math.max(least, drawPoint(random, execution.history));
    const messages = random.chance(0.3) ? 'dropped' : 'kept';
    this.count += 1;
    this.world.fired(`reset, messages ${messages}`);
    trace.note(`payout ${payout.accepted.id} is reset to ${events} of ${execution.history.length} events`);
    cluster.reset(payout.workflowId, { events, messages });
    this.world.forgetQuestion(payout.workflowId);
    this.note(payout);
    return true;
  }

  /**
   * The run is reset while a process is about to send, or to store what the run has found, and pauses: what it does
   * in the end is of a run that is no more.
   */
  whenPerformed(workflowId: string, activity: string, process: WorkerProcess): void {
    const { faults, random, time, isCalm } = this.world;
    const name = activity.split(' ')[0] ?? '';
    const isSend = /^submit/.test(name);
    // What it has in hand is done right before the new run does the same.
    if (isSend && random.chance(0.5)) this.goOn(workflowId);
    const rate = faults.other.get('reset');
    const share = IN_FLIGHT_SHARES[name];
    if (isCalm || rate === undefined || share === undefined || !random.chance(rate * share)) return;
    // Between the record of an attempt and its first byte, at times: within its deadline it may still send.
    time.after(random.between(1, isSend ? 25 : 8), () => this.resetInFlight(workflowId, process));
    const pausedFor = isSend ? random.between(30, 6_000) : random.pick([200, 1_000, 5_000, 60_000]);
    time.after(random.chance(0.8) ? pausedFor : 60_000, () => this.goOn(workflowId));
  }

  private resetInFlight(workflowId: string, process: WorkerProcess): void {
    const { cluster, payouts } = this.world;
    const payout = payouts.find((it) => it.workflowId === workflowId);
    if (payout === undefined || !process.isAlive || !cluster.isOpen(workflowId) || !this.reset(payout)) return;
    this.world.fired('reset of a paused worker');
    process.pause();
    this.inFlight.set(workflowId, process);
    void this.world.startProcess();
  }

  private goOn(workflowId: string): void {
    const process = this.inFlight.get(workflowId);
    if (process === undefined) return;
    this.inFlight.delete(workflowId);
    this.world.trace.note(`${process.name} goes on`);
    process.resume();
  }
}

/** From its beginning, right before something was sent, or anywhere. */
function drawPoint(random: Random, history: readonly HistoryEvent[]): number {
  const sends = history.flatMap((event, index) => (event.kind === 'settled' && SENDS.has(event.what) ? [index] : []));
  const where = random.next();
  if (where < 0.2) return 1;
  if (where < 0.7 && sends.length > 0) return Math.max(1, random.pick(sends) - random.between(0, 2));
  return random.between(1, Math.max(1, history.length - 1));
}
