import { access, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { PayoutState } from '../../domain/payout-state.ts';
import type { BatchRecord, PayoutRecord, RefusedRow } from '../../store/store.ts';
import { stageOf } from './pain002/stage.ts';
import type { RefusalAnswer, Stage, TransactionFacts } from './pain002/status-report.ts';
import { pain002, refusalPain002 } from './pain002/write-pain002.ts';
import { writeWhole } from './write-reports.ts';

/** What the answers to a bank message are made from. Rows can be gone through again and again. */
export interface AnswerSource {
  batch: BatchRecord;
  byState: ReadonlyMap<PayoutState, number>;
  rows(): AsyncIterable<PayoutRecord>;
  refused(): AsyncIterable<RefusedRow>;
}

const STAGES: readonly Stage[] = ['received', 'validated', 'sent', 'final'];

/**
 * Writes the answers (pain.002) to the pain.001 a batch came as: one file a stage up to the one it stands at, which alone is
 * written again. Returns their paths; none for a batch of another format. `stem`: what their names begin with.
 */
export async function writeStatusReports(
  dir: string,
  source: AnswerSource,
  stem: string = source.batch.batchId,
): Promise<string[]> {
  const { batch, byState } = source;
  const { message, batchId } = batch;
  if (message === null || !message.format.startsWith('pain.')) return [];
  const pathOf = (stage: Stage): string => resolve(join(dir, `${stem}.${stage}.pain002.xml`));
  // A row that an operator sends again takes the batch back, but no answer that was given.
  const reached = (await isThere(pathOf('final'))) ? 'final' : stageOf(byState);
  const paths: string[] = [];
  for (const stage of STAGES.slice(0, STAGES.indexOf(reached) + 1)) {
    const path = pathOf(stage);
    paths.push(path);
    if (stage !== reached && (await isThere(path))) continue;
    const answer = {
      messageId: answerId(batchId, stage),
      createdAt: stage === 'received' || stage === 'validated' ? batch.createdAt : await lastChange(source),
      stage,
      message,
      transactions: () => transactions(source),
    };
    await writeWhole(path, pain002(answer));
  }
  return paths;
}

/** Writes the answer to a pain.001 that was refused as a whole; returns its path. */
export async function writeRefusal(
  dir: string,
  { sha256, message, findings, at }: { sha256: string; at: number } & Pick<RefusalAnswer, 'message' | 'findings'>,
  stem: string = `refused-${sha256.slice(0, 16)}`,
): Promise<string> {
  const path = resolve(join(dir, `${stem}.pain002.xml`));
  const answer = { messageId: `${sha256.slice(0, 32)}R`, createdAt: at, message, findings };
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await writeWhole(path, [refusalPain002(answer)]);
  return path;
}

/** 33 of the 35 characters an id may have. */
const answerId = (batchId: string, stage: Stage): string =>
  `${batchId.replaceAll('-', '').slice(0, 32)}${STAGES.indexOf(stage)}`;

/** The same facts have the same time, so that a report made again is the same file. */
async function lastChange({ batch, rows }: AnswerSource): Promise<number> {
  let last = batch.createdAt;
  for await (const { updatedAt } of rows()) last = Math.max(last, updatedAt);
  return last;
}

/** Payouts and refused rows in the order of the file. */
async function* transactions({ rows, refused }: AnswerSource): AsyncGenerator<TransactionFacts> {
  const waiting = refused()[Symbol.asyncIterator]();
  let next = await waiting.next();
  for await (const { row, original, state, reason, orderId } of rows()) {
    for (; !next.done && next.value.row < (row ?? 0); next = await waiting.next()) yield* refusal(next.value);
    if (original !== null) yield { original, state, reason, orderId };
  }
  for (; !next.done; next = await waiting.next()) yield* refusal(next.value);
}

function* refusal({ original, findings }: RefusedRow): Generator<TransactionFacts> {
  if (original !== undefined) yield { original, findings };
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
