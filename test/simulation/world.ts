import type { WorkerSettings } from '../../src/domain/settings.ts';
import type { PayoutRecord, Store } from '../../src/store/store.ts';
import type { PeopleDecision, SeenSender, StateSeen, WorkflowResult } from '../support/checker/observation.ts';
import { expectedReference } from '../support/checker/references.ts';
import { drawFaults, type FaultMix } from './bank/faults.ts';
import { ListCache } from './bank/list-cache.ts';
import { ModelBank } from './bank/model-bank.ts';
import { OtherTenant } from './bank/other-tenant.ts';
import { itemsOf } from './bank/payees.ts';
import { clockOf, drawProfile } from './bank/profile.ts';
import { BankProxy } from './bank/proxy.ts';
import { addHazardousFaults, cacheOf, hazardousProfile } from './hazards/hazards.ts';
import { Rollback } from './hazards/rollback.ts';
import { SecondHome } from './hazards/second-home.ts';
import { SimMachine } from './machine.ts';
import { OlderCopies } from './older-copies.ts';
import { type AskedQuestion, questionKey, viewOf } from './payout-view.ts';
import { Random } from './random.ts';
import { rogue } from './rogues.ts';
import { drawScenario, openStrangers, type PlannedPayout } from './scenario.ts';
import { drawSettings, drawWindows } from './settings.ts';
import type { SimStore } from './sim-store.ts';
import { Cluster } from './temporal/cluster.ts';
import type { Execution, HistoryEvent } from './temporal/execution.ts';
import type { WorkerProcess } from './temporal/worker-process.ts';
import { Trace } from './trace.ts';
import { VirtualTime } from './virtual-time.ts';
import { Workers } from './workers.ts';
import type { Worlds } from './worlds.ts';

/** What a seed is drawn from, and where it is kept. */
export interface Setting {
  random: Random;
  worlds: Worlds;
  stores: readonly SimStore[];
}

export type Product = typeof import('./product.ts');

/** On its way to the workflow. */
const SIGNAL_MS = 5;

const workflowTypeOf = ({ accepted }: PlannedPayout): 'payout' | 'currencyExchange' =>
  accepted.kind === 'exchange' ? 'currencyExchange' : 'payout';

const ENDS: ReadonlySet<string> = new Set(['completed', 'failed', 'rejected', 'cancelled']);
const HANDS_OFF: ReadonlySet<string> = new Set(['completed', 'failed', 'rejected', 'cancelled', 'needs-operator']);

/** Everything of one seed: the bank, the cluster, the workers, and what was seen. */
export class World {
  readonly time = new VirtualTime();
  readonly random: Random;
  /** For what is rare: drawing from it changes nothing of what `random` gives to everything else. */
  readonly rare: Random;
  readonly trace: Trace;
  readonly settings: WorkerSettings;
  readonly bank: ModelBank;
  readonly proxy: BankProxy;
  readonly faults: FaultMix;
  readonly cluster: Cluster;
  readonly payouts: PlannedPayout[];
  readonly worlds: Worlds;
  /** The first one has the rows that batches have claimed. */
  readonly stores: readonly SimStore[];
  readonly otherTenant: OtherTenant | undefined;
  readonly olderCopies: OlderCopies;
  readonly rollback: Rollback;
  readonly secondHome: SecondHome;
  readonly machine = new SimMachine('machine-1');
  /** Ids of orders that the store has received. */
  readonly knownOrders = new Set<string>();
  readonly firedFaults = new Map<string, number>();
  readonly statesSeen: StateSeen[] = [];
  readonly results: WorkflowResult[] = [];
  /** When the outcome of an attempt, by reference and number, was last recorded. */
  readonly outcomesAt = new Map<string, number>();
  /** When the record of each attempt was made: a paused sender may have taken its time long before. */
  readonly recordedAt = new Map<string, number>();
  /**
   * With the task in hand a sender may have done anything, for all that a run knows which has to learn it from the store alone.
   */
  readonly senders = new Map<string, SeenSender>();
  readonly decisions: PeopleDecision[] = [];
  /** Those of them that were sent as signals. */
  readonly signalled: PeopleDecision[] = [];
  /** When each question, by payout, kind and digest, was first asked. */
  readonly questions = new Map<string, number>();
  /** What each payout asks, or has left open where it goes on in a new run. */
  private readonly leftOpen = new Map<string, { runId: string; awaited: AskedQuestion }>();
  calmFrom: number | undefined;
  /** Called for every task of an activity that a process is given. */
  whenTaken: (execution: Execution, activity: string, process: WorkerProcess) => void = () => {};
  /** Called for every activity that a process begins. */
  whenPerformed: (execution: Execution, activity: string, process: WorkerProcess) => void = () => {};
  /** Called for every question that a payout asks for the first time. */
  whenAsked: (payout: PlannedPayout, awaited: AskedQuestion) => void = () => {};
  /** Called for every payout whose run has returned. */
  whenEnded: (workflowId: string) => void = () => {};
  /** Called when the store was replaced by an older copy. */
  whenRestored: () => void = () => {};
  /** Told of every payout of whose order nobody has recorded what became of it. */
  whenOutcomeLost: (payout: PlannedPayout) => void = () => {};
  /** Told when everything is to be switched on. */
  whenSwitchedOn: () => void = () => {};
  /** The second home, once there is one. */
  second: World | undefined;
  private readonly product: Product;
  private readonly workers: Workers;
  private readonly byWorkflow: Map<string, PlannedPayout>;
  /** Payouts whose last run has returned. */
  private readonly completed = new Set<string>();
  private readonly whenReturned = new Map<string, (result: unknown) => void>();

  constructor(seed: number, { random, worlds, stores }: Setting, product: Product, print?: (line: string) => void) {
    this.random = random;
    this.product = product;
    this.rare = new Random(~seed);
    this.worlds = worlds;
    this.stores = stores;
    this.trace = new Trace(this.time, print);
    const windows = drawWindows(random);
    const { hazards } = worlds;
    const profile = {
      ...drawProfile(random, windows),
      ...clockOf(worlds.clockApartMs),
      ...hazardousProfile(hazards, this.rare),
      // Where it recognises references it would tell whoever has forgotten an order.
      ...(worlds.olderCopy !== undefined && this.rare.chance(0.7) && { dedupe: 'none' as const }),
    };
    this.settings = { ...product.loadConfig({}).settings, ...drawSettings(random, windows, profile) };
    if (worlds.atOnce) {
      profile.auditFrom = random.pick([undefined, 1n]);
      this.settings.approvalRules = random.pick([[{ approvals: 1 }], [{ approvals: 2 }]]);
    }
    if (this.isReconciled) this.settings.reconcileEveryMs = this.rare.pick([10, 60, 60, 360]) * 60_000;
    this.faults = drawFaults(random);
    addHazardousFaults(hazards, this.faults, this.rare);
    const { time } = this;
    const { note: trace } = this.trace;
    this.bank = new ModelBank({ time, random, trace }, profile);
    this.payouts = drawScenario(random, seed, this.bank);
    this.otherTenant = worlds.otherTenant
      ? new OtherTenant({ time, random, trace }, this.bank, this.payouts)
      : undefined;
    this.olderCopies = new OlderCopies(this);
    this.secondHome = new SecondHome(this, product);
    this.rollback = new Rollback(this);
    this.byWorkflow = new Map(this.payouts.map((payout) => [payout.workflowId, payout]));
    const cache = this.cacheBefore(this.bank);
    this.proxy = new BankProxy(this.bank, { time, random, trace, isCalm: () => this.isCalm, cache });
    this.workers = new Workers(this, product);
    this.cluster = this.newCluster('run');
    // Fewer than all resends to a bank that recognises them take: a run would never come to what it asks next.
    const isShort = this.rare.chance(0.4) && this.settings.terms.referenceDedupe !== 'verified';
    if (isShort) this.cluster.activationsMax = 25;
    trace(`settings ${JSON.stringify(this.settings)}`);
    trace(`bank ${JSON.stringify(profile, (_key, value) => (typeof value === 'bigint' ? `${value}` : value))}`);
  }

  private newCluster(runPrefix: string): Cluster {
    const { currencyExchange, payout, orderWatch, reconciliation } = this.product;
    return new Cluster(
      this.time,
      this.random,
      { currencyExchange, payout, orderWatch, reconciliation, rogue } as never,
      {
        closed: (execution, end) => this.closed(execution, end),
        activated: (execution) => this.findQuestion(execution),
        taken: (execution, activity, process) => this.whenTaken(execution, activity, process),
        performs: (execution, activity, process) => {
          this.trace.note(`${process.name} does ${activity} for ${execution.start.workflowId.slice(0, 19)}`);
          this.whenPerformed(execution, activity, process);
        },
      },
      runPrefix,
    );
  }

  /** Documents in another home, with a store and a cluster of its own, at the same bank and in the same time. */
  beside(store: SimStore, has: (payout: PlannedPayout) => boolean = () => true): World {
    const { time, random, bank } = this;
    const payouts = this.payouts.filter(has).map((payout) => ({ ...payout }));
    const other: World = Object.assign(Object.create(this), {
      ...{ stores: [store], payouts, statesSeen: [], results: [], senders: new Map() },
      ...{ outcomesAt: new Map(), recordedAt: new Map(), leftOpen: new Map(), completed: new Set() },
      ...{ whenReturned: new Map(), byWorkflow: new Map(payouts.map((payout) => [payout.workflowId, payout])) },
      machine: new SimMachine('machine-2'),
      ...{ whenAsked: () => {}, whenEnded: () => {}, whenRestored: () => {} },
      proxy: new BankProxy(bank, { time, random, trace: this.trace.note, isCalm: () => this.isCalm, home: 1 }),
    });
    const own = {
      cluster: other.newCluster('run-b'),
      workers: new Workers(other, this.product),
      whenTaken: (execution: Execution, activity: string) => other.senderTaken(execution, activity),
      whenPerformed: (execution: Execution, activity: string) => other.senderBegins(execution, activity),
    };
    this.second = Object.assign(other, own);
    return other;
  }

  /** Lets everything go on that can; false: nothing can before the next event. */
  settle(): boolean {
    return this.cluster.settle() || this.second?.cluster.settle() === true;
  }

  /** What the bank shows is compared with what has ended. */
  get isReconciled(): boolean {
    return this.worlds.hazards.size > 0;
  }

  private cacheBefore(bank: ModelBank): ListCache | undefined {
    const kind = cacheOf(this.worlds.hazards);
    if (kind === undefined) return undefined;
    if (kind === 'foreign') openStrangers(bank);
    const { time, random } = this;
    const { listLagMs } = this.settings.terms.waits;
    return new ListCache(kind, bank, {
      ...{ time, random, trace: this.trace.note, fired: (what) => this.fired(what), isCalm: () => this.isCalm },
      isKnown: ({ orderId, createdAt }) => this.knownOrders.has(orderId) && createdAt <= time.now - listLagMs,
    });
  }

  senderTaken({ start: { workflowId, runId } }: Execution, activity: string): void {
    const accepted = this.byWorkflow.get(workflowId)?.accepted;
    if (accepted === undefined || !activity.startsWith('submit')) return;
    const purpose = activity.startsWith('submitExchange') ? 'exchange' : 'payment';
    const sender = { at: this.time.now, begunAt: null, reference: expectedReference(accepted, purpose) };
    this.senders.set(`${runId} ${activity}`, sender);
  }

  senderBegins({ start: { runId } }: Execution, activity: string): void {
    const sender = this.senders.get(`${runId} ${activity}`);
    if (sender !== undefined) sender.begunAt = this.time.now;
  }

  get isCalm(): boolean {
    return this.calmFrom !== undefined;
  }

  fired(kind: string): void {
    this.firedFaults.set(kind, (this.firedFaults.get(kind) ?? 0) + 1);
    this.trace.note(`fault: ${kind}`);
  }

  /** Whether a fault beside the network happens now. */
  strikes(kind: 'store-before' | 'store-after' | 'temporal-unreachable', share: number): boolean {
    const rate = this.faults.other.get(kind);
    if (rate === undefined || this.isCalm || !this.random.chance(rate * share)) return false;
    this.fired(kind);
    return true;
  }

  /** Whether the store is away right when a sender would record what became of its order. */
  losesOutcome(reference: string): boolean {
    const rate = this.faults.other.get('store-before');
    const payout = this.payouts.find((it) => it.reference === reference);
    if (rate === undefined || payout === undefined || this.isCalm || !this.rare.chance(rate * 0.3)) return false;
    this.fired('outcome lost');
    this.whenOutcomeLost(payout);
    return true;
  }

  /** A payout that the product has taken without having been asked for it at the beginning. */
  take(payout: PlannedPayout): void {
    this.payouts.push(payout);
  }

  startPayout(payout: PlannedPayout): void {
    this.byWorkflow.set(payout.workflowId, payout);
    const { workflowId, input, accepted } = payout;
    // Somebody else may have begun something under its id, which does not last.
    if (this.cluster.isOpen(workflowId)) {
      if (!this.isPlanned(workflowId)) this.time.after(5_000, () => this.startPayout(payout));
      return;
    }
    const attributes = new Map<string, unknown>(this.random.chance(0.5) ? [['PayoutState', 'processing']] : []);
    // The starter of the rows of a batch says so where Temporal knows the id.
    const memo = { ranBefore: payout.batchId !== undefined && this.cluster.executions.has(workflowId) };
    this.cluster.start(workflowTypeOf(payout), workflowId, input, attributes, memo);
    this.trace.note(`payout ${accepted.id} started: ${JSON.stringify(input)}`);
  }

  /** What keeps a payout from being sent is over: switches, frozen accounts, a fee above the cap. */
  endHolds({ accepted: { currency } }: PlannedPayout): void {
    this.whenSwitchedOn();
    for (const account of this.bank.books.all()) account.frozen = false;
    this.bank.setFee(currency, currency === 'JPY' ? '1' : '0.5', currency);
  }

  /** The account of a payout's payee is another one from now on. */
  changePayee({ accepted }: PlannedPayout): void {
    const payee = accepted.beneficiaryId === undefined ? undefined : this.bank.payees.byId(accepted.beneficiaryId);
    if (payee === undefined) return;
    this.bank.payees.change(payee, { account_no: `${itemsOf(payee).account_no}1` }, this.time.now);
  }

  startProcess(): WorkerProcess {
    return this.workers.start();
  }

  calm(): void {
    this.calmFrom = this.time.now;
    this.trace.note('calm');
    this.workers.calm();
    this.second?.workers.calm();
  }

  isSpare(process: WorkerProcess): boolean {
    return this.workers.isSpare(process);
  }

  /** Rows of a payout, of the store that it belongs to first. Two only when both stores have done something for it. */
  async rows(reference: string): Promise<{ store: Store; row: PayoutRecord }[]> {
    const found: { store: Store; row: PayoutRecord; weight: number }[] = [];
    for (const { store } of this.stores) {
      const row = await store.payout(reference);
      if (row === undefined) continue;
      const attempts = this.stores.length === 1 ? 0 : (await store.attempts(reference)).length;
      found.push({ store, row, weight: (ENDS.has(row.state) ? 2 : 0) + (attempts > 0 ? 1 : 0) });
    }
    const byWeight = found.toSorted((a, b) => b.weight - a.weight || b.row.updatedAt - a.row.updatedAt);
    return byWeight.filter(({ weight }, index) => index === 0 || weight > 0);
  }

  async row(reference: string): Promise<PayoutRecord | undefined> {
    return (await this.rows(reference))[0]?.row;
  }

  /** Passes on what a workflow has returned. */
  whenClosed(workflowId: string, notify: (result: unknown) => void): void {
    this.whenReturned.set(workflowId, notify);
  }

  /** The store that a payout belongs to. */
  async home(reference: string): Promise<Store> {
    return (await this.rows(reference))[0]?.store ?? (this.stores[0] as SimStore).store;
  }

  /** Whether a run may begin that has to learn from the store alone what was sent before. */
  mayStartAnew(payout: PlannedPayout): boolean {
    // A raw start belongs to the store that prepares it, and a new run may be prepared by the other one.
    if (this.worlds.twoStores && payout.batchId === undefined) return false;
    return this.olderCopies.mayStartAnew(payout);
  }

  /** The least part of a history that a reset must keep; undefined: there must be no reset. */
  leastReplay(payout: PlannedPayout, history: readonly HistoryEvent[]): number | undefined {
    if (this.mayStartAnew(payout)) return 1;
    if (!this.worlds.twoStores) return undefined;
    const prepared = history.findIndex(
      (event) => event.kind === 'settled' && event.what === 'prepare' && event.how === 'resolve',
    );
    return prepared === -1 ? undefined : prepared + 1;
  }

  /** Whether what runs under an id is the payout that was asked for, and nobody else's. */
  isPlanned(workflowId: string): boolean {
    const start = this.cluster.executions.get(workflowId)?.start;
    const payout = this.byWorkflow.get(workflowId);
    if (payout === undefined || start?.type !== workflowTypeOf(payout)) return false;
    return JSON.stringify(start.input) === JSON.stringify(payout.input);
  }

  /** The store does not know any more what was seen of ends in it, nor does a cluster that went back with it. */
  forgetEnds(isForgotten: (reference: string) => boolean): void {
    for (const seen of [this.statesSeen, this.results] as { reference: string }[][]) {
      const kept = seen.filter(({ reference }) => !isForgotten(reference));
      seen.splice(0, seen.length, ...kept);
    }
    if (!this.worlds.hazards.has('rollback')) return;
    for (const { reference, workflowId } of this.payouts) if (isForgotten(reference)) this.completed.delete(workflowId);
  }

  /** Rows that ask nothing more of anybody but people. */
  async isSettled(): Promise<boolean> {
    for (const { reference, accepted } of this.payouts) {
      const row = await this.row(reference);
      if (row !== undefined && HANDS_OFF.has(row.state)) continue;
      const isBoughtLater =
        row?.reason?.code === 'awaiting-exchange' &&
        (await this.row(accepted.boughtBy ?? ''))?.state === 'needs-operator';
      if (!isBoughtLater) return false;
    }
    return true;
  }

  /** As a worker's pass does it: under the id of a payout that has completed only when it says so. */
  startAgain(workflowId: string, evenCompleted: boolean): 'started' | 'already-started' {
    const payout = this.byWorkflow.get(workflowId);
    if (payout === undefined || this.cluster.isOpen(workflowId)) return 'already-started';
    if (this.completed.has(workflowId) && !evenCompleted) return 'already-started';
    this.completed.delete(workflowId);
    this.startPayout(payout);
    return 'started';
  }

  private closed({ start }: Execution, end: { result: unknown } | { failure: string }): void {
    const payout = this.byWorkflow.get(start.workflowId);
    this.trace.note(`${start.workflowId} closed: ${JSON.stringify(end)}`);
    if ('result' in end) this.whenReturned.get(start.workflowId)?.(end.result);
    if (payout === undefined) {
      if (start.type === 'orderWatch' && 'failure' in end) throw new Error(`a watch failed: ${end.failure}`);
      return;
    }
    if (!this.isPlanned(start.workflowId)) return;
    if ('failure' in end && payout.accepted.generation > 0 && !this.payouts.includes(payout)) return;
    if ('result' in end) {
      this.completed.add(start.workflowId);
      this.whenEnded(start.workflowId);
      this.olderCopies.whenEnded();
    }
    const { reference } = payout;
    const { state = null, orderId = null } = ('result' in end ? end.result : {}) as {
      state?: string;
      orderId?: string;
    };
    this.results.push({ at: this.time.now, reference, state, orderId, failure: 'failure' in end ? end.failure : null });
  }

  /** What somebody may have in mind who answers now. */
  openQuestion({ start: { workflowId } }: Execution): AskedQuestion | undefined {
    return this.leftOpen.get(workflowId)?.awaited;
  }

  /** The run is reset: the one in its place has never asked what it asked last. */
  forgetQuestion(workflowId: string): void {
    this.leftOpen.delete(workflowId);
  }

  /** It was reported as approved: until it is asked again nobody can reject it. */
  questionAnswered(workflowId: string, digest: string): void {
    if (this.leftOpen.get(workflowId)?.awaited.digest === digest) this.leftOpen.delete(workflowId);
  }

  private noteOpen({ start: { workflowId, runId, more }, pending }: Execution, awaited: AskedQuestion | null): void {
    const before = this.leftOpen.get(workflowId);
    // What a run finds to be gone it does not ask again, and what it has begun to send nobody can reject.
    const isSent = [...pending.values()].some(({ what }) => what.startsWith('submit'));
    if (awaited !== null) this.leftOpen.set(workflowId, { runId, awaited });
    else if (before?.runId === runId || more.length === 0 || isSent) this.leftOpen.delete(workflowId);
  }

  private findQuestion(execution: Execution): void {
    const payout = this.byWorkflow.get(execution.start.workflowId);
    if (payout === undefined || execution.isClosed) return;
    const { awaited } = viewOf(execution);
    this.noteOpen(execution, awaited);
    if (awaited == null) return;
    const key = questionKey(payout.reference, awaited);
    if (this.questions.has(key)) return;
    this.questions.set(key, this.time.now);
    this.whenAsked(payout, awaited);
    // A signal names no question: it meets the one that is open when it comes, a moment after somebody has read it.
    for (const decision of this.signalled) {
      const isOnItsWay = decision.reference === payout.reference && this.time.now - decision.at <= SIGNAL_MS;
      if (isOnItsWay) decision.question = { kind: awaited.kind, askedAt: this.time.now };
    }
  }
}
