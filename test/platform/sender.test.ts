import { chmodSync, cpSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/platform/config.ts';
import { createLog } from '../../src/platform/log.ts';
import { openSender } from '../../src/platform/this-sender.ts';
import { openStore } from '../../src/store/open.ts';
import { readWitness } from '../../src/store/witness.ts';
import { openTables } from '../store/later-build.ts';
import { createDatabase, dropDatabase } from '../support/databases.ts';
import { newFolder } from '../support/new-folder.ts';

const log = createLog('silent');
const MINUTE = 60_000;
/** Bank's late commit, lag of its lists, difference of the clocks. */
const WINDOW = 22 * MINUTE;

let folder: string;
let now: number;
beforeEach(() => {
  folder = newFolder();
  now = Date.UTC(2026, 10, 28, 12);
});

const configOf = (home: string) => loadConfig({ PAYOUTS_HOME: join(folder, home), HOME: folder });

/** What a process finds that sends from the store of this home until `close`. */
async function sendingFrom(home = 'home') {
  const config = configOf(home);
  const store = await openStore(config.storeUrl.reveal());
  onTestFinished(() => store.close());
  const sender = await openSender({ config, store, log, now: () => now });
  return { store, sender, config, close: () => sender[Symbol.asyncDispose]() };
}

/** Sends from the store once, and closes it as a whole. */
async function sentOnce(home = 'home'): Promise<void> {
  const config = configOf(home);
  const store = await openStore(config.storeUrl.reveal());
  const sender = await openSender({ config, store, log, now: () => now });
  await sender[Symbol.asyncDispose]();
  await store.close();
  now += MINUTE;
}

const whyOf = async ({ store }: Awaited<ReturnType<typeof sendingFrom>>) =>
  (await store.resumptionsSince(0)).map(({ why }) => why);

const copy = (from: string, to: string) => cpSync(join(folder, from), join(folder, to), { recursive: true });
const remove = (home: string) => rmSync(join(folder, home), { recursive: true });

describe('a process that sends', () => {
  it('begins with a new store, and anew when the last one has ended', async () => {
    const first = await sendingFrom();
    // Any read of the whole list counts before the first sender.
    expect(await first.store.resumed()).toEqual({ at: 0, from: 0 });
    now += 5 * MINUTE;
    await first.close();
    const ended = now;
    now += 5 * MINUTE;
    const second = await sendingFrom();
    expect(await second.store.resumed(ended)).toEqual({ at: now, from: ended - WINDOW });
    expect(await whyOf(second)).toEqual(['new', 'restart']);
    expect(await second.store.auditEntriesOf('store')).toMatchObject([
      { action: 'resume', detail: { why: 'new' } },
      { action: 'resume', detail: { why: 'restart', last_used: new Date(ended).toISOString(), pid: `${process.pid}` } },
    ]);
  });

  it('joins one that is at work', async () => {
    await sendingFrom();
    expect(await whyOf(await sendingFrom())).toEqual(['new']);
  });

  it('finds that it was suspended, before it sends', async () => {
    const { sender, store } = await sendingFrom();
    const suspended = now;
    now += 12 * MINUTE;
    await sender.assert();
    expect(await store.resumptionsSince(suspended + 1)).toEqual([]);
    now += 1;
    await sender.assert();
    expect(await store.resumptionsSince(suspended + 1)).toEqual([{ at: now, from: 0, why: 'gap' }]);
    await sender.assert();
    expect(await store.resumptionsSince(suspended + 1)).toHaveLength(1);
  });

  it('takes a clock that was set back for a gap', async () => {
    const { sender, store } = await sendingFrom();
    now -= 60 * MINUTE;
    await sender.assert();
    expect(await store.resumed(now - 1)).toEqual({ at: now, from: 0 });
    expect((await store.resumptionsSince(0)).map(({ why }) => why).toSorted()).toEqual(['gap', 'new']);
  });

  it('goes on where nothing can be noted outside the store', async () => {
    const state = join(folder, '.local');
    mkdirSync(state);
    chmodSync(state, 0o500);
    const { sender, config, store } = await sendingFrom();
    // Root may write anywhere.
    if (process.getuid?.() !== 0) expect(readWitness(config.witnessFolder, store.id)).toBeUndefined();
    await sender.assert();
    chmodSync(state, 0o700);
  });
});

describe('a store that was put back in time', () => {
  it('counts as restored since its last sign of life, as a whole folder', async () => {
    await sentOnce();
    const known = now - MINUTE;
    copy('home', 'snapshot');
    await sentOnce();
    remove('home');
    copy('snapshot', 'home');
    remove('snapshot');
    const { store, ...sending } = await sendingFrom();
    expect(await store.restored()).toEqual({ at: now, from: known - WINDOW });
    expect(await store.resumed(known)).toEqual({ at: now, from: 0 });
    expect(await whyOf({ store, ...sending })).toEqual(['new', 'rolled-back']);
  });

  it('counts as restored where its file has the same inode', async () => {
    await sentOnce();
    const file = join(folder, 'home', 'store.sqlite');
    cpSync(file, `${file}.old`);
    await sentOnce();
    cpSync(`${file}.old`, file);
    expect(await whyOf(await sendingFrom())).toEqual(['new', 'rolled-back']);
  });

  it('under a running process is found before that sends', async () => {
    const { sender, store, config } = await sendingFrom();
    await sender.assert();
    expect(await store.restored()).toBeUndefined();
    const before = readWitness(config.witnessFolder, store.id);
    const tables = openTables(config.storeUrl.reveal());
    await tables.deleteFrom('senders').execute();
    await tables.destroy();
    now += MINUTE;
    await sender.assert();
    expect(await store.restored()).toEqual({ at: now, from: 0 });
    const after = readWitness(config.witnessFolder, store.id);
    expect(after?.senderId).not.toBe(before?.senderId);
    expect(await store.pulsesOf(after?.senderId ?? '')).toBe(0);
  });

  it('is distinguished from a file that was put in place of the one in use: nothing is sent any more', async () => {
    const { sender } = await sendingFrom();
    const file = join(folder, 'home', 'store.sqlite');
    cpSync(file, `${file}.old`);
    renameSync(`${file}.old`, file);
    await expect(sender.assert()).rejects.toThrow('replaced by another file');
    expect(await sender.failure).toMatchObject({
      code: 'store-replaced',
      kind: 'set-up',
    });
  });
});

describe('a copy of a store', () => {
  it('is refused beside its original, whichever was used last', async () => {
    await sentOnce();
    copy('home', 'copy');
    const original = join(folder, 'home');
    await expect(sendingFrom('copy')).rejects.toMatchObject({
      code: 'stack-copied',
      kind: 'set-up',
      message: expect.stringContaining(original),
      hint: expect.stringContaining(`PAYOUTS_HOME=${original}`),
    });
    renameSync(original, join(folder, 'away'));
    expect(await whyOf(await sendingFrom('copy'))).toEqual(['new', 'copied']);
    renameSync(join(folder, 'away'), original);
    await expect(sendingFrom('home')).rejects.toMatchObject({ code: 'stack-copied' });
  });

  it('is not what was only moved', async () => {
    await sentOnce();
    renameSync(join(folder, 'home'), join(folder, 'moved'));
    expect(await whyOf(await sendingFrom('moved'))).toEqual(['new', 'restart']);
  });

  it('is not another store at the place of the original', async () => {
    await sentOnce();
    renameSync(join(folder, 'home'), join(folder, 'moved'));
    await sentOnce();
    expect(await whyOf(await sendingFrom('moved'))).toEqual(['new', 'restart']);
  });
});

const ADMIN = process.env.PAYOUTS_TEST_POSTGRES_URL;

describe.runIf(ADMIN !== undefined)('a PostgreSQL database', () => {
  async function sendingAt(url: string) {
    const config = loadConfig({ PAYOUTS_STORE_URL: url, PAYOUTS_HOME: join(folder, 'home'), HOME: folder });
    const store = await openStore(url);
    const sender = await openSender({ config, store, log, now: () => now });
    return { store, sender, [Symbol.asyncDispose]: () => store.close() };
  }

  const nameIn = (url: string): string => new URL(url).pathname.slice(1);

  it('is joined while another machine sends from it, and distinguishes its copy from itself', async () => {
    const admin = ADMIN ?? '';
    const url = await createDatabase(admin, `payouts_sender_${process.pid}_${Date.now()}`);
    onTestFinished(() => dropDatabase(admin, nameIn(url)));
    {
      await using one = await sendingAt(url);
      now += MINUTE - 1;
      await using other = await sendingAt(url);
      expect((await other.store.resumptionsSince(0)).map(({ why }) => why)).toEqual(['new']);
      await one.sender[Symbol.asyncDispose]();
      await other.sender[Symbol.asyncDispose]();
    }
    const copied = await createDatabase(admin, `${nameIn(url)}_copy`, nameIn(url));
    onTestFinished(() => dropDatabase(admin, nameIn(copied)));
    await using copyOf = await sendingAt(copied);
    expect((await copyOf.store.resumptionsSince(0)).map(({ why }) => why)).toEqual(['new', 'copied']);
    await copyOf.sender[Symbol.asyncDispose]();
    now += MINUTE;
    // The original does not know what was sent from its copy.
    await using original = await sendingAt(url);
    expect((await original.store.resumptionsSince(0)).map(({ why }) => why)).toEqual(['new', 'rolled-back']);
    await original.sender[Symbol.asyncDispose]();
  });
});
