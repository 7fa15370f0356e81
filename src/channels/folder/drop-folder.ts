import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, chmod, lstat, mkdir, open, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { v7 } from 'uuid';
import type { OriginalMessage } from '../../domain/bank-message.ts';
import { hasCode } from '../../domain/failures.ts';
import { Problem } from '../../domain/problem.ts';
import type { FolderScan, FolderScanOptions } from '../../domain/scanned-folder.ts';
import { IntakeRefusal, OTHER_PLAN } from '../../files/intake/intake-refusal.ts';
import { isMakerUnknown, isOutsideScope } from '../../files/intake/maker.ts';
import { takeFile } from '../../files/intake/take-file.ts';
import { isStatementFile } from '../../files/statements/read-statement.ts';
import type { App } from '../../platform/app.ts';
import { stageOf } from '../../reports/pain002/status-report.ts';
import { reportBatch } from '../../reports/report-batch.ts';
import { takeStatements } from '../../reports/statements/take-statement.ts';
import { answerIdStart, refusalIdStart, writeRefusal } from '../../reports/status-report-files.ts';
import { writeWhole } from '../../reports/write-reports.ts';
import type { BatchRecord } from '../../store/store.ts';

/** Subfolders of a drop folder; missing ones are created for their owner only. */
export interface DropFolderPaths {
  /** Where files are dropped. */
  in: string;
  /** `work/<batch id>/<file>`: taken, and the batch has not ended. */
  work: string;
  /** Files whose batch has ended. */
  done: string;
  /** Refused files, each with `<file>.error.json` beside it. */
  error: string;
  /** Reports and answers. */
  out: string;
}

/** Folders of files that nothing reads or moves any more. */
export const settledFolders = (dir: string): string[] =>
  ['done', 'error', 'out'].map((name) => join(resolve(dir), name));

/** A file under way. */
export interface WorkItem {
  batchId: string;
  path: string;
}

/** Throws the file system's error if the folder does not exist: a machine without access to it must not create it. */
export async function openDropFolder(dir: string): Promise<DropFolderPaths> {
  const path = (name: string): string => join(resolve(dir), name);
  const paths = { in: path('in'), work: path('work'), done: path('done'), error: path('error'), out: path('out') };
  await access(dir);
  for (const folder of Object.values(paths)) await mkdir(folder, { recursive: true, mode: 0o700 });
  return paths;
}

/**
 * Takes a file by rename, under the id of its future batch. False if somebody else was quicker, or has meanwhile replaced it with
 * a link or a pipe; only after the rename can nobody replace it any more. Such a thing is removed, but not what it points to.
 */
export async function takeIn(paths: DropFolderPaths, name: string): Promise<boolean> {
  const folder = join(paths.work, v7());
  await mkdir(folder, { mode: 0o700 });
  const path = join(folder, name);
  try {
    await rename(join(paths.in, name), path);
    if (!(await lstat(path)).isFile()) {
      await rm(folder, { recursive: true });
      return false;
    }
    await chmod(path, 0o600).catch(ofSomebodyElse);
    return true;
  } catch (error) {
    if (!isMissing(error)) throw error;
    await removeEmpty(folder);
    return false;
  }
}

/** The oldest first: ids begin with their time. */
export async function workItems({ work }: DropFolderPaths): Promise<WorkItem[]> {
  const items: WorkItem[] = [];
  for (const batchId of (await readdir(work)).sort()) {
    const folder = join(work, batchId);
    const files = await readdir(folder).catch(nothing);
    if (files.length === 0) await removeEmpty(folder);
    for (const file of files.sort()) items.push({ batchId, path: join(folder, file) });
  }
  return items;
}

/** More than a mode takes to be changed after the rename. */
const TAKEN_WITHIN_MS = 1_000;

/**
 * Whether somebody has written to a file since it was taken with these bytes: who pauses looks like one who has finished. Its
 * folder was made when it was taken, by the same clock.
 */
async function isWrittenSince(path: string, sha256: string): Promise<boolean> {
  try {
    const [{ ctimeMs }, { mtimeMs }] = await Promise.all([lstat(path), lstat(dirname(path))]);
    if (ctimeMs < mtimeMs + TAKEN_WITHIN_MS) return false;
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(path)) hash.update(chunk);
    return hash.digest('hex') !== sha256;
  } catch (error) {
    if (!isMissing(error)) throw error;
    return false;
  }
}

/**
 * Moves a file into a folder without overwriting (`payroll.csv`, then `payroll.2.csv`), with a document beside it whose name has
 * a suffix. False, and nothing is left behind, if somebody else has moved the file.
 */
export async function moveInto(
  folder: string,
  path: string,
  beside: { suffix: string; document: object },
): Promise<boolean> {
  const target = await reserve(folder, basename(path));
  const note = `${target}${beside.suffix}`;
  try {
    await writeWhole(note, [`${JSON.stringify(beside.document, null, 2)}\n`]);
    await rename(path, target);
  } catch (error) {
    for (const left of [note, target]) await rm(left, { force: true });
    if (!isMissing(error)) throw error;
    return false;
  }
  await removeEmpty(dirname(path));
  return true;
}

/** Moves a file to those of another batch. Does nothing if somebody else has moved it. */
async function waitFor({ work }: DropFolderPaths, { batchId, path }: WorkItem): Promise<void> {
  const folder = join(work, batchId);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const target = await reserve(folder, basename(path));
  await rename(path, target).catch(async (error: unknown) => {
    await rm(target, { force: true });
    if (!isMissing(error)) throw error;
  });
  await removeEmpty(dirname(path));
}

/** Below the 255 bytes of a file name, since a number, the document's suffix and that of its temporary file are added. */
const NAME_BYTES_MAX = 180;

async function reserve(folder: string, name: string): Promise<string> {
  const long = extname(name);
  const extension = Buffer.byteLength(long) > NAME_BYTES_MAX / 2 ? '' : long;
  const stem = cut(name.slice(0, name.length - extension.length), NAME_BYTES_MAX - Buffer.byteLength(extension));
  for (let copy = 1; ; copy += 1) {
    const target = join(folder, copy === 1 ? `${stem}${extension}` : `${stem}.${copy}${extension}`);
    try {
      await (await open(target, 'wx', 0o600)).close();
      return target;
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
  }
}

/** The longest beginning of the text that has at most this many bytes. */
function cut(text: string, bytesMax: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytesMax));
  return text.slice(0, read);
}

/** Somebody else may have removed it, or may just be putting a file into it. */
async function removeEmpty(folder: string): Promise<void> {
  await rmdir(folder).catch((error: unknown) => {
    if (!isMissing(error) && !hasCode(error, 'ENOTEMPTY') && !hasCode(error, 'EEXIST')) throw error;
  });
}

/** Only its owner can change a file's mode; that is tolerable, since nobody else can enter the folder that it is in now. */
const ofSomebodyElse = (error: unknown): void => {
  if (!hasCode(error, 'EPERM')) throw error;
};

const isMissing = (error: unknown): boolean => hasCode(error, 'ENOENT');

const nothing = (error: unknown): string[] => {
  if (isMissing(error) || hasCode(error, 'ENOTDIR')) return [];
  throw error;
};

/** A marker beside a file says that it is complete, so it need not be read twice. */
const MARKER = '.done';
/** Hidden files, and files still being written by file managers and transfer programs. */
const NOT_YET = /^\.|\.(?:part|tmp)$/i;

/** Changes while a file is being written. */
interface FileFacts {
  size: number;
  mtimeMs: number;
}

/** Reads the files of a folder repeatedly; one is complete if it has not changed between two reads, or has a marker. */
export class Incoming {
  private readonly folder: string;
  private seen = new Map<string, FileFacts>();

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Names of the complete files, sorted. */
  async whole(): Promise<string[]> {
    const names = new Set(await readdir(this.folder));
    const seen = new Map<string, FileFacts>();
    const whole: string[] = [];
    for (const name of [...names].sort()) {
      if (NOT_YET.test(name) || name.endsWith(MARKER)) continue;
      const facts = await this.factsOf(name);
      if (facts === undefined) continue;
      seen.set(name, facts);
      const before = this.seen.get(name);
      const isUnchanged = before?.size === facts.size && before.mtimeMs === facts.mtimeMs;
      const isMarked = names.has(name + MARKER) && (await this.factsOf(name + MARKER)) !== undefined;
      if (isUnchanged || isMarked) whole.push(name);
    }
    this.seen = seen;
    return whole;
  }

  /** Forgets a taken file and removes its marker: the next file of this name is another one. */
  async taken(name: string): Promise<void> {
    this.seen.delete(name);
    if ((await this.factsOf(name + MARKER)) !== undefined) await rm(join(this.folder, name + MARKER), { force: true });
  }

  /** Undefined if it is not a regular file or is gone. A symbolic link does not count: it may point anywhere. */
  private async factsOf(name: string): Promise<FileFacts | undefined> {
    const stats = await lstat(join(this.folder, name)).catch(() => undefined);
    return stats?.isFile() ? { size: stats.size, mtimeMs: stats.mtimeMs } : undefined;
  }
}

/** In characters; a file name may have 255 bytes. */
const STEM_MAX = 150;

/**
 * Beginning of the file names of answers to a bank message: its message id, so that the sender finds them. For a second batch
 * from the same message (rows refused the first time), the batch id follows.
 */
async function answerStem(out: string, batchId: string, message: OriginalMessage | null): Promise<string | undefined> {
  if (message === null) return undefined;
  const name = nameOf(message);
  const first = await answerIn(out, `${name}.received`);
  return first === '' || first.includes(answerIdStart(batchId)) ? name : `${name}.${batchId}`;
}

const answerIn = (out: string, name: string): Promise<string> =>
  readFile(join(out, `${name}.pain002.xml`), 'utf8').catch(() => '');

/** The same, if the folder has answered the message of this batch; otherwise undefined. */
async function answeredStem(out: string, { batchId, message }: BatchRecord): Promise<string | undefined> {
  const stem = await answerStem(out, batchId, message);
  if (stem === undefined) return undefined;
  return (await answerIn(out, `${stem}.received`)).includes(answerIdStart(batchId)) ? stem : undefined;
}

/**
 * The answer to a pain.001 that was refused as a whole; other formats have none. `id`: under which it was taken. It takes the
 * place of none to another file under the same message id: its sender may not have read it yet.
 */
async function answerRefusal(
  out: string,
  id: string,
  { unanswered, findings }: IntakeRefusal,
  version: App['config']['answerVersion'],
): Promise<void> {
  if (unanswered === undefined) return;
  const { message, sha256 } = unanswered;
  let stem: string | undefined;
  if (message !== null) {
    const name = `${nameOf(message)}.refused`;
    const first = await answerIn(out, name);
    stem = first === '' || first.includes(refusalIdStart(sha256)) ? name : `${name}.${id}`;
  }
  await writeRefusal(out, { ...unanswered, findings, at: takenAt(id), version }, stem);
}

const nameOf = ({ messageId }: OriginalMessage): string => encodeURIComponent(messageId).slice(0, STEM_MAX);

/** A UUID of version 7 begins with its time (RFC 9562): a repeated answer has the same date and is identical. */
const takenAt = (id: string): number => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);

/** Between two reads of a file that may still be being written. */
export const POLL_MS = 2_000;

/** How long a file that may be cut off is not refused: its writer may have paused for longer than between two reads. */
const CUT_OFF_PATIENCE_MS = 10_000;
const CUT_OFF: ReadonlySet<string> = new Set([
  ...['broken-quote', 'no-rows', 'not-a-workbook', 'not-json', 'not-well-formed', 'truncated-file'],
  ...['wrong-field-count', 'wrong-record-length', 'balances-differ', 'no-balance'],
]);

/** State of a file after a pass; `gone`: another watcher has moved it. */
type Found = 'refused' | 'ended' | 'open' | 'gone';

/** Turns dropped files into batches and puts their reports into the folder. Its whole state is in the folder and the store. */
export class DropFolder {
  private readonly app: App;
  private readonly options: FolderScanOptions;
  private readonly paths: DropFolderPaths;
  private readonly incoming: Incoming;
  /** The state of each open batch for which its reports were last written. */
  private readonly reported = new Map<string, string>();
  /** For each ended batch: the time of the latest news that has been answered. */
  private readonly readAt = new Map<string, number>();

  private constructor(app: App, options: FolderScanOptions, paths: DropFolderPaths) {
    this.app = app;
    this.options = options;
    this.paths = paths;
    this.incoming = new Incoming(paths.in);
  }

  static async open(app: App, options: FolderScanOptions): Promise<DropFolder> {
    return new DropFolder(app, options, await openDropFolder(options.dir));
  }

  /** A single pass, so it reads each file twice itself, and refuses at once. */
  async scanOnce(pollEveryMs: number): Promise<FolderScan> {
    await this.incoming.whole();
    await pause(pollEveryMs);
    return this.scan(0);
  }

  /** Takes the complete files, and continues with those under way. */
  async scan(cutOffPatienceMs = CUT_OFF_PATIENCE_MS): Promise<FolderScan> {
    const done: FolderScan = { taken: 0, refused: 0, ended: 0, open: 0 };
    for (const name of await this.incoming.whole()) {
      if (!(await takeIn(this.paths, name))) continue;
      await this.incoming.taken(name);
      done.taken += 1;
    }
    await this.answerLater();
    const items = await workItems(this.paths);
    if (items.length === 0) return done;
    for (const item of items) {
      const found = await this.goOn(item, Date.now() - cutOffPatienceMs);
      if (found !== 'gone') done[found] += 1;
    }
    return done;
  }

  /** For answers that news has made outdated: writes another version, and the reports again. */
  private async answerLater(): Promise<void> {
    const { out } = this.paths;
    for (const { batchId, at } of await this.app.store.newsOfAnswered()) {
      if (this.readAt.get(batchId) === at) continue;
      try {
        const batch = await this.app.store.batch(batchId);
        const stem = batch && (await answeredStem(out, batch));
        if (stem !== undefined) await reportBatch(this.app, batchId, { folder: out, answerStem: stem });
        this.readAt.set(batchId, at);
      } catch (error) {
        this.failed(error, batchId);
      }
    }
  }

  /** `since`: a file taken later may still be being written. */
  private async goOn(item: WorkItem, since: number): Promise<Found> {
    try {
      const batch = await this.app.store.batch(item.batchId);
      if (batch === undefined && (await isStatementFile(item.path))) return await this.takeStatement(item, since);
      const taken = batch ?? (await this.take(item));
      if (taken === undefined) return 'open';
      if (!(taken instanceof IntakeRefusal)) return await this.report(taken, item);
      if (isCutOff(taken) && takenAt(item.batchId) > since) return 'open';
      if (taken.code !== OTHER_PLAN) return this.refuse(item, taken);
      // Another run came in between: its rows are known in the next pass, and nobody here confirms plans.
      this.failed(taken, item.batchId);
    } catch (error) {
      if (isOutsideScope(error)) return this.refuse(item, error);
      if (isMakerUnknown(error)) throw error;
      this.failed(error, item.batchId);
    }
    return 'open';
  }

  /** A bank statement among the files of payouts: nothing is paid for it. */
  private async takeStatement(item: WorkItem, since: number): Promise<Found> {
    try {
      const taking = await takeStatements(this.app, item.path, {});
      const findings = taking.statements.flatMap((it) => it.findings);
      if (isCutOff({ findings }) && takenAt(item.batchId) > since) return 'open';
      const document = { schemaVersion: 1, ...taking };
      const [folder, found] =
        findings.length > 0 ? [this.paths.error, 'refused' as const] : [this.paths.done, 'ended' as const];
      const suffix = findings.length > 0 ? '.error.json' : '.statement.json';
      return (await moveInto(folder, item.path, { suffix, document })) ? found : 'gone';
    } catch (error) {
      if (!(error instanceof Problem) || error.kind !== 'invalid-input') throw error;
      return isCutOff(error) && takenAt(item.batchId) > since ? 'open' : this.refuse(item, error);
    }
  }

  /** The batch of a file; undefined if an earlier batch with its rows is still open: the file waits for that one. */
  private async take({ batchId, path }: WorkItem): Promise<BatchRecord | IntakeRefusal | undefined> {
    const { invalid, by } = this.options;
    // Anybody who can write to the namespace can request a scan, so the maker comes from the configuration.
    const options = { invalid, by, batchId, maker: this.app.config.folderMaker };
    // No one is asked: everything that the folder's options allow is agreed to. People find the warnings beside the reports.
    const taking = await takeFile(this.app, path, options, async ({ staged }) => {
      const warnings = staged.warnings.list();
      const document = { schemaVersion: 1, batchId, file: basename(path), warnings };
      const beside = join(this.paths.out, `${batchId}.warnings.json`);
      if (warnings.length > 0) await writeWhole(beside, [`${JSON.stringify(document, null, 2)}\n`]);
    });
    if (taking instanceof IntakeRefusal) return taking;
    if (taking.outcome === 'claimed') return this.app.store.batch(taking.batchId);
    if (taking.outcome === 'under-way') await waitFor(this.paths, { batchId: taking.batchId, path });
    return undefined;
  }

  private async report(batch: BatchRecord, item: WorkItem): Promise<Found> {
    const { batchId, endedAt } = batch;
    const { out } = this.paths;
    const stage = endedAt === null ? stageOf(await this.app.store.stateCounts(batchId)) : 'ended';
    const place = { folder: out, answerStem: await answerStem(out, batchId, batch.message) };
    if (stage !== 'ended') {
      if (this.reported.get(batchId) !== stage) await reportBatch(this.app, batchId, place);
      this.reported.set(batchId, stage);
      return 'open';
    }
    const { schemaVersion, state, reports } = (await reportBatch(this.app, batchId, place)).head;
    if (await isWrittenSince(item.path, batch.sha256)) {
      // Rows that came later are in no batch: it is taken again, as another file.
      await waitFor(this.paths, { batchId: v7(), path: item.path });
      return 'open';
    }
    const document = { schemaVersion, batchId, state, reports };
    const moved = await moveInto(this.paths.done, item.path, { suffix: '.batch.json', document });
    this.reported.delete(batchId);
    return moved ? 'ended' : 'gone';
  }

  /** Of something that is tried again in the next pass. */
  private failed(error: unknown, batchId: string): void {
    this.app.log.warn({ error, batchId }, 'a file could not be taken or answered: it is tried again');
  }

  private async refuse(item: WorkItem, refusal: Problem): Promise<Found> {
    try {
      const { answerVersion } = this.app.config;
      if (refusal instanceof IntakeRefusal) await answerRefusal(this.paths.out, item.batchId, refusal, answerVersion);
      const document = refusal.toDocument();
      return (await moveInto(this.paths.error, item.path, { suffix: '.error.json', document })) ? 'refused' : 'gone';
    } catch (error) {
      this.failed(error, item.batchId);
      return 'open';
    }
  }
}

const isCutOff = ({ findings }: Pick<IntakeRefusal, 'findings'>): boolean =>
  findings.some(({ rule }) => CUT_OFF.has(rule));
