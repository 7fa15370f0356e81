import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { formatFindings } from '../../src/cli/output.ts';
import { buildProgram } from '../../src/cli/program.ts';
import type { Session } from '../../src/cli/session.ts';
import { because, type ReasonCode } from '../../src/domain/reasons.ts';
import { problemOf } from '../../src/files/intake/problem-of.ts';
import { loadConfig } from '../../src/platform/config.ts';
import { thisProcess } from '../../src/platform/this-sender.ts';
import { documentOf, summaryOfBatch } from '../../src/reports/report-batch.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { ROOT } from '../docs/markdown.ts';
import { claimRow } from '../store/samples.ts';
import { fakeSession } from '../support/fake-session.ts';

// What people ask on their first day: one command answers each, and names what is to be done.

let folder: string;
let store: Store;
let session: Session;
let printed: string[];
const UI = { url: 'http://127.0.0.1:8233', namespace: 'default' };
const BATCH = '01890000-0000-7000-8000-000000000001';
const IDS = ['INV-4711', 'INV-4712', 'INV-4713', 'INV-4714', 'INV-4715', 'INV-4716', 'INV-4717'] as const;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'payouts-first-'));
  const config = loadConfig({ PAYOUTS_HOME: folder });
  store = await openStore(config.storeUrl.reveal());
  await store.registerSender({
    senderId: 'a',
    ...thisProcess(),
    place: '',
    placeMark: '',
    pulses: 0,
    aliveAt: Date.now(),
  });
  session = fakeSession({
    config,
    store: async () => store,
    assertStoreFits: async () => {},
    ui: async () => UI,
    liveUi: async () => undefined,
    liveBank: async () => undefined,
    summary: (batchId: string) => summaryOfBatch({ config, store, ui: UI }, batchId),
    document: (batchId: string) => documentOf({ config, store, ui: UI }, batchId),
    output: {
      json: false,
      say: (text: string) => void printed.push(text),
      notify: (text: string) => void printed.push(text),
      result: (_document: unknown, text: string) => void printed.push(text),
      stream: async (_pieces: unknown, text: () => Promise<string>) => void printed.push(await text()),
    },
  });
  const at = Date.now();
  const rows = IDS.map((id, index) =>
    claimRow(index + 1, id, {
      uid: 'u-1',
      beneficiary_id: `ben-${index}`,
      ...(id === 'INV-4714' && { execute_on: '2999-01-04' }),
    }),
  );
  const [, , thirdRow] = rows;
  if (thirdRow !== undefined) Object.assign(thirdRow, { lookAlikeOf: rows[0]?.reference });
  await store.claimBatch({ batchId: BATCH, file: 'payroll.csv', sha256: 'x', by: 'alice', rows, at });
  const put = async (
    id: (typeof IDS)[number],
    state: string,
    code: ReasonCode | null,
    more: object = {},
  ): Promise<void> => {
    const reference = rows[IDS.indexOf(id)]?.reference ?? '';
    const reason = code === null ? null : because(code);
    await store.changePayout(reference, { state, reason, at, ...more } as Parameters<Store['changePayout']>[1]);
  };
  await put('INV-4711', 'completed', null, { orderId: 'ord-91', fee: '1.50', feeCurrency: 'USD' });
  await put('INV-4712', 'awaiting-approval', 'approval-required');
  await put('INV-4713', 'held', 'look-alike');
  await put('INV-4714', 'scheduled', 'not-yet-due');
  await put('INV-4715', 'awaiting-funds', 'insufficient-funds');
  await put('INV-4716', 'failed', 'bank-failed');
  await put('INV-4717', 'completed', null, { orderId: 'ord-92' });
  const reference = rows[6]?.reference ?? '';
  await store.recordReturn({ orderId: 'ord-93', reference, amount: '10.50', currency: 'USD', seenAt: at });
  await store.recordIncident({ reference, orderId: 'ord-94', kind: 'second-order', seenAt: at });
  await store.switchOff({ scope: 'currency', key: 'EUR', reason: 'fraud suspected', by: 'bob', at });
  writeFileSync(join(folder, 'excel.csv'), Buffer.from('id,uid,note\r\nINV-1,u-1001,B\xfcro\r\n', 'latin1'));
});
afterAll(async () => {
  await store?.close();
  rmSync(folder, { recursive: true });
});

/** What a command answers, its complaint included. */
async function answerTo(words: string): Promise<string> {
  printed = [];
  const program = buildProgram(async (action) => {
    try {
      await action(session);
    } catch (error) {
      const { message, hint, findings } = problemOf(error);
      printed.push(formatFindings(findings), message, hint);
    }
  });
  await program.parseAsync(words.replace('FOLDER', folder).split(' '), { from: 'user' });
  return printed.join('\n');
}

const MESSAGE = join(ROOT, 'examples/suppliers.pain.001.001.09.xml');

it.each([
  ['what is wrong with the file that Excel saved', 'validate FOLDER/excel.csv', /CSV UTF-8/],
  [
    'how do I pay a file of the bank',
    `validate ${MESSAGE}`,
    /needs no change.*`payouts template payees --from suppliers\.\S+ --mapping/,
  ],
  ['which payout is INV-4711, and was it paid', 'status INV-4711', /state +completed\n.*alice\npaid +2/],
  ['what did INV-4711 cost', 'status INV-4711', /fee +1\.50 USD/],
  ['whose order is ord-91', 'status ord-91', /document INV-4711/],
  ['who must approve INV-4712', 'status INV-4712', /who +anybody but the maker, alice[\s\S]*payouts approve \S+/],
  ['what is INV-4713 compared with', 'status INV-4713', /document +INV-4713 +INV-4711/],
  ['what does held for a look-alike mean', 'explain look-alike', /same payee, amount and currency/],
  ['when does INV-4714 go out', 'status INV-4714', /until +2999-01-04/],
  ['what goes out later', 'list --state scheduled', /INV-4714 [\s\S]* 2999-01-04 /],
  [
    'why is INV-4715 late, and until when does it wait',
    'status INV-4715',
    /not hold enough money[\s\S]*until +2\d{3}-/,
  ],
  ['how do I stop INV-4715', 'status INV-4715', /^(?:next)? +payouts cancel \S+$/m],
  ['how is INV-4716 paid again', 'status INV-4716', /next +payouts retry \S+ --rows 6$/m],
  ['how far is the file', 'status latest', /1 of 7 payouts completed/],
  ['what waits for bob', 'inbox --mine --by bob', /^3 payouts wait for bob/],
  [
    'the row of alice that lacks money, and nothing to decide',
    'inbox --mine --by alice',
    /^1 payout waits for alice[\s\S]*\[insufficient-funds\]/,
  ],
  [
    'what went out today, and what did it cost',
    'list --state completed,returned --ended today',
    /USD +2 +21\.00 +21\.00 +1\.50/,
  ],
  ['what came back', 'list --returned', /INV-4717[\s\S]* 10\.50$/m],
  ['what does the bank show that it should not', 'incidents --open', /ord-94/],
  ['what is stopped, by whom and why', 'switch list', /currency +EUR .*bob +fraud suspected/],
])('%s: payouts %s', async (_question, command, fact) => {
  expect(await answerTo(command)).toMatch(fact);
});
