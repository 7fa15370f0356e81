import type { AuditSeen, RecordedAttempt } from '../support/checker/observation.ts';
import type { PlannedPayout } from './scenario.ts';
import { type RowOf, type SimStore, StoreCopy } from './sim-store.ts';
import type { World } from './world.ts';

/** Copies kept: the store may be replaced by any of them. */
const COPIES_MAX = 12;

/**
 * Copies of the store, one of which is put in its place once, while orders are being sent. The runs in Temporal go on. Nothing in
 * the product can help a run that has to learn from the store alone what was sent, when the store does not say that it was
 * replaced or the copy does not have the payout: such runs are kept out.
 */
export class OlderCopies {
  /** When a copy was put in place, epoch ms. */
  readonly restoredAt: number[] = [];
  /** What was recorded and is not in the copy. */
  readonly forgottenAttempts: RecordedAttempt[] = [];
  readonly forgottenAudits: AuditSeen[] = [];
  private readonly world: World;
  private readonly copies: StoreCopy[] = [];
  private known: ReadonlySet<unknown> | undefined;

  constructor(world: World) {
    this.world = world;
  }

  start(): void {
    if (this.world.worlds.olderCopy !== undefined) this.copyAgain();
  }

  mayStartAnew({ reference }: PlannedPayout): boolean {
    return this.known?.has(reference) ?? true;
  }

  whenPerformed(activity: string): void {
    if (/^submit/.test(activity)) this.restoreSoon();
  }

  /** What has just ended has no end in any copy. */
  whenEnded(): void {
    this.restoreSoon();
  }

  /** This world has no such copy, or it has been put in place. */
  private get isOver(): boolean {
    const { worlds, isCalm } = this.world;
    return worlds.olderCopy === undefined || isCalm || this.restoredAt.length > 0;
  }

  private restoreSoon(): void {
    const { random, time } = this.world;
    if (this.isOver) return;
    if (random.chance(0.3)) time.after(random.between(5, 4_000), () => this.restore());
  }

  private get sim(): SimStore {
    return this.world.stores[0] as SimStore;
  }

  private copyAgain(): void {
    const { time, random, isCalm } = this.world;
    if (isCalm || this.restoredAt.length > 0) return;
    this.copies.unshift(new StoreCopy(this.sim.database));
    this.copies.splice(COPIES_MAX);
    time.after(random.spell(30_000), () => this.copyAgain());
  }

  private restore(): void {
    const { random, time, trace, cluster, isCalm, worlds } = this.world;
    const copy = random.pick(this.copies);
    const now = new StoreCopy(this.sim.database);
    const known = new Set(copy.rows('payouts').map(({ reference }) => reference));
    if (isCalm || this.restoredAt.length > 0 || !this.isFair(known)) return;
    for (const process of cluster.processes) process.kill();
    copy.putInPlace(this.sim.database);
    trace.note(`the store is replaced by an older copy, ${worlds.olderCopy}`);
    this.world.fired(`older copy, ${worlds.olderCopy}`);
    this.restoredAt.push(time.now);
    this.known = known;
    this.forget(now, copy);
    this.world.whenRestored();
    if (worlds.olderCopy === 'marked') {
      void this.sim.store.recordRestore({ at: time.now, from: 0, by: 'olga', detail: {} });
    }
    // Rows that are released in Temporal and not in the copy: their batch hands them over again.
    const started = this.world.payouts.filter(({ workflowId }) => cluster.executions.has(workflowId));
    const unreleased = new Set(
      copy.rows('payouts').flatMap((row) => (row.released_at === null ? [row.reference] : [])),
    );
    const again = started.filter(({ reference }) => unreleased.has(reference)).map(({ reference }) => reference);
    if (again.length > 0) void this.sim.store.markReleased(again, time.now);
    for (let i = random.between(1, 2); i > 0; i -= 1)
      time.after(random.spell(8_000), () => void this.world.startProcess());
  }

  /** Whether every payout is one that somebody can still see to. */
  private isFair(known: ReadonlySet<unknown>): boolean {
    const { payouts, cluster } = this.world;
    return payouts.every(({ workflowId, reference }) => {
      const execution = cluster.executions.get(workflowId);
      if (execution === undefined || known.has(reference)) return true;
      return !execution.isClosed && (cluster.runsOf(workflowId) === 1 || execution.hasPreparedItself);
    });
  }

  /** What was recorded since the copy was made. */
  forget(now: StoreCopy, copy: StoreCopy): void {
    const attemptKey = ({ reference, attempt }: RowOf): string => `${reference} ${attempt}`;
    const kept = new Set(copy.rows('send_attempts').map(attemptKey));
    for (const row of now.rows('send_attempts')) {
      if (kept.has(attemptKey(row))) continue;
      const { reference, attempt, sent_at: sentAt, outcome, order_id: orderId } = row;
      const outcomeAt = this.world.outcomesAt.get(attemptKey(row));
      const recordedAt = this.world.recordedAt.get(attemptKey(row)) ?? sentAt;
      this.forgottenAttempts.push({
        reference,
        attempt,
        recordedAt,
        sentAt,
        outcome,
        outcomeAt,
        orderId,
      } as RecordedAttempt);
    }
    const last = Math.max(-1, ...copy.rows('audit_log').map(({ seq }) => Number(seq)));
    for (const { seq, at, actor, action, detail } of now.rows('audit_log')) {
      if (Number(seq) <= last) continue;
      const { orderId = null } = JSON.parse(String(detail)) as { orderId?: string };
      this.forgottenAudits.push({ at: Number(at), actor: String(actor), action: String(action), orderId });
    }
    const ended = new Set(copy.rows('payouts').flatMap((row) => (row.ended_at === null ? [] : [row.reference])));
    this.world.forgetEnds((reference) => !ended.has(reference));
  }
}
