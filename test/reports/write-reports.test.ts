import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ReportPaths } from '../../src/reports/batch-report.ts';
import { reportPaths, writeReports } from '../../src/reports/write-reports.ts';
import { record, reportOf } from './records.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'write-reports-'));
});
afterEach(async () => {
  await rm(dir, { recursive: true });
});

const contents = async (paths: ReportPaths): Promise<string[]> =>
  Promise.all(Object.values(paths).map((path) => readFile(path, 'utf8')));

test('writes three files that only their owner reads, and names them by absolute paths', async () => {
  const reports = join(dir, 'reports');
  const report = await reportOf([record(1, 'completed')], { dir: reports });
  const paths = await writeReports(reports, report);
  expect(paths).toEqual(report.reports);
  for (const path of Object.values(paths)) {
    expect(isAbsolute(path)).toBe(true);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  }
  expect((await readdir(reports)).sort()).toEqual(['batch-1.csv', 'batch-1.html', 'batch-1.json']);
  expect(JSON.parse(await readFile(paths.json, 'utf8'))).toEqual(report);
});

test('writes the same bytes when made again from the same data', async () => {
  const rows = [record(1, 'completed'), record(2, 'failed', {}, 'bank-failed')];
  const first = await contents(await writeReports(dir, await reportOf(rows, { dir })));
  const second = await contents(await writeReports(dir, await reportOf(rows.toReversed(), { dir })));
  expect(second).toEqual(first);
});

test('leaves no half report behind when a file cannot be put in its place', async () => {
  await mkdir(join(dir, 'batch-1.csv', 'in-the-way'), { recursive: true });
  await expect(writeReports(dir, await reportOf([record(1, 'completed')], { dir }))).rejects.toThrow();
  expect(await readdir(dir)).toEqual(['batch-1.csv']);
});

test.each(['../escape', 'a/b', '', '..'])('refuses the batch id %j as a file name', (batchId) => {
  expect(() => reportPaths(dir, batchId)).toThrow(RangeError);
});
