import type { PeopleDecision } from '../support/checker/observation.ts';
import { type Order, statusOf } from './bank/orders.ts';
import { type AskedQuestion, type PayoutView, questionKey, viewOf } from './payout-view.ts';
import type { PlannedPayout } from './scenario.ts';
import type { Execution } from './temporal/execution.ts';
import type { World } from './world.ts';

/** Two persons are one when only spelling distinguishes them. */
const PERSONS = ['alice', 'alice', 'Alice ', 'bob', 'carol', 'dave', 'maker', ' MAKER'] as const;
const CHECKERS = ['alice', 'bob', 'carol', 'dave'] as const;
const RESOLVES = ['keep-looking', 'adopt-order', 'resend', 'close-as-not-paid'] as const;

/** Times a hold that no approval lifts is approved before it is rejected. */
const HOLD_PATIENCE = 3;

/** Longest way of a message to the server, and one ms. */
const MESSAGE_MS = 21;

/** People at their desks: they approve, reject, cancel and resolve, rightly and wrongly, and at any time. */
export class People {
  private readonly world: World;
  private readonly holdsApproved = new Map<string, number>();
  /** When the workflow received each decision. */
  private readonly received = new Map<PeopleDecision, number>();

  constructor(world: World) {
    this.world = world;
  }

  start(): void {
    this.again();
  }

  /** A decision that comes while the bank is read again, for what is asked until then. */
  whenPerformed(execution: Execution, activity: string): void {
    const { payouts, random, isCalm, time } = this.world;
    const { workflowId } = execution.start;
    if (isCalm) return;
    const payout = payouts.find((it) => it.workflowId === workflowId);
    if (payout !== undefined) this.rejectLeftOpen(payout, execution);
    if (!activity.startsWith('assess ') || !random.chance(0.1)) return;
    time.after(random.between(1, 50), () => {
      const execution = this.world.cluster.open(workflowId);
      if (payout === undefined || execution === undefined) return;
      const view = viewOf(execution);
      if (view.awaited != null) this.answer(payout, view, view.awaited, 0.5);
    });
  }

  /**
   * Somebody rejects what the run before has asked, before this one has asked it again: at times the reason to ask is gone by then,
   * and this one will not ask.
   */
  private rejectLeftOpen(payout: PlannedPayout, execution: Execution): void {
    const { rare, time } = this.world;
    const awaited = this.leftOpen(execution);
    if (awaited === undefined || awaited.kind === 'bank' || !rare.chance(0.5)) return;
    time.after(rare.between(1, 5), () => {
      if (this.leftOpen(execution) !== awaited) return;
      this.world.fired('rejected between two runs');
      if (rare.chance(0.7)) this.world.endHolds(payout);
      this.reject(payout, awaited, rare.pick(CHECKERS));
    });
  }

  /** By a signal. */
  reject(payout: PlannedPayout, awaited: AskedQuestion, by: string): void {
    const noted = this.note(payout, by, 'reject', awaited);
    this.signal(payout, 'reject', { by, remark: 'not ours' }, noted);
    this.world.time.after(MESSAGE_MS, () => this.noteWhetherInTime(payout, noted, awaited.digest));
  }

  private leftOpen(execution: Execution): AskedQuestion | undefined {
    return viewOf(execution).awaited === null ? this.world.openQuestion(execution) : undefined;
  }

  private again(): void {
    const { time, random, isCalm, payouts } = this.world;
    time.after(random.spell(isCalm ? 15_000 : 25_000), () => {
      for (const payout of payouts) this.read(payout);
      this.again();
    });
  }

  private read(payout: PlannedPayout): void {
    const { cluster, random, isCalm } = this.world;
    const execution = cluster.open(payout.workflowId);
    if (execution === undefined) return;
    const view = viewOf(execution);
    if (view.awaited != null && random.chance(isCalm ? 0.9 : 0.6)) this.answer(payout, view, view.awaited);
    else if (view.state === 'needs-operator' && random.chance(0.3)) this.resolve(payout, view);
    if (isCalm) return;
    if (random.chance(0.02)) this.cancel(payout);
    if (random.chance(0.02)) this.answerUnasked(payout);
    if (random.chance(0.02)) this.wrongNotice(payout);
  }

  private answer(payout: PlannedPayout, view: PayoutView, awaited: AskedQuestion, approving = 0.93): void {
    const { random, isCalm } = this.world;
    const by = random.pick(isCalm ? CHECKERS : PERSONS);
    const gone = (this.holdsApproved.get(payout.reference) ?? 0) >= HOLD_PATIENCE;
    const approves = !(awaited.kind === 'hold' && gone) && random.chance(approving);
    if (awaited.kind === 'hold' && approves) {
      this.holdsApproved.set(payout.reference, (this.holdsApproved.get(payout.reference) ?? 0) + 1);
    }
    const stale = !isCalm && random.chance(0.1);
    this.say(payout, view, awaited, { by, decision: approves ? 'approve' : 'reject', stale });
  }

  /** Somebody decides, by a signal or an update. `stale`: about what is not asked. */
  say(
    payout: PlannedPayout,
    view: PayoutView,
    awaited: AskedQuestion,
    { by, decision, stale = false }: { by: string; decision: 'approve' | 'reject'; stale?: boolean },
  ): void {
    const { random } = this.world;
    const noted = this.note(payout, by, decision, stale ? null : awaited);
    if (!stale && random.chance(0.5)) {
      this.world.signalled.push(noted);
      this.signal(payout, decision, { by, remark: 'not ours', note: 'checked' }, noted);
      this.world.time.after(MESSAGE_MS, () => this.noteWhetherInTime(payout, noted, awaited.digest));
      return;
    }
    const digest = stale ? 'another digest' : awaited.digest;
    const decisionId = `d-${random.between(1, 1_000_000)}`;
    this.update(payout, 'decide', { decisionId, decision, by, remark: 'not ours', digest }, view.state, noted);
  }

  private answerUnasked(payout: PlannedPayout): void {
    const { random } = this.world;
    const by = random.pick(PERSONS);
    const action = random.pick(['approve', 'reject'] as const);
    // It may meet a question all the same.
    const noted = this.note(payout, by, action, null);
    this.signal(payout, action, random.pick([{ by, remark: 'no' }, { by }, { by: '' }, {}]), noted);
  }

  /** Somebody cancels what is being sent, while nobody can say what became of it. */
  whenOutcomeLost(payout: PlannedPayout): void {
    if (this.world.rare.chance(0.5)) this.cancel(payout);
  }

  cancel(payout: PlannedPayout): void {
    const { cluster, random } = this.world;
    this.note(payout, 'erin', 'cancel', null);
    if (random.chance(0.5)) cluster.cancel(payout.workflowId);
    else this.update(payout, 'cancel', { by: 'erin', reason: 'withdrawn' }, '');
  }

  private resolve(payout: PlannedPayout, view: PayoutView): void {
    const { random, bank, isCalm } = this.world;
    const orders = bank.machine.orders.filter(({ reference }) => reference === payout.reference);
    const mayHavePaid = orders.some((order) => peopleSayPaid(order));
    const action = isCalm && random.chance(0.5) ? 'keep-looking' : random.pick(RESOLVES);
    if (action === 'close-as-not-paid' && mayHavePaid) return;
    const ids = orders.length > 0 ? orders.map((order) => order.orderId) : ['ord-99'];
    const orderId = action === 'adopt-order' ? random.pick(ids) : undefined;
    this.note(payout, 'oscar', action, null);
    this.update(payout, 'resolve', { action, by: 'oscar', evidence: 'statement 12', orderId }, view.state);
  }

  /** Late, repeated, foreign or senseless: a notice only says which order to read. */
  private wrongNotice(payout: PlannedPayout): void {
    const { random, bank, payouts } = this.world;
    const order = bank.machine.orders.find(({ reference }) => reference === payout.reference);
    const { orderId } = order ?? { orderId: 'ord-0' };
    const notice = random.pick<unknown>([
      undefined,
      { reference: payout.reference, orderId, status: 'COMPLETED' },
      { reference: payout.reference, orderId, status: 'FAILED' },
      { reference: random.pick(payouts).reference, orderId, status: 'COMPLETED' },
      { orderId: 7 },
      'COMPLETED',
    ]);
    this.signal(payout, 'orderChanged', notice);
  }

  private note(
    payout: PlannedPayout,
    by: string,
    action: PeopleDecision['action'],
    awaited: AskedQuestion | null,
  ): PeopleDecision {
    const { reference } = payout;
    const { time, decisions } = this.world;
    const question = this.questionOf(payout, awaited);
    const noted: PeopleDecision = { at: time.now, reference, by, action, question };
    decisions.push(noted);
    return noted;
  }

  /** The signal has come to the server: it was received while something was asked, or what it is about is still asked. */
  private noteWhetherInTime({ workflowId }: PlannedPayout, noted: PeopleDecision, digest: string): void {
    const execution = this.world.cluster.open(workflowId);
    noted.wasInTime = this.received.has(noted)
      ? noted.question !== null
      : execution !== undefined && (viewOf(execution).awaited ?? this.world.openQuestion(execution))?.digest === digest;
  }

  private questionOf({ reference }: PlannedPayout, awaited: AskedQuestion | null): PeopleDecision['question'] {
    const askedAt = awaited == null ? undefined : this.world.questions.get(questionKey(reference, awaited));
    return awaited == null || askedAt === undefined ? null : { kind: awaited.kind, askedAt };
  }

  /** Names no digest: it counts for what is asked when it is received. */
  private signal(payout: PlannedPayout, name: string, payload: unknown, noted?: PeopleDecision): void {
    const { workflowId, accepted } = payout;
    const { time, trace, cluster } = this.world;
    trace.note(`people: signal ${name} to ${accepted.id} ${JSON.stringify(payload)}`);
    cluster.signal(workflowId, name, payload, () => {
      const execution = cluster.open(workflowId);
      if (noted === undefined || execution === undefined) return;
      this.received.set(noted, time.now);
      noted.question = this.questionOf(payout, viewOf(execution).awaited ?? this.world.openQuestion(execution) ?? null);
      // Somebody else was first.
      if (noted.question === null)
        time.after(1, () => {
          if (this.isAnsweredSince(noted)) noted.wasInTime = false;
        });
    });
  }

  private isAnsweredSince({ reference, at }: PeopleDecision): boolean {
    return [...this.received].some(
      ([other, receivedAt]) => other.reference === reference && other.question !== null && receivedAt >= at,
    );
  }

  private update(
    { workflowId, accepted }: PlannedPayout,
    name: string,
    payload: unknown,
    state: string,
    noted?: PeopleDecision,
  ): void {
    const { time, trace, cluster } = this.world;
    trace.note(`people: update ${name} to ${accepted.id} (${state}) ${JSON.stringify(payload)}`);
    cluster.update(workflowId, name, payload).then(
      (answer) => {
        trace.note(`people: ${name} of ${accepted.id} answered ${JSON.stringify(answer)}`);
        if (noted === undefined) return;
        this.received.set(noted, time.now);
        const { outcome } = answer as { outcome?: string };
        noted.reported = outcome;
        noted.wasInTime = outcome === `${noted.action}ed`;
        // Asked and answered at once: the run was not seen to ask again what the one before it has left open.
        if (outcome === 'approved') this.world.questionAnswered(workflowId, (payload as { digest: string }).digest);
      },
      (error: Error) => trace.note(`people: ${name} of ${accepted.id} refused: ${error.message}`),
    );
  }
}

/** People know from their statements what the bank's interface does not say: they close nothing that may be paid. */
function peopleSayPaid(order: Order): boolean {
  const status = statusOf(order) ?? '';
  return !['COMPLETED', 'FAILED', 'REJECTED', 'CANCELLED'].includes(status) && !order.staysOdd;
}
