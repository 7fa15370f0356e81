import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { batchReport } from '../../src/reports/batch-report.ts';
import { writeReports } from '../../src/reports/write-reports.ts';
import { installedChromium, startBrowser } from '../support/browser.ts';
import { paidThroughAnExchange, record, sourceOf } from './records.ts';

const executable = installedChromium();

it.skipIf(executable !== undefined)('needs a Chromium on PATH: install one, and these tests run', ({ skip }) =>
  skip('no chromium, chromium-browser or google-chrome on PATH: the report was not printed'),
);

/** In millimetres; CSS pixels are 96 to the inch. */
const PAPERS = { A4: { width: 210, height: 297 }, Letter: { width: 215.9, height: 279.4 } } as const;
const px = (mm: number): number => Math.floor((mm / 25.4) * 96);

const BIG = '999999999999999999.99';
/** What reaches beyond the right edge of the window. */
const CUT = `[...document.querySelectorAll('body *')]
  .filter((it) => it.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .map((it) => it.outerHTML.slice(0, 100))`;
const UNNAMED = `[...document.querySelectorAll('td')]
  .filter((it) => getComputedStyle(it, '::before').content !== JSON.stringify(it.dataset.head))
  .map((it) => it.outerHTML.slice(0, 100))`;
const STYLES = `(() => {
  const of = (selector) => getComputedStyle(document.querySelector(selector));
  return { head: of('.payouts thead').display, row: of('.payouts tbody tr').breakInside };
})()`;
const LONG = 'Beauchamp-Featherstonehaugh-Cholmondeley-and-Partners-Professional-Services GmbH & Co. KG';

describe.skipIf(executable === undefined)('the report', () => {
  let browser: Browser;
  let page: Page;
  let dir: string;
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'report-print-'));
    const { rows, facts } = paidThroughAnExchange();
    const others = Array.from({ length: 60 }, (_, index) => {
      const change = { amount: BIG, documentId: `${'9'.repeat(124)}${index}` };
      const row = record(index + 2, index % 3 === 0 ? 'held' : 'completed', change, 'fee-above-cap');
      return { ...row, instruction: { ...row.instruction, account_name: LONG, account_id: 'X'.repeat(128) } };
    });
    const source = sourceOf([...rows, ...others], { dir, facts });
    const { head } = await writeReports(dir, source.batch, source.reports, batchReport(source));
    browser = await startBrowser(executable ?? '');
    page = await browser.newPage();
    await page.goto(pathToFileURL(head.reports.html).href);
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(dir, { recursive: true });
  });

  it('fits the window of a phone without scrolling sideways, each cell behind the head of its column', async () => {
    await page.emulateMedia({ media: 'screen' });
    await page.setViewportSize({ width: 390, height: 900 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(await page.evaluate(CUT)).toEqual([]);
    expect(await page.evaluate(UNNAMED)).toEqual([]);
  });

  describe.each(['A4', 'Letter'] as const)('printed on %s', (format) => {
    it('is upright, on several pages', async () => {
      const pdf = (await page.pdf({ format, preferCSSPageSize: true })).toString('latin1');
      const boxes = [...pdf.matchAll(/\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/g)].map(([, ...sides]) => sides.map(Number));
      expect(boxes.length).toBeGreaterThan(3);
      const { width, height } = PAPERS[format];
      for (const [across = 0, down = 0] of boxes) {
        expect(Math.abs(across - (width / 25.4) * 72)).toBeLessThan(2);
        expect(Math.abs(down - (height / 25.4) * 72)).toBeLessThan(2);
      }
    });

    it('cuts no column, however long its content', async () => {
      await page.emulateMedia({ media: 'print' });
      const { width, height } = PAPERS[format];
      await page.setViewportSize({ width: px(width - 18), height: px(height - 24) });
      const cut = await page.evaluate(CUT);
      expect(cut).toEqual([]);
    });
  });

  it('printed repeats the heads of the table and keeps a row on one page', async () => {
    await page.emulateMedia({ media: 'print' });
    const styles = await page.evaluate(STYLES);
    expect(styles).toEqual({ head: 'table-header-group', row: 'avoid' });
  });

  it('printed has a line for each payout that is simply paid: a thousand are on at most 14 pages', async () => {
    const paid = Array.from({ length: 1_000 }, (_, index) => {
      const row = record(index + 1, 'completed', { documentId: `INV-2026-${index}`, endedAt: 1_750_000_000_000 });
      return { ...row, instruction: { ...row.instruction, account_name: 'Donau Logistik GmbH' } };
    });
    const folder = join(dir, 'thousand');
    const source = sourceOf(paid, { dir: folder });
    const { head } = await writeReports(folder, source.batch, source.reports, batchReport(source));
    await page.goto(pathToFileURL(head.reports.html).href);
    const pdf = (await page.pdf({ format: 'A4', preferCSSPageSize: true })).toString('latin1');
    expect(pdf.match(/\/MediaBox /g)?.length).toBeLessThanOrEqual(14);
  });
});
