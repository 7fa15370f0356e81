import { hash, randomUUID } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, resolve } from 'node:path';
import { StoreMismatch } from '../domain/claim.ts';
import type { Log } from '../domain/settings.ts';
import {
  judgeOpening,
  missingSince,
  type Opening,
  type Sender,
  type SenderSeen,
  UNUSUAL,
  type Witness,
} from '../domain/store-past.ts';
import { storeIdIn } from '../store/engine/store-file.ts';
import { storeLocation } from '../store/engine/store-url.ts';
import type { Store } from '../store/store.ts';
import { StoreFileError } from '../store/store-errors.ts';
import { readWitness, writeWitness } from '../store/witness.ts';
import type { Config } from './config.ts';
import { processMark, StackError } from './embedded/home.ts';
import type { PartHealth } from './part-health.ts';

/** Where a store is: its path or name, and what distinguishes it from its copies. */
type StorePlace = Pick<Sender, 'place' | 'placeMark'> & {
  /** Path of the SQLite file; null for PostgreSQL. */
  file: string | null;
};

async function placeOf(config: Config, store: Store): Promise<StorePlace> {
  const location = storeLocation(config.storeUrl.reveal());
  if (location.kind === 'file') {
    const file = resolve(location.path);
    return { file, place: file, placeMark: fileMark(file) };
  }
  const { name, mark } = await store.databaseMark();
  return { file: null, place: name, placeMark: mark };
}

/** Distinguishes a file from its copies: a copy has another inode, or was created at another time. Empty: there is no such file. */
export function fileMark(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? '' : `${found.ino}:${Math.trunc(found.birthtimeMs)}`;
}

/** This process and the machine it runs on, as others recognise them. */
export const thisProcess = (): Pick<Sender, 'machine' | 'boot' | 'pid' | 'processMark'> => ({
  machine: hash('sha256', read('/etc/machine-id') ?? hostname()).slice(0, 12),
  boot: read('/proc/sys/kernel/random/boot_id') ?? '',
  pid: process.pid,
  processMark: processMark(process.pid) ?? '',
});

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

/**
 * Refuses a store file that is a copy of one that is still where it was last used on this machine: each of the two would pay what
 * is open. PostgreSQL, and an original that cannot be read, say nothing here.
 *
 * @throws StackError `stack-copied`
 */
export async function assertNoCopy(config: Config, store: Store): Promise<void> {
  const own = await placeOf(config, store);
  if (own.file === null) return;
  const witness = readWitness(config.witnessFolder, store.id);
  const [last] = await store.senders();
  const { machine } = thisProcess();
  for (const place of [witness?.place, last?.machine === machine ? last.place : undefined]) {
    if (place !== undefined && (await isOriginal(place, own, store.id)))
      throw isCopied(dirname(own.file), dirname(place));
  }
}

async function isOriginal(path: string, own: StorePlace, storeId: string): Promise<boolean> {
  const mark = fileMark(path);
  if (mark === '' || mark === own.placeMark) return false;
  return (await storeIdIn(path).catch(() => undefined)) === storeId;
}

const isCopied = (copy: string, original: string): StackError =>
  new StackError(
    'copied',
    `the store in ${copy} is a copy of the one in ${original}, which is still there, and both would pay what is open: nothing is sent`,
    `Use the original: PAYOUTS_HOME=${original}. If the copy is to take its place, move ${original} away first.`,
  );

const PULSE_MS = 10_000;
/** A process on another machine counts as alive for this long after a sign of life; nobody counts as suspended before. */
const ALIVE_MS = 60_000;

/** This process as one that sends from a store, from its opening to its end. */
export interface OpenSender extends AsyncDisposable {
  /**
   * Before anything is sent: whether the store is still the one that was opened. If it went back in time meanwhile, or this process
   * was suspended, that is recorded first. Throws a `StoreMismatch` if another file has taken the place of the store's.
   */
  assert(): Promise<void>;
  /** Resolves if another file has taken the place of the store's: everything that this process writes is lost. */
  failure: Promise<Error>;
}

interface SenderDeps {
  config: Pick<Config, 'settings' | 'witnessFolder'>;
  store: Store;
  log: Log;
  now?: () => number;
  /** Which parts answer this process: written with its signs of life. */
  health?: Pick<PartHealth, 'check' | 'outages'>;
}

/**
 * Registers this process as one that sends from the store, and records what the opening means (`judgeOpening`). Then it keeps
 * writing signs of life, in the store and outside it.
 *
 * @throws Problem `stack-copied` if the store is a copy and its original is still there
 */
export async function openSender(deps: SenderDeps & { config: Config }): Promise<OpenSender> {
  await assertNoCopy(deps.config, deps.store);
  const { witnessFolder } = deps.config;
  return openSenderOn(deps, {
    place: await placeOf(deps.config, deps.store),
    self: thisProcess,
    markOfProcess: processMark,
    markOfFile: fileMark,
    readWitness: (storeId) => readWitness(witnessFolder, storeId),
    writeWitness: (storeId, witness) => writeWitness(witnessFolder, storeId, witness),
  });
}

/** The machine as a sender sees it. */
export interface Machine {
  place: StorePlace;
  self: typeof thisProcess;
  markOfProcess(pid: number): string | undefined;
  markOfFile(path: string): string;
  readWitness(storeId: string): Witness | undefined;
  /** Throws where nothing can be kept. */
  writeWitness(storeId: string, witness: Witness): void;
}

/** The same on a given machine, whose store is no copy. */
export async function openSenderOn(deps: SenderDeps, machine: Machine): Promise<OpenSender> {
  const sender = new RegisteredSender(deps, machine);
  await sender.open();
  return sender;
}

class RegisteredSender implements OpenSender {
  readonly failure: Promise<Error>;
  private readonly fail: (error: Error) => void;
  private readonly deps: SenderDeps & { now: () => number };
  private readonly machine: Machine;
  private own: Sender & { pulses: number; aliveAt: number };
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  /** Shared by all who are about to send at this moment. */
  private asserting: Promise<void> | undefined;
  private isWitnessed = true;

  constructor({ now = Date.now, ...deps }: SenderDeps, machine: Machine) {
    this.deps = { ...deps, now };
    this.machine = machine;
    this.own = this.anew();
    const { promise, resolve } = Promise.withResolvers<Error>();
    [this.failure, this.fail] = [promise, resolve];
  }

  async open(): Promise<void> {
    const { store, now } = this.deps;
    const senders = await store.senders();
    const opening = judgeOpening({
      now: now(),
      own: this.own,
      senders,
      witness: this.witness(),
      restoredAt: (await store.restored())?.at,
      windowMs: this.windowMs(),
      suspendedMs: this.suspendedMs(),
      isAlive: (sender) => this.isAlive(sender),
    });
    await this.record(opening, senders[0]);
    await this.register();
    this.timer = setInterval(() => void this.live(), PULSE_MS);
    this.timer.unref();
  }

  /** A sign of life, and another one if the parts answer otherwise than it said. */
  private async live(): Promise<void> {
    try {
      await this.pulse();
      if (await this.deps.health?.check()) await this.pulse();
    } catch (error) {
      this.deps.log.warn({ error }, 'the sign of life could not be written to the store');
    }
  }

  assert(): Promise<void> {
    this.asserting ??= this.compare().finally(() => {
      this.asserting = undefined;
    });
    return this.asserting;
  }

  private async compare(): Promise<void> {
    const { store, now } = this.deps;
    this.assertInPlace();
    const known = await store.pulsesOf(this.own.senderId);
    const isBehind = known === undefined || known < this.own.pulses;
    if (isBehind || this.wasSuspended(now())) await this.pulse();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.timer);
    await this.running?.catch(() => undefined);
    await this.beat({ ends: true }).catch((error: unknown) => {
      this.deps.log.warn({ error }, 'the end of this process could not be written to the store');
    });
  }

  /** One at a time; callers meanwhile share it. */
  private pulse(): Promise<void> {
    this.running ??= this.beat().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  private async beat({ ends = false } = {}): Promise<void> {
    const { store, now } = this.deps;
    this.assertInPlace();
    const { senderId, pulses } = this.own;
    const at = now();
    if (this.wasSuspended(at)) {
      await this.record({ kind: 'begins', why: 'gap', from: 0 }, { ...this.own, endedAt: null });
    }
    if (await store.recordPulse({ senderId, pulses, at, ends, outages: this.deps.health?.outages })) {
      this.own = { ...this.own, pulses: pulses + 1, aliveAt: at };
      this.writeWitness();
      return;
    }
    const [last] = await store.senders();
    const from = missingSince(last?.aliveAt ?? 0, at, this.windowMs());
    await this.record({ kind: 'restored', why: 'rolled-back', from }, last);
    this.own = this.anew();
    await this.register();
  }

  private async record(opening: Opening, last: SenderSeen | undefined): Promise<void> {
    if (opening.kind === 'joins') return;
    const { store, log, now } = this.deps;
    const { why, from } = opening;
    const detail = lastUse(last);
    if (opening.kind === 'begins') await store.recordResumption({ at: now(), from, why, detail });
    else await store.recordRestore({ at: now(), from, by: 'worker', why, detail: { why, ...detail } });
    const reported = { why, from: new Date(from).toISOString(), ...detail };
    if (UNUSUAL.has(why))
      log.warn(reported, 'the store may know less than was sent: the bank is asked before anything is sent');
    else log.info(reported, 'sending begins anew with this store');
  }

  private async register(): Promise<void> {
    await this.deps.store.registerSender(this.own);
    this.writeWitness();
  }

  private assertInPlace(): void {
    const { file, placeMark } = this.machine.place;
    if (file === null || this.machine.markOfFile(file) === placeMark) return;
    const message = `the store ${file} was removed, or replaced by another file, while it was in use`;
    this.fail(new StoreFileError('store-replaced', message, 'Nothing is sent any more: start it again.'));
    throw new StoreMismatch(message);
  }

  private isAlive({ machine, boot, pid, processMark: mark, aliveAt, endedAt }: SenderSeen): boolean {
    if (endedAt !== null) return false;
    if (this.machine.place.file === null) return Math.abs(this.deps.now() - aliveAt) < ALIVE_MS;
    return machine === this.own.machine && boot === this.own.boot && this.machine.markOfProcess(pid) === mark;
  }

  /** Or the clock was set by as much. */
  private wasSuspended(now: number): boolean {
    return Math.abs(now - this.own.aliveAt) > this.suspendedMs();
  }

  private anew(): Sender & { pulses: number; aliveAt: number } {
    const { place, placeMark } = this.machine.place;
    return { senderId: randomUUID(), ...this.machine.self(), place, placeMark, pulses: 0, aliveAt: this.deps.now() };
  }

  private witness() {
    return this.machine.readWitness(this.deps.store.id);
  }

  /** Goes on without: a home folder may be read-only, or not there. */
  private writeWitness(): void {
    const { config, store, log } = this.deps;
    try {
      this.machine.writeWitness(store.id, this.own);
      this.isWitnessed = true;
    } catch (error) {
      const text = 'nothing outside the store notes how far it is: a store that is put back in time may go unnoticed';
      if (this.isWitnessed) log.warn({ error, folder: config.witnessFolder }, text);
      this.isWitnessed = false;
    }
  }

  private windowMs(): number {
    const { terms, clockSkewMs } = this.deps.config.settings;
    return terms.waits.lateCommitMs + terms.waits.listLagMs + clockSkewMs;
  }

  private suspendedMs(): number {
    const { lateCommitMs, listLagMs } = this.deps.config.settings.terms.waits;
    return Math.max(lateCommitMs + listLagMs, ALIVE_MS);
  }
}

/** For the audit log: nothing personal. */
const lastUse = (last: SenderSeen | undefined): Record<string, string> =>
  last === undefined
    ? {}
    : { last_used: new Date(last.aliveAt).toISOString(), machine: last.machine, pid: `${last.pid}` };
