import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { OriginalMessage } from '../../src/domain/bank-message.ts';
import {
  type AnswerSource,
  writeRefusal,
  writeStatusReports,
  writtenAnswers,
} from '../../src/reports/status-report-files.ts';
import type { PayoutRecord, RefusedRow } from '../../src/store/store.ts';
import { newFolder } from '../support/new-folder.ts';
import { answerLog } from './pain002/answer-log.ts';
import { BATCH, record } from './records.ts';

const MESSAGE: OriginalMessage = {
  format: 'pain.001.001.09',
  messageId: 'MSG-1',
  createdAt: '2026-03-31T10:00:00',
  transactions: '3',
  payments: [{ paymentId: 'PMT-1' }],
};
const original = (endToEndId: string) => ({ payment: 0, endToEndId, amount: '10.00', currency: 'EUR' });

let dir: string;
let log: ReturnType<typeof answerLog>;
beforeEach(async () => {
  dir = newFolder();
  log = answerLog();
});
async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

function sourceOf(
  rows: readonly PayoutRecord[],
  more: Partial<AnswerSource> & { taken?: PayoutRecord } = {},
): AnswerSource {
  const { taken, ...given } = more;
  return {
    batch: { ...BATCH, message: MESSAGE },
    byState: new Map(rows.map(({ state }) => [state, 1])),
    rows: () => each(rows),
    refused: () => each<RefusedRow>([]),
    payout: async (reference) => (taken?.reference === reference ? taken : undefined),
    latest: async (payout) => payout,
    afterwards: new Map(),
    log,
    ...given,
  };
}

const paid = record(1, 'completed', { original: original('E-1') });
const failed = record(2, 'failed', { original: original('E-2') }, 'bank-failed');

async function finalOf(source: AnswerSource): Promise<string> {
  const written = await writeStatusReports(dir, source);
  expect(written?.paths.at(-1)).toBe(written?.newest.path);
  return readFile(written?.newest.path ?? '', 'utf8');
}

/** `E-1 ACSC`, in order. */
const statuses = (xml: string): string[] =>
  [...xml.matchAll(/<OrgnlEndToEndId>(.*?)<\/OrgnlEndToEndId><TxSts>(.*?)<\/TxSts>/g)].map(
    ([, id, status]) => `${id} ${status}`,
  );

test('answers every stage so far, and the same facts with the same bytes', async () => {
  const source = sourceOf([paid, failed]);
  const { paths } = (await writeStatusReports(dir, source)) ?? { paths: [] };
  expect(paths.map((path) => basename(path).split('.')[1])).toEqual(['received', 'validated', 'sent', 'final']);
  const first = await finalOf(source);
  expect(statuses(first)).toEqual(['E-1 ACSC', 'E-2 RJCT']);
  expect(await finalOf(source)).toBe(first);
});

test('names the verification of a payee by its code, beside the status, and without a name', async () => {
  const check = { provider: 'p', payee: 'd', digest: 'x', askedAt: 1 };
  const checks = [
    { ...check, kind: 'screening', verdict: 'clear' } as const,
    { ...check, kind: 'verification', verdict: 'close-match' } as const,
  ];
  const verified = { ...paid, assessed: { digest: 'd', approvalsNeeded: 0, checks } };
  const xml = await finalOf(sourceOf([verified, failed]));
  expect(statuses(xml)).toEqual(['E-1 ACSC', 'E-2 RJCT']);
  expect([...xml.matchAll(/<Rsn>(.*?)<\/Rsn>/g)].map(([, code]) => code)).toEqual([
    '<Prtry>RVMC</Prtry>',
    '<Cd>MS03</Cd>',
  ]);
});

test('answers nothing to a batch that was no pain.001', async () => {
  expect(await writeStatusReports(dir, sourceOf([paid], { batch: BATCH }))).toBeUndefined();
});

test('gives a row that was taken before the status of the payout that took it, never RJCT', async () => {
  const refused: RefusedRow = {
    row: 3,
    line: 30,
    instruction: {},
    original: original('E-3'),
    reference: 'taken',
    findings: [{ column: 'id', rule: 'already-taken', message: 'this payout was taken' }],
  };
  const taken = { ...record(1, 'completed'), reference: 'taken' };
  const source = sourceOf([paid, failed], { refused: () => each([refused]), taken });
  expect(statuses(await finalOf(source))).toEqual(['E-1 ACSC', 'E-2 RJCT', 'E-3 ACSC']);
});

test('rejects a refused row, unless only our own files keep it from being paid', async () => {
  const refusal = (row: number, ...rules: string[]): RefusedRow => ({
    row,
    line: row,
    instruction: {},
    original: original(`E-${row}`),
    findings: rules.map((rule) => ({ column: null, rule, message: 'why' })),
  });
  const refused = [refusal(3, 'debit-entry'), refusal(4, 'unmapped-account'), refusal(5, 'required', 'agreed-rate')];
  const source = sourceOf([paid, failed], { refused: () => each(refused) });
  expect(statuses(await finalOf(source)).slice(2)).toEqual(['E-3 RJCT', 'E-4 PDNG', 'E-5 RJCT']);
});

test('never rejects a payout against whose end the bank shows an order', async () => {
  const reason = { code: 'order-after-end', message: 'the bank shows an order' };
  const afterwards = new Map([[failed.reference, { reason, at: 1 }]]);
  expect(statuses(await finalOf(sourceOf([paid, failed], { afterwards })))).toEqual(['E-1 ACSC', 'E-2 PDNG']);
});

test('gives a row that was paid again the status of the payout that pays it', async () => {
  const again = { ...record(7, 'completed'), reference: 'again', updatedAt: BATCH.createdAt + 60_000 };
  const latest = async (payout: PayoutRecord) => (payout.reference === failed.reference ? again : payout);
  const before = await finalOf(sourceOf([paid, failed]));
  const after = await finalOf(sourceOf([paid, failed], { latest }));
  expect(statuses(before)).toEqual(['E-1 ACSC', 'E-2 RJCT']);
  expect(statuses(after)).toEqual(['E-2 ACSC']);
  const createdAt = (xml: string): string => /<CreDtTm>(.*?)<\/CreDtTm>/.exec(xml)?.[1] ?? '';
  expect(createdAt(after) > createdAt(before)).toBe(true);
});

test('leaves an answer as it was given, and reports by a further one what came to light', async () => {
  const before = await writeStatusReports(dir, sourceOf([paid, failed]));
  const first = await readFile(before?.newest.path ?? '', 'utf8');
  const reason = { code: 'returned', message: 'money came back: 10.00 EUR by order r-1' };
  const at = BATCH.createdAt + 60_000;
  const source = sourceOf([paid, failed], { afterwards: new Map([[paid.reference, { reason, at }]]) });
  const after = await writeStatusReports(dir, source);
  expect(after?.paths.map((path) => basename(path))).toEqual(
    ['received', 'validated', 'sent', 'final', 'final.2'].map(
      (name) => `payroll-2025-06-15-batch-1.${name}.pain002.xml`,
    ),
  );
  expect(after?.newest).toMatchObject({ stage: 'final', version: 2, supersedes: before?.newest.messageId });
  const second = await readFile(after?.newest.path ?? '', 'utf8');
  expect(statuses(second)).toEqual(['E-1 PDNG']);
  expect(second).toContain(`supersedes ${before?.newest.messageId};`);
  expect(second).toContain('<OrgnlMsgId>MSG-1</OrgnlMsgId>');
  expect(second).toContain(`<CreDtTm>${new Date(at).toISOString()}</CreDtTm>`);
  expect(await readFile(before?.newest.path ?? '', 'utf8')).toBe(first);

  // Through another channel, in a folder that has none of them, they are the same.
  const elsewhere = join(dir, 'elsewhere');
  await mkdir(elsewhere);
  const again = await writeStatusReports(elsewhere, source);
  const [one, two] = await Promise.all((again?.paths.slice(-2) ?? []).map((path) => readFile(path, 'utf8')));
  expect([one, two]).toEqual([first, second]);
});

test('says other things under another message id', async () => {
  const idOf = (xml: string): string | undefined => /<MsgId>(.*?)<\/MsgId>/.exec(xml)?.[1];
  const before = idOf(await finalOf(sourceOf([paid, record(2, 'needs-operator', { original: original('E-2') })])));
  const after = idOf(await finalOf(sourceOf([paid, record(2, 'completed', { original: original('E-2') })])));
  expect(before).toMatch(/^.{18,35}$/);
  expect(after).not.toBe(before);
});

test('written answers are those of one batch in a folder, the latest last', async () => {
  const inOrder = ['received', 'validated', 'sent', 'final', 'final.2', 'final.10'].map(
    (it) => `b-1.${it}.pain002.xml`,
  );
  const others = ['b-10.final.pain002.xml', 'b-1.refused.pain002.xml', 'b-1.final.pain002.xml.tmp', 'b-1.csv'];
  for (const name of [...others, ...inOrder.toReversed()]) await writeFile(join(dir, name), '');
  expect(await writtenAnswers(dir, 'b-1')).toEqual(inOrder.map((name) => join(dir, name)));
});

test('no answers are found where no report was written', async () => {
  expect(await writtenAnswers(join(tmpdir(), 'no-such-folder'), 'b-1')).toEqual([]);
});

test('is in the version that is chosen for all answers, which no importer takes for returned payments', async () => {
  const message = { ...MESSAGE, format: 'pain.001.001.03' as const };
  const asked = sourceOf([record(1, 'completed')], { batch: { ...BATCH, message } });
  const versionIn = async (path: string) => /pain\.002\.001\.\d\d/.exec(await readFile(path, 'utf8'))?.[0];
  const { paths = [] } = (await writeStatusReports(dir, { ...asked, version: 'pain.002.001.10' })) ?? {};
  expect(await Promise.all(paths.map(versionIn))).toEqual(paths.map(() => 'pain.002.001.10'));
  const refusal = { sha256: 'a'.repeat(64), message, findings: [], at: 0 };
  expect(await versionIn(await writeRefusal(dir, { ...refusal, version: 'pain.002.001.10' }))).toBe('pain.002.001.10');
  expect(await versionIn(await writeRefusal(dir, refusal))).toBe('pain.002.001.03');
});
