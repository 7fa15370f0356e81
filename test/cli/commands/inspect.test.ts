import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { report, status } from '../../../src/cli/inspect.ts';
import { list } from '../../../src/cli/list.ts';
import type { Session } from '../../../src/cli/session.ts';
import { because } from '../../../src/domain/reasons.ts';
import { claimRow } from '../../../src/files/intake/known-rows.ts';
import { loadConfig } from '../../../src/platform/config.ts';
import { documentOf, reportBatch, summaryOfBatch } from '../../../src/reports/report-batch.ts';
import { openStore } from '../../../src/store/open.ts';
import type { Store } from '../../../src/store/store.ts';
import { payoutClaim } from '../../store/samples.ts';
import { fakeSession } from '../../support/fake-session.ts';

/** The value of every detail that a terminal must not show. */
const CANARY = 'Quillfeather';
const ACCOUNT = '86420975';
const BATCH = '01890000-0000-7000-8000-000000000001';

let folder: string;
let store: Store;
let session: Session;
let text: string;
let document: string;
const instruction = {
  id: 'INV-1',
  uid: 'u-1001',
  account_id: 'acc-u1001-usd',
  amount: '12.50',
  currency: 'USD',
  beneficiary_type: 'personal',
  payment_type: 'local',
  account_name: `Odette ${CANARY}`,
  last_name: CANARY,
  account_no: ACCOUNT,
  note: `for ${CANARY}`,
};
const rows = [claimRow({ row: 1, instruction })];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'payouts-inspect-'));
  const config = loadConfig({ PAYOUTS_HOME: folder });
  store = await openStore(config.storeUrl.reveal());
  await store.claimBatch({ batchId: BATCH, file: 'payroll.csv', sha256: 'f'.repeat(64), by: 'alice', rows, at: 1 });
  const ui = { url: 'http://127.0.0.1:8233', namespace: 'default' };
  session = fakeSession({
    config,
    store: async () => store,
    ui: async () => ui,
    liveUi: async () => undefined,
    liveBank: async () => undefined,
    report: (batchId: string) => reportBatch({ config, store, ui }, batchId),
    summary: (batchId: string) => summaryOfBatch({ config, store, ui }, batchId),
    document: (batchId: string) => documentOf({ config, store, ui }, batchId),
    output: {
      async stream(pieces: AsyncIterable<string>, shown: () => Promise<string>) {
        document = (await Array.fromAsync(pieces)).join('');
        text = await shown();
      },
      result(_document: unknown, shown: string) {
        text = shown;
      },
    },
  });
});
afterAll(async () => {
  await store?.close();
  rmSync(folder, { recursive: true });
});

it.each([
  ['status of a batch', () => status(session, BATCH)],
  ['report', () => report(session, BATCH, { mask: false })],
  ['list', () => list(session)],
])('%s shows no name and no account number of a payee', async (_name, run) => {
  text = '';
  await run();
  expect(text).toMatch(/payroll\.csv|INV-1/);
  for (const detail of [CANARY, 'Odette', ACCOUNT]) expect(text).not.toContain(detail);
});

it.each([
  ['its reference', () => status(session, rows[0]?.reference ?? '')],
  ['its document id', () => status(session, 'INV-1')],
])('status by %s shows who reads the store whom a payout pays', async (_name, run) => {
  await run();
  for (const detail of [`Odette ${CANARY}`, ACCOUNT]) expect(text).toContain(detail);
});

it('reading a status writes no file, and says the same as the report', async () => {
  const files = join(folder, 'reports');
  rmSync(files, { recursive: true, force: true });
  await status(session, BATCH);
  const read = document;
  expect(existsSync(files)).toBe(false);
  expect(text).toContain('payouts report 01890000-000');
  await report(session, BATCH, { mask: false });
  expect(document).toBe(read);
  expect(text).toMatch(new RegExp(`${files}/payroll-\\d{4}-\\d\\d-\\d\\d-${BATCH.slice(-12)}-report\\.html`));
});

it('`status` of an exchange that was booked beyond its cap says so', async () => {
  const { record } = await store.claimPayout(payoutClaim('X-1'));
  const reason = because('slippage-above-cap', '11.00 EUR sold, 10.00 EUR quoted, cap 0.01');
  await store.changePayout(record.reference, { state: 'completed', reason, orderId: 'fx-1', at: 2 });
  await status(session, record.reference);
  expect(text).toMatch(/^state +completed$/m);
  expect(text.replace(/\s+/g, ' ')).toContain(`note ${reason.message}`);
});
