import { createHash, hash } from 'node:crypto';
import { access, mkdir, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ClaimedFacts, OriginalMessage, OriginalTransaction, TransactionFacts } from '../domain/bank-message.ts';
import { verificationIn } from '../domain/payee.ts';
import type { Reason, ShownState } from '../domain/payout-state.ts';
import { Problem } from '../domain/problem.ts';
import type { IntakeRefusal } from '../files/intake/intake-refusal.ts';
import { isOurs } from '../files/rules/finding-list.ts';
import type { Config } from '../platform/config.ts';
import type { AnswerRecord, BatchRecord, PayoutRecord, RefusedRow } from '../store/store.ts';
import { type AnswerLog, answeredUpTo, finalAnswers, supersededBy } from './pain002/final-answers.ts';
import { type AnswerVersion, type RefusalAnswer, STAGES, type Stage, stageOf } from './pain002/status-report.ts';
import { pain002, refusalPain002 } from './pain002/write-pain002.ts';
import { fileStem, writeWhole } from './write-reports.ts';

/** What the answers to a bank message are made from. Its rows can be read repeatedly. */
export interface AnswerSource {
  batch: BatchRecord;
  byState: ReadonlyMap<ShownState, number>;
  rows(): AsyncIterable<PayoutRecord>;
  refused(): AsyncIterable<RefusedRow>;
  payout(reference: string): Promise<PayoutRecord | undefined>;
  /** The newest generation of a payout's document, if it was paid again after moving no money. */
  latest(payout: PayoutRecord): Promise<PayoutRecord>;
  /** By reference: news since the end of a payout (an incident, returned money) and its time (epoch ms). */
  afterwards: ReadonlyMap<string, { reason: Reason; at: number }>;
  /** Final answers given so far. */
  log: AnswerLog;
  /** Undefined: as the message asks. */
  version?: AnswerVersion | undefined;
}

export interface NewestAnswer extends Pick<AnswerRecord, 'messageId' | 'version' | 'supersedes'> {
  /** Absolute path. */
  path: string;
  stage: Stage;
}

/**
 * Writes the answers (pain.002) to the pain.001 of a batch: a file for each stage reached, of which only the current one is
 * rewritten; for the final stage a file for each version, never rewritten. Returns the paths and the newest answer, which comes
 * last; undefined for other formats. `stem`: beginning of the file names.
 */
export async function writeStatusReports(
  folder: string,
  source: AnswerSource,
  stem: string = fileStem(source.batch),
): Promise<{ paths: string[]; newest: NewestAnswer } | undefined> {
  const { batch, byState, log } = source;
  const chosen = source.version;
  const { message, batchId } = batch;
  if (message === null || !message.format.startsWith('pain.')) return undefined;
  // A row that an operator sends again moves the batch back to an earlier stage, but given answers stay.
  const reached = (await log.given()).length > 0 ? 'final' : stageOf(byState);
  const facts = await digestOf(source);
  const idStart = (stage: Stage): string => `${answerIdStart(batchId)}${STAGES.indexOf(stage)}`;
  const written: NewestAnswer[] = [];
  for (const stage of STAGES.slice(0, STAGES.indexOf(reached) + 1)) {
    if (stage === 'final') break;
    const path = answerPath(folder, stem, stage);
    const messageId = idStart(stage) + facts.digest;
    written.push({ path, messageId, stage, version: 1, supersedes: null });
    if (stage !== reached && (await isThere(path))) continue;
    const createdAt = stage === 'sent' ? facts.lastChange : batch.createdAt;
    await writeWhole(
      path,
      pain002({ messageId, createdAt, stage, message, version: chosen, transactions: () => transactions(source) }),
    );
  }
  if (reached === 'final') {
    const summary = { transactions: () => transactions(source), idStart: idStart('final'), at: facts.lastChange };
    for (const answer of await finalAnswers(log, summary)) {
      written.push(
        await writeFinal(answerPath(folder, stem, 'final', answer.version), { answer, message, log, chosen }),
      );
    }
  }
  const newest = written.at(-1);
  return newest && { paths: written.map(({ path }) => path), newest };
}

/** A final answer is the same in every channel and is never overwritten. */
async function writeFinal(
  path: string,
  {
    answer,
    message,
    log,
    chosen,
  }: { answer: AnswerRecord; message: OriginalMessage; log: AnswerLog; chosen: AnswerVersion | undefined },
): Promise<NewestAnswer> {
  const { version, messageId, supersedes, createdAt } = answer;
  if (!(await isThere(path))) {
    const reported = { transactions: () => answeredUpTo(log, version), supersedes: await supersededBy(log, answer) };
    await writeWhole(path, pain002({ messageId, createdAt, stage: 'final', message, version: chosen, ...reported }));
  }
  return { path, messageId, stage: 'final', version, supersedes };
}

const answerPath = (folder: string, stem: string, stage: Stage, version = 1): string =>
  resolve(join(folder, `${stem}.${stage}${version === 1 ? '' : `.${version}`}.pain002.xml`));

/** Beginning of the ids of a batch's answers, 16 characters. */
export const answerIdStart = (batchId: string): string => batchId.replaceAll('-', '').slice(-16);

/** What the id of the answer to a refused file begins with, 17 characters. */
export const refusalIdStart = (sha256: string): string => `${sha256.slice(0, 16)}R`;

/** Writes the answer to a pain.001 that was refused as a whole; returns its path. */
export async function writeRefusal(
  folder: string,
  {
    sha256,
    message,
    findings,
    at,
    version,
  }: { sha256: string; at: number } & Pick<RefusalAnswer, 'message' | 'findings' | 'version'>,
  stem: string = `refused-${sha256.slice(0, 16)}`,
): Promise<string> {
  const path = resolve(join(folder, `${stem}.pain002.xml`));
  const digest = hash('sha256', JSON.stringify(findings));
  const answer = {
    messageId: `${refusalIdStart(sha256)}${digest.slice(0, 16)}`,
    createdAt: at,
    message,
    findings,
    version,
  };
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeWhole(path, [refusalPain002(answer)]);
  return path;
}

/** A digest of the content (16 characters), so that answers with the same id are the same, and the time of its last change. */
async function digestOf(source: AnswerSource): Promise<{ digest: string; lastChange: number }> {
  const hash = createHash('sha256');
  let lastChange = source.batch.createdAt;
  for await (const row of source.rows()) {
    const { reference, updatedAt } = await source.latest(row);
    lastChange = Math.max(lastChange, updatedAt, source.afterwards.get(reference)?.at ?? 0);
  }
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
 * A row taken earlier has the status of the payout that took it: RJCT would be about money that may have moved. A row that only
 * our own files keep from being paid is PDNG: it waits for people here.
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

/**
 * An end that the bank contradicts, or money that came back, is in doubt for the receiver, despite the store: neither paid
 * nor to be paid again until people have investigated it.
 */
function factsOf(
  { afterwards }: AnswerSource,
  { reference, state, reason, orderId, assessed }: PayoutRecord,
  original: OriginalTransaction,
): ClaimedFacts {
  const verification = verificationIn(assessed?.checks);
  const said = { original, orderId, ...(verification !== undefined && { verification }) };
  const later = afterwards.get(reference);
  if (later === undefined) return { ...said, state, reason };
  return { ...said, state: 'needs-operator', reason: later.reason };
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/**
 * Paths of existing answers to a bank message, by the beginning of their names, the latest last; empty if there is no such
 * folder.
 */
export async function writtenAnswers(folder: string, stem: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names
    .flatMap((name) => {
      if (!name.startsWith(`${stem}.`)) return [];
      const [, named, version = '1'] = /^(\w+)(?:\.(\d+))?\.pain002\.xml$/.exec(name.slice(stem.length + 1)) ?? [];
      const stage = STAGES.indexOf(named as Stage);
      return stage < 0 ? [] : [{ name, stage, version: Number(version) }];
    })
    .sort((a, b) => a.stage - b.stage || a.version - b.version)
    .map(({ name }) => resolve(folder, name));
}

/**
 * A refused pain.001 is always answered, with any error; the returned problem says where the answer is. `at`: epoch
 * ms.
 */
export async function answeredRefusal(
  { home, answerVersion: version }: Config,
  refusal: IntakeRefusal,
  at: number,
): Promise<Problem> {
  const { kind, code, message, hint, batchId, findings, unanswered } = refusal;
  if (unanswered === undefined) return refusal;
  const pain002 = await writeRefusal(join(home, 'reports'), { ...unanswered, findings, at, version });
  return new Problem(kind, code, message, { hint, batchId, findings, reports: { pain002 }, cause: refusal });
}
