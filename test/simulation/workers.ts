import type { ActivityDeps } from '../../src/activities/deps.ts';
import type { Bank } from '../../src/bank/bank.ts';
import type { Log } from '../../src/domain/settings.ts';
import type { Store } from '../../src/store/store.ts';
import { Network } from './bank/network.ts';
import { BankProxy } from './bank/proxy.ts';
import { executionsOf } from './executions.ts';
import { faultyStore } from './faulty-store.ts';
import { isOfMachines } from './hazards/hazards.ts';
import type { SimStore } from './sim-store.ts';
import { type ActivityFunctions, WorkerProcess } from './temporal/worker-process.ts';
import { currentHost } from './virtual-time.ts';
import type { Product, World } from './world.ts';

const UNANSWERED = { info: () => {}, warn: () => {} } as unknown as Log;

/** Where a worker is set up. */
interface Place {
  store: SimStore;
  tenant: 'own' | 'other';
}

/** How often a worker checks for watches that are missing. */
const RESUME_EVERY_MS = 120_000;

/** The worker processes of a seed: each has one of the stores, and one of the keys of the bank. */
export class Workers {
  private readonly world: World;
  private readonly product: Product;
  private readonly network: Network;
  private readonly otherNetwork: Network | undefined;
  private readonly places = new Map<WorkerProcess, Place>();
  /** A worker with the right key has shown the store whose bank it is. */
  private isBound = false;
  private processesMade = 0;

  constructor(world: World, product: Product) {
    this.world = world;
    this.product = product;
    const { time, random, faults, proxy, otherTenant } = world;
    const { note: trace } = world.trace;
    const wire = {
      time,
      random,
      faults,
      isFaulty: () => !world.isCalm,
      fired: (kind: string) => world.fired(kind),
      failure: product.HttpFailure,
    };
    this.network = new Network({ ...wire, proxy });
    this.otherNetwork =
      otherTenant &&
      new Network({
        ...wire,
        proxy: new BankProxy(otherTenant.bank, { time, random, trace, isCalm: () => world.isCalm }),
      });
  }

  start(place: Place = this.drawPlace()): WorkerProcess {
    this.processesMade += 1;
    const process = new WorkerProcess(`worker-${this.processesMade}`, this.world.time);
    const deps = this.depsOf(process, place);
    process.activities = this.product.createActivities(deps) as unknown as ActivityFunctions;
    this.places.set(process, place);
    this.world.cluster.join(process);
    const { stores } = this.world;
    const where = `${stores.length > 1 ? `, store ${stores.indexOf(place.store) + 1}` : ''}${place.tenant === 'other' ? ', other tenant' : ''}`;
    this.world.trace.note(`${process.name} is up${where}`);
    if (place.tenant === 'own') this.resumeWatches(process, deps);
    return process;
  }

  /** From now on every store has a worker, and none has the wrong key. */
  calm(): void {
    for (const process of this.world.cluster.processes)
      if (this.places.get(process)?.tenant === 'other') process.kill();
    for (const store of this.world.stores) {
      const has = this.world.cluster.processes.some((it) => it.isAlive && this.places.get(it)?.store === store);
      if (!has) this.start({ store, tenant: 'own' });
    }
  }

  /** Whether there are two more who can do what it does. */
  isSpare(process: WorkerProcess): boolean {
    const store = this.places.get(process)?.store;
    const others = this.world.cluster.processes.filter((it) => it !== process && it.isAlive);
    return others.filter((it) => this.places.get(it)?.store === store).length >= 2;
  }

  private drawPlace(): Place {
    const { random, stores, otherTenant } = this.world;
    const store = stores.length === 1 ? (stores[0] as SimStore) : random.pick(stores);
    const mayBeWrong = !this.world.worlds.hazards.has('coinciding-tenants') || this.isBound;
    const isWrong = otherTenant !== undefined && mayBeWrong && !this.world.isCalm && random.chance(0.4);
    return { store, tenant: isWrong ? 'other' : 'own' };
  }

  private resumeWatches(process: WorkerProcess, deps: ActivityDeps): void {
    if (!process.isAlive) return;
    const pass = this.world.worlds.passes
      ? this.product.startUnended(deps, () => {}, { rowsUntil: this.world.time.now + 30_000 })
      : this.product.wakeNeglectedWatches(deps);
    void pass.catch(() => {});
    this.world.time.after(RESUME_EVERY_MS, () => this.resumeWatches(process, deps));
  }

  /** The product's own comparison of the bank with the one that its store belongs to. */
  private bindingOf(store: Store, bank: Bank, tenant: Place['tenant']): () => Promise<void> {
    const { bindStore, loadConfig, StoreIdentityError, StoreMismatch } = this.product;
    const config = loadConfig({
      PAYOUTS_API_URL: 'http://127.0.0.1:1',
      PAYOUTS_API_KEY: `key-${tenant}`,
      PAYOUTS_API_SECRET: `secret-${tenant}`,
    });
    const binding = bindStore({ config, store, bank, temporal: { cluster: 'cluster-1', namespace: 'default' } });
    binding.catch(() => {});
    return async () => {
      try {
        await (await binding).assert();
        this.isBound ||= tenant === 'own';
      } catch (error) {
        if (error instanceof StoreIdentityError) throw new StoreMismatch(error.message);
        throw error;
      }
    };
  }

  /** Registers the process as one that sends from the store, as a worker does, where more than one machine or store is about. */
  private senderOf(
    process: WorkerProcess,
    { store }: SimStore,
    assertIdentity: () => Promise<void>,
  ): () => Promise<void> {
    const { world, product } = this;
    if (!isOfMachines(world.worlds.hazards)) return assertIdentity;
    const deps = {
      config: { settings: world.settings, witnessFolder: '' },
      store,
      log: UNANSWERED,
      now: () => world.time.now,
    };
    const sender = currentHost.run(process, () => product.openSenderOn(deps, world.machine.seenBy(process, 'store')));
    sender.catch(() => {});
    return async () => {
      await (await sender).assert();
      await assertIdentity();
    };
  }

  private depsOf(process: WorkerProcess, { store, tenant }: Place): ActivityDeps {
    const { createBank, withRequiredDetailsCache, checkInstruction, listReader, StoreMismatch } = this.product;
    const network = tenant === 'own' ? this.network : this.otherNetwork;
    if (network === undefined) throw new Error('there is no other tenant');
    const bank = createBank({
      baseUrl: 'http://bank',
      apiKey: 'key',
      apiSecret: 'secret',
      transport: network.transportOf(process),
    });
    const [anyPayout] = this.world.payouts;
    const reads = {
      bank: withRequiredDetailsCache(bank),
      store: faultyStore(this.world, store.store, process),
      settings: this.world.settings,
      now: () => this.world.time.now,
    };
    return {
      ...reads,
      readList: listReader(reads),
      executions: executionsOf(this.world, process),
      checkInstruction,
      assertIdentity: this.senderOf(
        process,
        store,
        this.world.worlds.hazards.has('coinciding-tenants')
          ? this.bindingOf(store.store, bank, tenant)
          : async () => {
              if (tenant === 'other') throw new StoreMismatch('this key does not see the accounts of this store');
              // The product reads the accounts before anything else, and so receives the bank's time.
              if (this.world.bank.profile.reportsTime && bank.clock.offset() === undefined)
                await bank.accounts.get(anyPayout?.accepted.accountId ?? '');
            },
      ),
    };
  }
}
