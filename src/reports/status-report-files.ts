import { createHash } from 'node:crypto';
import { access, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { OriginalTransaction } from '../domain/bank-message.ts';
import { verificationIn } from '../domain/payee-check.ts';
import type { PayoutState, Reason } from '../domain/payout-state.ts';
import { isOurs } from '../rules/findings-of-ours.ts';
import type { BatchRecord, PayoutRecord, RefusedRow } from '../store/store.ts';
import { stageOf } from './pain002/stage.ts';
import type { PayoutFacts, RefusalAnswer, Stage, TransactionFacts } from './pain002/status-report.ts';
import { pain002, refusalPain002 } from './pain002/write-pain002.ts';
import { writeWhole } from './write-reports.ts';

/** What the answers to a bank message are made from. Rows can be gone through again and again. */
export interface AnswerSource {
  batch: BatchRecord;
  byState: ReadonlyMap<PayoutState, number>;
  rows(): AsyncIterable<PayoutRecord>;
  refused(): AsyncIterable<RefusedRow>;
  payout(reference: string): Promise<PayoutRecord | undefined>;
  /** The newest generation of a payout's document: it was paid again where the earlier one took no money. */
  latest(payout: PayoutRecord): Promise<PayoutRecord>;
  /** What the bank shows against the stored end of a payout, by reference. */
  incidents: ReadonlyMap<string, Reason>;
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
  const facts = await digestOf(source);
  const paths: string[] = [];
  for (const stage of STAGES.slice(0, STAGES.indexOf(reached) + 1)) {
    const path = pathOf(stage);
    paths.push(path);
    if (stage !== reached && (await isThere(path))) continue;
    const answer = {
      messageId: `${answerIdStart(batchId)}${STAGES.indexOf(stage)}${facts.digest}`,
      createdAt: stage === 'received' || stage === 'validated' ? batch.createdAt : facts.lastChange,
      stage,
      message,
      transactions: () => transactions(source),
    };
    await writeWhole(path, pain002(answer));
  }
  return paths;
}

/** What the ids of the answers of a batch begin with, 16 characters. */
export const answerIdStart = (batchId: string): string => batchId.replaceAll('-', '').slice(-16);

/** Writes the answer to a pain.001 that was refused as a whole; returns its path. */
export async function writeRefusal(
  dir: string,
  { sha256, message, findings, at }: { sha256: string; at: number } & Pick<RefusalAnswer, 'message' | 'findings'>,
  stem: string = `refused-${sha256.slice(0, 16)}`,
): Promise<string> {
  const path = resolve(join(dir, `${stem}.pain002.xml`));
  const digest = createHash('sha256').update(JSON.stringify(findings)).digest('hex');
  const answer = { messageId: `${sha256.slice(0, 16)}R${digest.slice(0, 16)}`, createdAt: at, message, findings };
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await writeWhole(path, [refusalPain002(answer)]);
  return path;
}

/** 16 characters of what is answered, so that answers with the same id say the same, and the time of the last of it. */
async function digestOf(source: AnswerSource): Promise<{ digest: string; lastChange: number }> {
  const hash = createHash('sha256');
  let lastChange = source.batch.createdAt;
  for await (const row of source.rows()) lastChange = Math.max(lastChange, (await source.latest(row)).updatedAt);
  for await (const facts of transactions(source)) hash.update(JSON.stringify(facts));
  return { digest: hash.digest('hex').slice(0, 16), lastChange };
}

/** Payouts and refused rows in the order of the file. */
async function* transactions(source: AnswerSource): AsyncGenerator<TransactionFacts> {
  const waiting = source.refused()[Symbol.asyncIterator]();
  let next = await waiting.next();
  for await (const payout of source.rows()) {
    const before = payout.row ?? 0;
    for (; !next.done && next.value.row < before; next = await waiting.next()) yield* notClaimed(source, next.value);
    if (payout.original !== null) yield factsOf(source, await source.latest(payout), payout.original);
  }
  for (; !next.done; next = await waiting.next()) yield* notClaimed(source, next.value);
}

/**
 * A row that was taken before has the status of the payout that took it: RJCT would be about money that may have gone. One
 * that only our own files keep from being paid waits for people here.
 */
async function* notClaimed(
  source: AnswerSource,
  { original, reference, findings }: RefusedRow,
): AsyncGenerator<TransactionFacts> {
  if (original === undefined) return;
  const taken = reference === undefined ? undefined : await source.payout(reference);
  const [first] = findings;
  if (taken !== undefined) yield factsOf(source, await source.latest(taken), original);
  else if (first !== undefined && findings.every(isOurs)) {
    yield { original, state: 'held', reason: { code: first.rule, message: first.message }, orderId: null };
  } else yield { original, findings };
}

/** An end that the bank contradicts is in doubt for the receiver, whatever the store says. */
function factsOf(
  { incidents }: AnswerSource,
  { reference, state, reason, orderId, assessed }: PayoutRecord,
  original: OriginalTransaction,
): PayoutFacts {
  const verification = verificationIn(assessed?.checks);
  const said = { original, orderId, ...(verification !== undefined && { verification }) };
  const incident = incidents.get(reference);
  if (incident === undefined) return { ...said, state, reason };
  return { ...said, state: 'needs-operator', reason: incident };
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
