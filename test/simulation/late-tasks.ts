import type { Disturbances } from './disturbances.ts';
import type { AskedQuestion } from './payout-view.ts';
import type { People } from './people.ts';
import type { PlannedPayout } from './scenario.ts';
import type { Execution } from './temporal/execution.ts';
import type { WorkerProcess } from './temporal/worker-process.ts';
import type { World } from './world.ts';

/** Longer than any task is waited for. */
const PAUSED_MS = 900_000;
const MOMENT_MS = 40;

/** Workers that pause with a task in hand and go on in the moment in which it hurts: once people reject, or all is over. */
export class LateTasks {
  private readonly world: World;
  private readonly people: People;
  private readonly disturbances: Disturbances;
  /** By workflow id. */
  private readonly senders = new Map<string, WorkerProcess>();
  private readonly writers = new Map<string, WorkerProcess>();

  constructor(world: World, people: People, disturbances: Disturbances) {
    this.world = world;
    this.people = people;
    this.disturbances = disturbances;
  }

  /** Before its first line. What people let through is then changed, so that they are asked once more. */
  whenTaken({ start: { workflowId } }: Execution, activity: string, process: WorkerProcess): void {
    if (!/^submit/.test(activity) || !this.isDrawn(process)) return;
    this.pause(process, activity);
    this.senders.set(workflowId, process);
    const payout = this.payoutOf(workflowId);
    if (payout !== undefined) this.world.changePayee(payout);
  }

  /** Between what it reads and what it writes. */
  whenPerformed({ start: { workflowId } }: Execution, activity: string, process: WorkerProcess): void {
    if (!activity.startsWith('recordState') || !this.isDrawn(process)) return;
    this.world.time.after(this.world.rare.between(1, 4), () => {
      if (!process.isAlive) return;
      this.pause(process, activity);
      this.writers.set(workflowId, process);
    });
  }

  whenAsked(payout: PlannedPayout, awaited: AskedQuestion): void {
    const { rare, time, cluster, isCalm } = this.world;
    const sender = this.senders.get(payout.workflowId);
    if (sender === undefined || isCalm) return;
    time.after(rare.between(500, 5_000), () => {
      const execution = cluster.open(payout.workflowId);
      if (execution === undefined || this.world.openQuestion(execution)?.digest !== awaited.digest) return;
      this.people.reject(payout, awaited, rare.pick(['bob', 'carol']));
      time.after(rare.between(1, MOMENT_MS), () => sender.resume());
    });
  }

  whenEnded(workflowId: string): void {
    const { rare, time } = this.world;
    const writer = this.writers.get(workflowId);
    time.after(rare.between(1, MOMENT_MS), () => writer?.resume());
  }

  private isDrawn(process: WorkerProcess): boolean {
    const { isCalm, faults, rare } = this.world;
    return !isCalm && process.isAlive && rare.chance((faults.other.get('pause') ?? 0) * 0.3);
  }

  private pause(process: WorkerProcess, activity: string): void {
    this.world.fired('late task');
    this.world.trace.note(`${process.name}: pauses with ${activity} in hand`);
    this.disturbances.pauseFor(process, PAUSED_MS);
    void this.world.startProcess();
  }

  private payoutOf(id: string): PlannedPayout | undefined {
    return this.world.payouts.find(({ workflowId }) => workflowId === id);
  }
}
