import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename, extname } from 'node:path';
import type { ReadInput } from './input.ts';
import { readCsv } from './read-csv.ts';
import { readJson } from './read-json.ts';

export type InputFormat = 'csv' | 'json';

export interface InstructionFile extends ReadInput {
  format: InputFormat;
  /** Name without its folder, as findings and reports show it. */
  file: string;
  /** Of the bytes read: the whole file, unless a finding ended the pass. */
  sha256: string;
}

type Reader = (file: string, bytes: AsyncIterable<Uint8Array>) => Promise<ReadInput>;

const READERS: Readonly<Record<InputFormat, Reader>> = { csv: readCsv, json: readJson };

/**
 * Reads a file of instructions in the format its name and first characters say. Rejects with the file system's own
 * error (`ENOENT`, `EISDIR`, `EACCES`) when it cannot be opened; everything wrong inside the file is a finding.
 */
export async function readInstructions(path: string): Promise<InstructionFile> {
  const file = basename(path);
  const hash = createHash('sha256');
  const bytes = createReadStream(path)[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  try {
    const first = await bytes.next();
    const format = formatOf(file, first.done ? undefined : first.value);
    const input = await READERS[format](file, hashed(hash, first, bytes));
    return { format, file, sha256: hash.digest('hex'), ...input };
  } finally {
    await bytes.return?.();
  }
}

/** By extension; a file of another name is JSON when its first character says so, else CSV. */
function formatOf(file: string, start: Buffer | undefined): InputFormat {
  const extension = extname(file).toLowerCase();
  if (extension === '.csv') return 'csv';
  if (extension === '.json') return 'json';
  const text = new TextDecoder().decode(start?.subarray(0, 1024)).trimStart();
  return text.startsWith('[') || text.startsWith('{') ? 'json' : 'csv';
}

async function* hashed(
  hash: { update(chunk: Uint8Array): unknown },
  first: IteratorResult<Buffer>,
  rest: AsyncIterator<Buffer>,
): AsyncGenerator<Uint8Array> {
  for (let next = first; next.done !== true; next = await rest.next()) {
    hash.update(next.value);
    yield next.value;
  }
}
