import { createHash } from 'node:crypto';
import type { TransactionFacts } from '../../domain/bank-message.ts';
import type { AnsweredTransaction, AnswerRecord } from '../../store/store.ts';
import { isRefused, type Superseded, transactionStatus } from './status-report.ts';

/**
 * Final answers are stored and never changed: later news (a return, an incident, a retry, an operator's decision) makes another
 * version, which lists what has changed.
 */

export interface AnswerLog {
  /** The first one first. */
  given(): Promise<AnswerRecord[]>;
  transactionsOf(version: number): AsyncIterable<AnsweredTransaction>;
  /** False if somebody else has already stored this version. */
  keep(answer: Omit<AnswerRecord, 'batchId'>, reported: Iterable<AnsweredTransaction>): Promise<boolean>;
}

interface CurrentBatch {
  transactions(): AsyncIterable<TransactionFacts>;
  /** Beginning of the message ids, 17 characters. */
  idStart: string;
  /** Epoch ms of the last change. */
  at: number;
}

/** All final answers so far, including a new one if something has changed since the last. */
export async function finalAnswers(
  log: AnswerLog,
  { transactions, idStart, at }: CurrentBatch,
): Promise<AnswerRecord[]> {
  const given = await log.given();
  const last = given.at(-1);
  const changed = await changedSince(log, last?.version ?? 0, transactions());
  if (last !== undefined && changed.length === 0) return given;
  const version = (last?.version ?? 0) + 1;
  const messageId = idStart + idEnd(version, changed);
  // If it is false, another process has just stored the same version.
  await log.keep({ version, messageId, supersedes: last?.messageId ?? null, createdAt: at }, changed);
  return log.given();
}

/** 16 characters derived from the content; from version 2 on with the version number, at most 18 in all. */
function idEnd(version: number, reported: readonly AnsweredTransaction[]): string {
  const hash = createHash('sha256');
  for (const { facts } of reported) hash.update(JSON.stringify(facts));
  const digest = hash.digest('hex');
  return version === 1 ? digest.slice(0, 16) : `${digest.slice(0, 17 - `${version}`.length)}.${version}`;
}

async function changedSince(
  log: AnswerLog,
  version: number,
  transactions: AsyncIterable<TransactionFacts>,
): Promise<AnsweredTransaction[]> {
  const changed: AnsweredTransaction[] = [];
  const reported = version === 0 ? undefined : answeredUpTo(log, version);
  let position = 0;
  for await (const facts of transactions) {
    const before = (await reported?.next())?.value;
    if (before === undefined || wordsOf(before) !== wordsOf(facts)) changed.push({ position, facts });
    position += 1;
  }
  return changed;
}

/** What the receiver sees of a transaction: its status and why. */
function wordsOf(facts: TransactionFacts): string {
  const status = transactionStatus(facts, 'final');
  if (isRefused(facts)) return JSON.stringify([status, facts.findings]);
  const reason = status === 'RJCT' || status === 'PDNG' ? facts.reason : null;
  return JSON.stringify([status, reason, facts.verification ?? null]);
}

/** Every transaction as of a version; what that version does not list is as in earlier ones. */
export async function* answeredUpTo(log: AnswerLog, version: number): AsyncGenerator<TransactionFacts, undefined> {
  const later = new Map<number, TransactionFacts>();
  for (let next = 2; next <= version; next += 1) {
    for await (const { position, facts } of log.transactionsOf(next)) later.set(position, facts);
  }
  for await (const { position, facts } of log.transactionsOf(1)) yield later.get(position) ?? facts;
}

/** How a version relates to the previous one; undefined for the first. */
export async function supersededBy(log: AnswerLog, answer: AnswerRecord): Promise<Superseded | undefined> {
  const { version, supersedes: messageId } = answer;
  if (messageId === null) return undefined;
  const changed = new Set<number>();
  for await (const { position } of log.transactionsOf(version)) changed.add(position);
  return { version, messageId, changed };
}
