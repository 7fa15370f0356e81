import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, chmod, lstat, mkdir, open, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { v7 } from 'uuid';
import { hasCode } from '../../domain/failures.ts';
import { writeWhole } from '../../reports/write-reports.ts';

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
export async function isWrittenSince(path: string, sha256: string): Promise<boolean> {
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
export async function waitFor({ work }: DropFolderPaths, { batchId, path }: WorkItem): Promise<void> {
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
