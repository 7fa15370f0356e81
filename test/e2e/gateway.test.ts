import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandHome, openCommandHome, type Process, QUICK, type Running } from '../support/command.ts';
import { until } from '../support/until.ts';
import { paymentsIn } from './books.ts';
import { type BatchDocument, batchOf, listOf } from './documents.ts';
import { csvOf, payable } from './payout-files.ts';

/** One stack that `dev` keeps up, with its gateway; every test has payouts of its own. */
let home: CommandHome;
/** Of drop folders. */
let folders: string;
let dev: Process;

beforeAll(async () => {
  folders = mkdtempSync(join(tmpdir(), 'payouts-folders-'));
  home = openCommandHome({ ...QUICK, PAYOUTS_FOLDERS: join(folders, 'scheduled') });
  dev = home.start('dev');
  await dev.says(/Up until Ctrl-C/);
});

afterAll(async () => {
  await home.close();
  rmSync(folders, { recursive: true });
});

const gatewayUrl = (): string => home.stack()?.gatewayUrl ?? '';

async function post(url: string, csv: string | Buffer<ArrayBuffer>, headers: Record<string, string> = {}) {
  const request = { method: 'POST', body: csv, headers: { 'content-type': 'text/csv', ...headers } };
  const response = await fetch(`${url}/v1/batches`, request);
  return { status: response.status, document: (await response.json()) as BatchDocument };
}

/** Rows of different amounts: none looks like another. */
const rows = (prefix: string, count: number, cents: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `${prefix}-${index + 1}`, amount: `${index + 1}.${cents}` }));

const ordersOf = (prefix: string): number =>
  paymentsIn(home.path).filter(({ reference }) => references.get(prefix)?.has(reference)).length;
const references = new Map<string, Set<string>>();

function remember(prefix: string, { payouts }: BatchDocument): void {
  references.set(prefix, new Set(payouts.map(({ reference }) => reference)));
}

async function completed(url: string, batchId: string): Promise<void> {
  await until(async () => {
    const shown = (await (await fetch(`${url}/v1/batches/${batchId}`)).json()) as BatchDocument;
    return shown.state === 'completed';
  });
}

describe('the gateway of a stack that `dev` keeps up', () => {
  it.runIf(process.platform === 'linux')('leaves no memory of a process with cards in a core dump', () => {
    const filter = readFileSync(`/proc/${home.stack()?.pid}/coredump_filter`, 'utf8');
    expect(Number.parseInt(filter, 16)).toBe(0);
  });

  it('pays a file once, however often it is handed over under its key, and answers as the command does', async () => {
    const file = csvOf(rows('ONCE', 3, 11));
    const key = { 'idempotency-key': 'once' };
    const answers = await Promise.all([1, 2, 3].map(() => post(gatewayUrl(), file, key)));
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
    const [first] = answers;
    if (first === undefined) throw new Error('no answer');
    remember('ONCE', first.document);
    await completed(gatewayUrl(), first.document.batchId);
    expect(await post(gatewayUrl(), file, key)).toEqual(first);
    expect((await post(gatewayUrl(), file)).status).toBe(409);
    expect(ordersOf('ONCE')).toBe(3);
    const shown = async () =>
      (await (await fetch(`${gatewayUrl()}/v1/batches/${first.document.batchId}`)).json()) as { asOf: string };
    const said = async () => batchOf(await home.payouts('status', first.document.batchId, '--json'));
    // The end of the batch itself is stored a moment after that of its last row, and may be between two answers.
    let both = [await shown(), await said()] as const;
    await until(async () => {
      both = [await shown(), await said()];
      return both[0].asOf === both[1].asOf;
    });
    // Addresses there, files here.
    expect({ ...both[0], reports: both[1].reports }).toEqual(both[1]);
    const { next, ...listed } = (await (await fetch(`${gatewayUrl()}/v1/batches`)).json()) as { next: null };
    expect(next).toBeNull();
    expect(listed).toEqual(listOf(await home.payouts('list', '--json')));
  });

  it('pays one payout without a file, once, as its Location shows', async () => {
    const body = JSON.stringify(payable({ id: 'ALONE', amount: '1.31' }));
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'alone' };
    const submit = () => fetch(`${gatewayUrl()}/v1/payouts`, { method: 'POST', body, headers });
    const answers = await Promise.all([submit(), submit()]);
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    const [location, other] = answers.map((answer) => answer.headers.get('location'));
    expect(other).toBe(location);
    references.set('ALONE', new Set([location?.split('/').at(-1) ?? '']));
    await until(async () => {
      const shown = (await (await fetch(gatewayUrl() + location)).json()) as { payout: { state: string } };
      return shown.payout.state === 'completed';
    });
    expect(ordersOf('ALONE')).toBe(1);
  });

  it('controls a batch', async () => {
    const held = csvOf([{ id: 'CONTROL', amount: '4.44', note: 'sandbox:audit' }]);
    const { batchId } = (await post(gatewayUrl(), held)).document;
    const url = `${gatewayUrl()}/v1/batches/${batchId}`;
    const controls = [];
    for (const name of ['pause', 'resume', 'drain', 'cancel']) {
      const response = await fetch(`${url}/${name}?by=alice`, { method: 'POST' });
      controls.push(((await response.json()) as { control: string }).control);
    }
    expect(controls).toEqual(['paused', 'running', 'draining', 'cancelling']);
  });

  it('killed at its work makes no second batch: the same request finds the first', async () => {
    const file = csvOf(rows('KILL', 2_000, 21));
    const key = { 'idempotency-key': 'kill' };
    const first = home.start('gateway', '--json');
    await first.says(/gatewayUrl/);
    const lost = post(urlOf(first), file, key).catch(() => 'lost');
    await until(async () =>
      listOf(await home.payouts('list', '--json')).batches.some(({ counts }) => counts.total === 2_000),
    );
    first.kill('SIGKILL');
    await Promise.all([first.ended, lost]);
    const second = home.serve('gateway', '--json');
    await second.says(/gatewayUrl/);
    const again = await post(urlOf(second), file, key);
    expect(again).toMatchObject({ status: 202, document: { counts: { total: 2_000 } } });
    const made = listOf(await home.payouts('list', '--json')).batches.filter(({ counts }) => counts.total === 2_000);
    expect(made.map(({ batchId }) => batchId)).toEqual([again.document.batchId]);
    await fetch(`${gatewayUrl()}/v1/batches/${again.document.batchId}/cancel`, { method: 'POST' });
    second.kill('SIGINT');
    expect((await second.ended).code).toBe(0);
  });

  it.runIf(process.platform === 'linux')(
    'takes a body of 60 MB without keeping it (Linux: read from /proc)',
    async () => {
      const body = Buffer.alloc(60 * 1024 * 1024, 'x');
      const growthOfOne = async (): Promise<number> => {
        const before = residentMb(dev.pid);
        let most = before;
        const timer = setInterval(() => {
          most = Math.max(most, residentMb(dev.pid));
        }, 20);
        expect((await post(gatewayUrl(), body)).status).toBe(422);
        clearInterval(timer);
        return most - before;
      };
      // Chunks are collected late, and the process runs a worker and a bank as well, which grow by themselves: one body in
      // ten that takes less than itself is enough. A body that is kept whole shows as 60 and more each time.
      let least = Number.POSITIVE_INFINITY;
      for (let times = 0; times < 10 && least >= 45; times += 1) least = Math.min(least, await growthOfOne());
      expect(least).toBeLessThan(45);
    },
  );
});

const urlOf = (gateway: Running): string => /"gatewayUrl":"([^"]+)"/.exec(gateway.printed())?.[1] ?? '';

const residentMb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

describe('a drop folder', () => {
  const dirOf = (name: string): string => {
    const dir = join(folders, name);
    mkdirSync(join(dir, 'in'), { recursive: true });
    return dir;
  };
  const filesIn = (dir: string, name: string): string[] => readdirSync(join(dir, name)).sort();

  it('pays every file once, wherever its watcher is killed', async () => {
    const dir = dirOf('watched');
    for (const [index, name] of ['a', 'b', 'c'].entries())
      writeFileSync(join(dir, 'in', `${name}.csv`), csvOf(rows(`DROP-${name}`, 20, 31 + index)));
    writeFileSync(join(dir, 'in', 'bad.csv'), csvOf([{ id: 'DROP-BAD', amount: '1.234' }]));
    const killed = home.start('intake', dir);
    await until(async () => existsSync(join(dir, 'work')) && filesIn(dir, 'work').length > 0);
    killed.kill('SIGKILL');
    await killed.ended;
    const watcher = home.serve('intake', dir);
    await until(async () => filesIn(dir, 'done').length === 6);
    watcher.kill('SIGINT');
    expect((await watcher.ended).code).toBe(0);
    expect([filesIn(dir, 'in'), filesIn(dir, 'work')]).toEqual([[], []]);
    expect(filesIn(dir, 'error')).toEqual(['bad.csv', 'bad.csv.error.json']);
    for (const name of ['a', 'b', 'c']) {
      const { batchId } = JSON.parse(readFileSync(join(dir, 'done', `${name}.csv.batch.json`), 'utf8'));
      const [report = ''] = filesIn(dir, 'out').filter(
        (file) => file.startsWith(`${name}-`) && file.endsWith('-report.json'),
      );
      const document = JSON.parse(readFileSync(join(dir, 'out', report), 'utf8')) as BatchDocument;
      expect(document.batchId).toBe(batchId);
      remember(name, document);
      expect([document.file, document.state, ordersOf(name)]).toEqual([`${name}.csv`, 'completed', 20]);
    }
  });

  it('is scanned once on request', async () => {
    const dir = dirOf('once');
    copyFileSync(home.file('once.csv', csvOf(rows('SWEPT', 1, 41))), join(dir, 'in', 'once.csv'));
    const { code, stdout } = await home.payouts('intake', dir, '--once', '--json');
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { schemaVersion: 1, folder: dir, taken: 1, refused: 0 }]);
  });

  it('is scanned by a schedule', async () => {
    const dir = dirOf('scheduled');
    writeFileSync(join(dir, 'in', 'due.csv'), csvOf(rows('DUE', 2, 51)));
    const other = await home.payouts('schedule', 'create', '--folder', dirOf('other'), '--every', '5s');
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('PAYOUTS_FOLDERS')]);
    expect((await home.payouts('schedule', 'create', '--folder', dir, '--every', '5s')).code).toBe(0);
    await until(async () => existsSync(join(dir, 'done')) && filesIn(dir, 'done').includes('due.csv'));
    const { schedules } = JSON.parse((await home.payouts('schedule', 'list', '--json')).stdout);
    expect(schedules).toMatchObject([{ name: 'scheduled', folder: dir, everyMs: 5_000, paused: false }]);
    expect((await home.payouts('schedule', 'delete', 'scheduled')).code).toBe(0);
    expect((await home.payouts('schedule', 'delete', 'scheduled')).code).toBe(2);
  });
});
