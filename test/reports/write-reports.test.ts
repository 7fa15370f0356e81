import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { batchReport } from '../../src/reports/batch-report.ts';
import type { ReportPaths } from '../../src/reports/report-document.ts';
import { reportPaths, writeReports } from '../../src/reports/write-reports.ts';
import type { PayoutRecord } from '../../src/store/store.ts';
import { newFolder } from '../support/new-folder.ts';
import { record, reportOf, sourceOf } from './records.ts';

let dir: string;
beforeEach(async () => {
  dir = newFolder();
});
const contents = async (paths: ReportPaths): Promise<string[]> =>
  Promise.all(
    Object.values(paths)
      .flat()
      .map((path) => readFile(path, 'utf8')),
  );

async function written(to: string, rows: PayoutRecord[], more: { isMasked?: boolean } = {}): Promise<ReportPaths> {
  const source = sourceOf(rows, { dir: to, ...more });
  return (await writeReports(to, source.batch, source.reports, batchReport(source))).head.reports;
}

test('writes three files that only their owner reads, and names them by absolute paths', async () => {
  const reports = join(dir, 'reports');
  const rows = [record(1, 'completed'), record(2, 'held', {}, 'look-alike'), record(3, 'completed')];
  const paths = await written(reports, rows);
  for (const path of Object.values(paths).flat()) {
    expect(isAbsolute(path)).toBe(true);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  }
  expect((await readdir(reports)).sort()).toEqual(
    ['csv', 'html', 'json'].map((it) => `payroll-2025-06-15-batch-1-report.${it}`),
  );
  expect(JSON.parse(await readFile(paths.json, 'utf8'))).toEqual(await reportOf(rows, { dir: reports }));
  for (const path of [paths.csv, paths.html]) {
    const text = await readFile(path, 'utf8');
    for (const { reference } of rows)
      expect(text.split(`>${reference}<`).length + text.split(`,${reference},`).length).toBe(3);
  }
});

test('writes masked ones beside them, which name no payee in any form', async () => {
  await written(dir, [record(1, 'completed')]);
  const paths = await written(dir, [record(1, 'completed')], { isMasked: true });
  expect(await readdir(dir)).toHaveLength(6);
  for (const text of await contents(paths)) {
    expect(text).toContain('R***');
    for (const detail of ['Ramirez', '99887766', 'acc-1']) expect(text).not.toContain(detail);
  }
});

test('writes the same bytes when made again from the same data, whenever that is', async () => {
  const rows = [record(1, 'completed'), record(2, 'failed', {}, 'bank-failed'), record(3, 'held', {}, 'look-alike')];
  const first = await contents(await written(dir, rows));
  vi.useFakeTimers({ now: Date.UTC(2040, 0, 1), toFake: ['Date'] });
  const second = await contents(await written(dir, rows));
  vi.useRealTimers();
  expect(second).toEqual(first);
});

test('writes an empty report that is one all the same', async () => {
  const paths = await written(dir, []);
  expect(JSON.parse(await readFile(paths.json, 'utf8'))).toMatchObject({ payouts: [], counts: { total: 0 } });
});

test('leaves no half report behind when a file cannot be put in its place', async () => {
  await mkdir(join(dir, 'payroll-2025-06-15-batch-1-report.csv', 'in-the-way'), { recursive: true });
  await expect(written(dir, [record(1, 'completed')])).rejects.toThrow();
  expect(await readdir(dir)).toEqual(['payroll-2025-06-15-batch-1-report.csv']);
});

test('leaves nothing behind when its rows cannot be read to their end', async () => {
  const source = sourceOf([record(1, 'completed')], { dir });
  async function* pages() {
    yield* source.pages;
    throw new Error('the store is gone');
  }
  const broken = batchReport({ ...source, pages: pages() });
  await expect(writeReports(dir, source.batch, source.reports, broken)).rejects.toThrow('the store is gone');
  expect(await readdir(dir)).toEqual([]);
});

test.each(['../escape', 'a/b', '', '..'])('refuses the batch id %j as a file name', (batchId) => {
  expect(() => reportPaths(dir, { batchId, file: 'a.csv', createdAt: 0 })).toThrow(RangeError);
});

test.each([
  ['payroll.csv', 'payroll-2026-11-28-cac1a96304dd-report.csv'],
  ['Gehälter Nov. (final).xlsx', 'Gehalter-Nov-final-2026-11-28-cac1a96304dd-report.csv'],
  ['../../etc/passwd', 'passwd-2026-11-28-cac1a96304dd-report.csv'],
  ['給与.csv', 'batch-2026-11-28-cac1a96304dd-report.csv'],
  ['x'.repeat(300), `${'x'.repeat(60)}-2026-11-28-cac1a96304dd-report.csv`],
])('names the files of %s', (file, name) => {
  const batch = {
    batchId: '01a2207c-d952-70f9-b6e8-cac1a96304dd',
    file,
    createdAt: Date.parse('2026-11-28T23:59:00Z'),
  };
  expect(reportPaths(dir, batch).csv).toBe(join(dir, name));
});
