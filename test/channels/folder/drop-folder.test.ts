import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { v7 } from 'uuid';
import { describe, expect, it, vi } from 'vitest';
import { DropFolder } from '../../../src/channels/folder/drop-folder.ts';
import type { FolderScan, FolderScanOptions } from '../../../src/domain/scanned-folder.ts';
import { csvOf } from '../../e2e/payout-files.ts';
import { type FaultProxy, openFaultProxy } from '../../support/fault-proxy.ts';
import { policyOf, signingPerson } from '../../support/people.ts';

const NONE: FolderScan = { taken: 0, refused: 0, ended: 0, open: 0 };

/** A drop folder of the test, and another watcher of it when asked for. */
async function openFolder(proxy: FaultProxy, more: Partial<FolderScanOptions> = {}) {
  const dir = join(proxy.dir, 'drop');
  mkdirSync(join(dir, 'in'), { recursive: true });
  const watcher = () => DropFolder.open(proxy.app, { dir, invalid: 'stop', ...more });
  return {
    watcher,
    /** What is tried again, as its log says. */
    failed: () => proxy.lines.map((line) => JSON.parse(line).error ?? line),
    path: (...names: string[]) => join(dir, ...names),
    drop: (name: string, text: string) => writeFileSync(join(dir, 'in', name), text),
    list: (name: string) => readdirSync(join(dir, name)).sort(),
    json: (...names: string[]) => JSON.parse(readFileSync(join(dir, ...names), 'utf8')),
    /** `work` as `file` by batch id. */
    work: () => readdirSync(join(dir, 'work')).map((id) => [id, ...readdirSync(join(dir, 'work', id))]),
  };
}

async function opened(more: Partial<FolderScanOptions> = {}) {
  const proxy = await openFaultProxy();
  const folder = await openFolder(proxy, more);
  return { proxy, folder, watcher: await folder.watcher() };
}

/** Reads once before, so that the next pass takes unchanged files. */
async function answered(watcher: DropFolder): Promise<FolderScan> {
  const scan = await watcher.scan();
  return scan.taken === 0 ? watcher.scan() : scan;
}

describe('what comes in', () => {
  it('is taken when it is unchanged between two reads, or has a marker; the rest stays', async () => {
    const { folder, watcher } = await opened();
    folder.drop('growing.csv', 'id,uid');
    folder.drop('marked.csv', csvOf([{ id: 'M' }]));
    folder.drop('marked.csv.done', '');
    for (const name of ['half.csv.part', 'half.TMP', '.hidden']) folder.drop(name, 'x');
    mkdirSync(folder.path('in', 'a folder'));
    symlinkSync('/etc/hostname', folder.path('in', 'link.csv'));
    expect(await watcher.scan()).toEqual({ ...NONE, taken: 1, open: 1 });
    folder.drop('growing.csv', csvOf([{ id: 'G' }]));
    expect(await watcher.scan()).toMatchObject({ taken: 0 });
    expect(await watcher.scan()).toEqual({ ...NONE, taken: 1, open: 2 });
    expect(folder.list('in')).toEqual(['.hidden', 'a folder', 'half.TMP', 'half.csv.part', 'link.csv']);
    expect(folder.work().map(([, name]) => name)).toEqual(['marked.csv', 'growing.csv']);
  });

  it('is not held up by a folder in the place of a marker', async () => {
    const { folder, watcher } = await opened();
    for (const name of ['a.csv', 'b.csv']) folder.drop(name, csvOf([{ id: name }]));
    mkdirSync(folder.path('in', 'a.csv.done'));
    expect(await watcher.scan()).toEqual(NONE);
    expect(await watcher.scan()).toEqual({ ...NONE, taken: 2, open: 2 });
  });

  it('is a bank statement among files of payouts: it is taken and paid for nothing, and refused if it does not add up', async () => {
    const folder = await openFolder(await openFaultProxy());
    const statement = (account: string, closing: string) =>
      [':20:S', `:25:${account}`, ':28C:1/1', ':60F:C260331USD10,00', `:62F:C260331USD${closing}`, '-'].join('\r\n');
    folder.drop('unknown.sta', statement('somebody', '10,00'));
    folder.drop('wrong.sta', statement('somebody', '11,00'));
    const watcher = await folder.watcher();
    await watcher.scan();
    await watcher.scan(0);
    expect(folder.list('error')).toEqual([
      'unknown.sta',
      'unknown.sta.error.json',
      'wrong.sta',
      'wrong.sta.error.json',
    ]);
    const rules = (name: string) =>
      folder
        .json('error', name)
        .statements.flatMap(({ findings }: { findings: { rule: string }[] }) => findings.map(({ rule }) => rule));
    expect(rules('unknown.sta.error.json')).toEqual(['unknown-account']);
    expect(rules('wrong.sta.error.json')).toEqual(['balances-differ', 'unknown-account']);
  });

  it('has its warnings beside the reports, since nobody is asked', async () => {
    const folder = await openFolder(await openFaultProxy());
    folder.drop('past.csv', csvOf([{ id: 'PAST', execute_on: '2020-01-01' }]));
    folder.drop('plain.csv', csvOf([{ id: 'PLAIN' }]));
    await answered(await folder.watcher());
    const written = folder.list('out').filter((name) => name.endsWith('.warnings.json'));
    const [batchId] = folder.work().find(([, name]) => name === 'past.csv') ?? [];
    expect(written).toEqual([`${batchId}.warnings.json`]);
    expect(folder.json('out', written[0] as string)).toMatchObject({
      batchId,
      file: 'past.csv',
      warnings: [{ rule: 'date-in-the-past', row: 1 }],
    });
  });

  it('says beside the reports that nobody has signed its rows', async () => {
    const proxy = await openFaultProxy();
    const policy = policyOf([signingPerson('alice', ['maker'])]);
    for (const person of policy.people) delete person.unsigned;
    Object.assign(proxy.app.settings, { policy });
    Object.assign(proxy.app.config, { folderMaker: 'alice' });
    const folder = await openFolder(proxy);
    folder.drop('plain.csv', csvOf([{ id: 'PLAIN' }]));
    await answered(await folder.watcher());
    const [written = ''] = folder.list('out').filter((name) => name.endsWith('.warnings.json'));
    expect(folder.json('out', written)).toMatchObject({
      file: 'plain.csv',
      warnings: [{ rule: 'no-maker-signature', row: null }],
    });
  });

  it('is for its owner only', async () => {
    const folder = await openFolder(await openFaultProxy());
    folder.drop('a.csv', csvOf([{ id: 'A' }]));
    await answered(await folder.watcher());
    const [[id = '', name = ''] = []] = folder.work();
    expect(statSync(folder.path('work', id, name)).mode & 0o777).toBe(0o600);
    for (const made of [folder.path('work'), folder.path('work', id), folder.path('out')])
      expect(statSync(made).mode & 0o777).toBe(0o700);
    for (const report of folder.list('out')) expect(statSync(folder.path('out', report)).mode & 0o777).toBe(0o600);
  });

  it('is taken by one of two watchers', async () => {
    const proxy = await openFaultProxy();
    const folder = await openFolder(proxy);
    for (const n of [1, 2, 3, 4, 5]) folder.drop(`${n}.csv`, csvOf([{ id: `D-${n}`, amount: `${n}.01` }]));
    const watchers = [await folder.watcher(), await folder.watcher()];
    await Promise.all(watchers.map((it) => it.scan()));
    const scans = await Promise.all(watchers.map((it) => it.scan()));
    expect(scans.reduce((sum, { taken }) => sum + taken, 0)).toBe(5);
    expect(await proxy.store.batches(10)).toHaveLength(5);
    expect(folder.failed()).toEqual([]);
  });

  it('needs its folder to be there', async () => {
    const folder = await openFolder(await openFaultProxy(), { dir: '/nowhere/drop' });
    await expect(folder.watcher()).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('a file under way', () => {
  it('is done when its batch has ended, with the reports of then; another of its name is kept beside it', async () => {
    const { proxy, folder, watcher } = await opened();
    for (const id of ['FIRST', 'SECOND']) {
      folder.drop('payroll.csv', csvOf([{ id, amount: id === 'FIRST' ? '1.00' : '2.00' }]));
      await answered(watcher);
      const [batchId = ''] = folder.work()[0] ?? [];
      const report = folder.list('out').find((name) => name.endsWith(`${batchId.slice(-12)}-report.json`)) ?? '';
      expect(folder.json('out', report)).toMatchObject({ state: 'open' });
      await proxy.end(batchId);
      expect(await watcher.scan()).toEqual({ ...NONE, ended: 1 });
      expect(folder.json('out', report)).toMatchObject({ state: 'completed', file: 'payroll.csv' });
    }
    const done = ['payroll.2.csv', 'payroll.2.csv.batch.json', 'payroll.csv', 'payroll.csv.batch.json'];
    expect(folder.list('done')).toEqual(done);
    const { batchId, state, reports } = folder.json('done', 'payroll.2.csv.batch.json');
    expect([state, existsSync(reports.csv)]).toEqual(['completed', true]);
    expect(folder.list('work')).toEqual([]);
    const before = readFileSync(reports.html);
    await proxy.report(batchId, { folder: folder.path('out') });
    expect(readFileSync(reports.html).equals(before)).toBe(true);
  });

  it('brings the rows that ended unpaid back as failed.csv', async () => {
    const { proxy, folder, watcher } = await opened();
    folder.drop('a.csv', csvOf([{ id: 'A' }]));
    await answered(watcher);
    const [batchId = ''] = folder.work()[0] ?? [];
    await proxy.end(batchId, 'failed');
    await watcher.scan();
    const failed = folder.list('out').find((name) => name.endsWith('-failed.csv')) ?? '';
    folder.drop('again.csv', readFileSync(folder.path('out', failed), 'utf8'));
    expect(await answered(watcher)).toEqual({ ...NONE, taken: 1, open: 1 });
  });

  it('is found again by a watcher that comes after a kill, before and after its claim', async () => {
    const proxy = await openFaultProxy();
    const folder = await openFolder(proxy);
    proxy.temporal.down = true;
    folder.drop('a.csv', csvOf([{ id: 'A' }]));
    expect(await answered(await folder.watcher())).toEqual({ ...NONE, taken: 1, open: 1 });
    expect(folder.failed()).toHaveLength(1);
    expect(await proxy.store.batches(10)).toEqual([]);
    proxy.temporal.down = false;
    for (const _kill of [1, 2]) expect(await (await folder.watcher()).scan()).toEqual({ ...NONE, open: 1 });
    const [[id] = []] = folder.work();
    expect((await proxy.store.batches(10)).map(({ batchId }) => batchId)).toEqual([id]);
    expect(proxy.started).toEqual([id]);
    await proxy.end(id ?? '');
    expect(await (await folder.watcher()).scan()).toEqual({ ...NONE, ended: 1 });
  });

  it.each([
    ['skip', 'paid', { open: 1 }],
    ['stop', 'reported', { refused: 1 }],
  ] as const)(
    'that its writer continued after a pause is taken again (%s): its later rows are %s',
    async (invalid, _, then) => {
      const { proxy, folder, watcher } = await opened({ invalid });
      folder.drop('a.csv', csvOf([{ id: 'A' }]));
      await answered(watcher);
      const [[batchId = ''] = []] = folder.work();
      writeFileSync(folder.path('work', batchId, 'a.csv'), csvOf([{ id: 'A' }, { id: 'B', amount: '2.00' }]));
      const before = Date.now() / 1000 - 10;
      utimesSync(folder.path('work', batchId), before, before);
      await proxy.end(batchId);
      await watcher.scan();
      expect(await watcher.scan()).toEqual({ ...NONE, ...then });
      expect(folder.list('done')).toEqual([]);
      if (invalid === 'stop')
        expect(folder.json('error', 'a.csv.error.json').findings).toMatchObject([{ row: 1, rule: 'already-taken' }]);
    },
  );

  it('is tried again when somebody else came in between its plan and its claim', async () => {
    const { proxy, folder, watcher } = await opened();
    folder.drop('a.csv', csvOf([{ id: 'A' }]));
    vi.spyOn(proxy.store, 'claimBatch').mockResolvedValueOnce({ claimed: false, known: [], changed: 'look-alike' });
    expect(await answered(watcher)).toEqual({ ...NONE, taken: 1, open: 1 });
    expect(folder.failed()).toMatchObject([{ code: 'other-plan' }]);
    expect(await watcher.scan()).toEqual({ ...NONE, open: 1 });
    expect(await proxy.store.batches(10)).toHaveLength(1);
  });

  it('pays its new rows when another run took one of them between its plan and its claim', async () => {
    const { proxy, folder, watcher } = await opened({ invalid: 'skip' });
    folder.drop('both.csv', csvOf([{ id: 'A' }, { id: 'B', amount: '2.00' }]));
    const claimBatch = proxy.store.claimBatch;
    vi.spyOn(proxy.store, 'claimBatch').mockImplementationOnce(async (claim) => {
      const [first] = claim.rows;
      await claimBatch({ ...claim, batchId: v7(), rows: first === undefined ? [] : [first] });
      return claimBatch(claim);
    });
    expect(await answered(watcher)).toEqual({ ...NONE, taken: 1, open: 1 });
    expect(await watcher.scan()).toEqual({ ...NONE, open: 1 });
    expect((await proxy.store.batches(10)).map(({ total }) => total).sort()).toEqual([1, 1]);
  });

  it('waits with the batch that has its rows', async () => {
    const { proxy, folder, watcher } = await opened();
    folder.drop('a.csv', csvOf([{ id: 'A' }]));
    await answered(watcher);
    folder.drop('the same.csv', csvOf([{ id: 'A' }]));
    await answered(watcher);
    const [[batchId = '', ...names] = []] = folder.work();
    expect(names).toEqual(['a.csv', 'the same.csv']);
    await proxy.end(batchId);
    expect(await watcher.scan()).toEqual({ ...NONE, ended: 2 });
  });
});

describe('a file that is refused', () => {
  it('is not refused at once if it may be cut off: its writer may go on after a pause', async () => {
    const { proxy, folder, watcher } = await opened();
    const [whole, open] = [csvOf([{ id: 'A' }, { id: 'B', amount: '2.00' }]), csvOf([{ id: 'C' }])];
    folder.drop('a.csv', whole.slice(0, -30));
    folder.drop('c.csv', `${open}"C`);
    expect(await answered(watcher)).toEqual({ ...NONE, taken: 2, open: 2 });
    const [[batchId = ''] = []] = folder.work();
    writeFileSync(folder.path('work', batchId, 'a.csv'), whole);
    expect(await watcher.scan()).toEqual({ ...NONE, open: 2 });
    expect((await proxy.store.batches(10)).map((batch) => batch.batchId)).toEqual([batchId]);
    expect(await watcher.scan(0)).toEqual({ ...NONE, open: 1, refused: 1 });
    expect(folder.json('error', 'c.csv.error.json').findings).toMatchObject([{ rule: 'broken-quote' }]);
  });

  it('is kept with the error document beside it, and nothing of it is claimed', async () => {
    const proxy = await openFaultProxy();
    const folder = await openFolder(proxy);
    folder.drop('bad.csv', csvOf([{ id: 'A' }, { id: 'B', amount: '1.234' }]));
    expect(await answered(await folder.watcher())).toEqual({ ...NONE, taken: 1, refused: 1 });
    expect(folder.list('error')).toEqual(['bad.csv', 'bad.csv.error.json']);
    expect(folder.json('error', 'bad.csv.error.json')).toMatchObject({
      schemaVersion: 1,
      error: { code: 'input-invalid' },
      findings: [{ file: 'bad.csv', line: 3, row: 2, rule: 'too-many-decimals' }],
    });
    expect(await proxy.store.batches(10)).toEqual([]);
  });

  it('is one whose rows were all taken by a batch that has ended', async () => {
    const { proxy, folder, watcher } = await opened();
    folder.drop('a.csv', csvOf([{ id: 'A' }]));
    await answered(watcher);
    const [batchId = ''] = folder.work()[0] ?? [];
    await proxy.end(batchId);
    await watcher.scan();
    renameSync(folder.path('done', 'a.csv'), folder.path('in', 'a.csv'));
    expect(await answered(watcher)).toMatchObject({ refused: 1 });
    expect(folder.json('error', 'a.csv.error.json').error).toMatchObject({ code: 'already-taken', batchId });
  });

  it('is paid without its broken rows where that was asked for', async () => {
    const folder = await openFolder(await openFaultProxy(), { invalid: 'skip' });
    folder.drop('bad.csv', csvOf([{ id: 'A' }, { id: 'B', amount: '1.234' }]));
    expect(await answered(await folder.watcher())).toEqual({ ...NONE, taken: 1, open: 1 });
  });

  it('is one with a row that its maker may not submit', async () => {
    const proxy = await openFaultProxy();
    Object.assign(proxy.app.settings, { policy: policyOf([signingPerson('maker', ['maker'], { uids: ['u-9999'] })]) });
    Object.assign(proxy.app.config, { folderMaker: 'maker' });
    const folder = await openFolder(proxy);
    folder.drop('foreign.csv', csvOf([{ id: 'F' }]));
    expect(await answered(await folder.watcher())).toEqual({ ...NONE, taken: 1, refused: 1 });
    expect(folder.json('error', 'foreign.csv.error.json').error.code).toBe('outside-scope');
    expect(await proxy.store.batches(1)).toEqual([]);
    expect(folder.failed()).toEqual([]);
  });

  it('is none while the maker is not known: the pass says so', async () => {
    const folder = await openFolder(await openFaultProxy({ approvalRules: [{ approvals: 1 }] }));
    folder.drop('a.csv', csvOf([{ id: 'A' }]));
    await expect(answered(await folder.watcher())).rejects.toMatchObject({ code: 'maker-unknown' });
    expect(folder.list('error')).toEqual([]);
  });
});
