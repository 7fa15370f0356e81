import type { ActivityDeps, Executions, WorkerSettings } from '../../src/activities/deps.ts';
import type { Store } from '../../src/store/store.ts';
import type { PeopleDecision, StateSeen, WorkflowResult } from '../checker/observation.ts';
import { BankDoor } from './bank/door.ts';
import { drawFaults, type FaultMix } from './bank/faults.ts';
import { ModelBank } from './bank/model-bank.ts';
import { Network } from './bank/network.ts';
import { drawProfile } from './bank/profile.ts';
import { faultyStore } from './faulty-store.ts';
import { Random } from './random.ts';
import { drawScenario, type PlannedPayout } from './scenario.ts';
import { drawSettings, drawWindows } from './settings.ts';
import { Cluster } from './temporal/cluster.ts';
import type { Execution } from './temporal/execution.ts';
import { type ActivityFunctions, WorkerProcess } from './temporal/worker-process.ts';
import { useCluster } from './temporal/workflow-module.ts';
import { Trace } from './trace.ts';
import { VirtualTime } from './virtual-time.ts';

export type Product = typeof import('./product.ts');

/** How often a worker looks for watches that are missing. */
const RESUME_EVERY_MS = 120_000;
const HANDS_OFF: ReadonlySet<string> = new Set(['completed', 'failed', 'rejected', 'cancelled', 'needs-operator']);

/** Everything of one seed: the bank, the cluster, the workers, and what was seen. */
export class World {
  readonly time = new VirtualTime();
  readonly random: Random;
  readonly trace: Trace;
  readonly settings: WorkerSettings;
  readonly bank: ModelBank;
  readonly door: BankDoor;
  readonly faults: FaultMix;
  readonly cluster: Cluster;
  readonly payouts: PlannedPayout[];
  readonly store: Store;
  readonly firedFaults = new Map<string, number>();
  readonly statesSeen: StateSeen[] = [];
  readonly results: WorkflowResult[] = [];
  readonly decisions: PeopleDecision[] = [];
  /** When each question, by payout, kind and digest, was first asked. */
  readonly questions = new Map<string, number>();
  calmFrom: number | undefined;
  /** Told of every activity that a process begins. */
  whenPerformed: (execution: Execution, activity: string, process: WorkerProcess) => void = () => {};
  private readonly network: Network;
  private readonly product: Product;
  private readonly byWorkflow: ReadonlyMap<string, PlannedPayout>;
  private processesMade = 0;

  constructor(seed: number, store: Store, product: Product, print?: (line: string) => void) {
    const random = new Random(seed);
    this.random = random;
    this.store = store;
    this.product = product;
    this.trace = new Trace(this.time, print);
    const windows = drawWindows(random);
    const profile = drawProfile(random, windows);
    this.settings = drawSettings(random, windows, profile);
    this.faults = drawFaults(random);
    const { time } = this;
    const { note: trace } = this.trace;
    this.bank = new ModelBank({ time, random, trace }, profile);
    this.payouts = drawScenario(random, seed, this.bank);
    this.byWorkflow = new Map(this.payouts.map((payout) => [payout.workflowId, payout]));
    this.door = new BankDoor(this.bank, { time, random, trace, isCalm: () => this.isCalm });
    this.network = new Network({
      time,
      random,
      door: this.door,
      faults: this.faults,
      isFaulty: () => !this.isCalm,
      fired: (kind) => this.fired(kind),
      failure: product.HttpFailure,
    });
    const { payout, orderWatch } = product;
    this.cluster = new Cluster(time, random, { payout, orderWatch } as never, {
      closed: (execution, end) => this.closed(execution, end),
      activated: (execution) => this.lookForQuestion(execution),
      performs: (execution, activity, process) => {
        trace(`${process.name} does ${activity} for ${execution.start.workflowId.slice(0, 19)}`);
        this.whenPerformed(execution, activity, process);
      },
    });
    useCluster(this.cluster);
    trace(`settings ${JSON.stringify(this.settings)}`);
    trace(`bank ${JSON.stringify(profile, (_key, value) => (typeof value === 'bigint' ? `${value}` : value))}`);
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

  startPayout({ workflowId, input, accepted }: PlannedPayout): void {
    const attributes = new Map<string, unknown>(this.random.chance(0.5) ? [['PayoutState', 'processing']] : []);
    this.cluster.start('payout', workflowId, input, attributes);
    this.trace.note(`payout ${accepted.id} started: ${JSON.stringify(input)}`);
  }

  startProcess(): WorkerProcess {
    this.processesMade += 1;
    const process = new WorkerProcess(`worker-${this.processesMade}`, this.time);
    const deps = this.depsOf(process);
    process.activities = this.product.createActivities(deps) as unknown as ActivityFunctions;
    this.cluster.join(process);
    this.trace.note(`${process.name} is up`);
    this.resumeWatches(process, deps);
    return process;
  }

  /** Rows that ask nothing more of anybody but people. */
  async isSettled(): Promise<boolean> {
    for (const { reference } of this.payouts) {
      const row = await this.store.payout(reference);
      if (row === undefined || !HANDS_OFF.has(row.state)) return false;
    }
    return true;
  }

  private resumeWatches(process: WorkerProcess, deps: ActivityDeps): void {
    if (!process.isAlive) return;
    void this.product.wakeNeglectedWatches(deps).catch(() => {});
    this.time.after(RESUME_EVERY_MS, () => this.resumeWatches(process, deps));
  }

  private depsOf(process: WorkerProcess): ActivityDeps {
    const { createBank, withRequiredDetailsCache, checkInstruction } = this.product;
    const bank = createBank({
      baseUrl: 'http://bank',
      apiKey: 'key',
      apiSecret: 'secret',
      transport: this.network.transportOf(process),
    });
    return {
      bank: withRequiredDetailsCache(bank),
      store: faultyStore(this, process),
      executions: this.executionsOf(process),
      settings: this.settings,
      now: () => this.time.now,
      checkInstruction,
      assertIdentity: async () => {},
    };
  }

  private executionsOf(process: WorkerProcess): Executions {
    const { cluster } = this;
    const reach = async <T>(call: () => T): Promise<T> => {
      await process.wait(cluster.latency());
      if (this.strikes('temporal-unreachable', 0.3)) throw new Error('Temporal cannot be reached');
      return call();
    };
    const elsewhere = async (): Promise<never> => {
      throw new Error('batches are not simulated');
    };
    return {
      startPayout: elsewhere,
      startBatch: elsewhere,
      cancelPayout: elsewhere,
      cardEvent: elsewhere,
      startCardPayment: elsewhere,
      wakeWatch: async ({ uid, currency }) => {
        // The store may know users of earlier seeds.
        if (!this.payouts.some(({ accepted }) => accepted.uid === uid)) return;
        await reach(() =>
          cluster.signalWithStart('orderWatch', `order-watch/${uid}/${currency}`, { uid, currency }, 'ordersOpened'),
        );
      },
      orderChanged: (workflowId, notice) =>
        reach(() => {
          this.trace.note(`watch tells ${workflowId.slice(0, 15)}: ${notice.orderId} ${notice.status}`);
          return cluster.signal(workflowId, 'orderChanged', notice);
        }),
      approve: (workflowId, decision) => reach(() => cluster.signal(workflowId, 'approve', decision)),
      lookAgain: (workflowId) => reach(() => cluster.signal(workflowId, 'orderChanged')),
      isOpen: (workflowId) => reach(() => cluster.isOpen(workflowId)),
    };
  }

  private closed({ start }: Execution, end: { result: unknown } | { failure: string }): void {
    const payout = this.byWorkflow.get(start.workflowId);
    this.trace.note(`${start.workflowId} closed: ${JSON.stringify(end)}`);
    if (payout === undefined) {
      if ('failure' in end) throw new Error(`a watch failed: ${end.failure}`);
      return;
    }
    const { reference } = payout;
    const { state = null, orderId = null } = ('result' in end ? end.result : {}) as {
      state?: string;
      orderId?: string;
    };
    this.results.push({ at: this.time.now, reference, state, orderId, failure: 'failure' in end ? end.failure : null });
  }

  private lookForQuestion(execution: Execution): void {
    const payout = this.byWorkflow.get(execution.start.workflowId);
    if (payout === undefined || execution.isClosed) return;
    const { awaited } = viewOf(execution);
    if (awaited == null) return;
    const key = questionKey(payout.reference, awaited);
    if (!this.questions.has(key)) this.questions.set(key, this.time.now);
  }
}

/** What the query `state` of a payout answers, as far as it is used here. */
export interface PayoutView {
  state: string;
  orderId: string | null;
  awaited: { kind: 'payout' | 'bank' | 'hold'; digest: string } | null;
}

export const viewOf = (execution: Execution): PayoutView =>
  (execution.query('state') ?? { state: 'received', orderId: null, awaited: null }) as PayoutView;

export const questionKey = (reference: string, { kind, digest }: { kind: string; digest: string }): string =>
  `${reference} ${kind} ${digest}`;
