import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename, extname } from 'node:path';
import { looksLikeAba } from './aba/aba-layout.ts';
import { readCsv } from './csv/read-csv.ts';
import type { Reader, RowSink } from './input.ts';
import { readJson } from './json/read-json.ts';
import type { MessageContext } from './messages/message-context.ts';
import { looksLikeNacha } from './nacha/nacha-layout.ts';
import { inTurns } from './turns.ts';

export const INPUT_FORMATS = ['csv', 'json', 'pain.001', 'aba', 'nacha'] as const;
export type InputFormat = (typeof INPUT_FORMATS)[number];

export interface InstructionFile {
  format: InputFormat;
  /** Name without its folder, as findings and reports show it. */
  file: string;
  /** Of the bytes read: the whole file, unless a finding ended the pass. */
  sha256: string;
}

/**
 * Reads a file of instructions into `sink`, in the format its first characters and its name say. Rejects with the file
 * system's own error (`ENOENT`, `EISDIR`, `EACCES`) when it cannot be opened; everything wrong inside is a finding.
 */
export async function readInstructions(path: string, sink: RowSink, context: MessageContext): Promise<InstructionFile> {
  const file = basename(path);
  const hash = createHash('sha256');
  const bytes = createReadStream(path)[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  try {
    const first = await bytes.next();
    const format = formatOf(file, first.done ? undefined : first.value);
    const read = await readerOf(format, context);
    await read(file, inTurns(hashed(hash, first, bytes)), sink);
    return { format, file, sha256: hash.digest('hex') };
  } finally {
    await bytes.return?.();
  }
}

/** The readers of bank messages are loaded when a message comes. */
async function readerOf(format: InputFormat, context: MessageContext): Promise<Reader> {
  switch (format) {
    case 'csv':
      return readCsv;
    case 'json':
      return readJson;
    case 'pain.001': {
      const { readPain001 } = await import('./pain001/read-pain001.ts');
      return (file, bytes, sink) => readPain001(file, bytes, sink, context);
    }
    case 'aba': {
      const { readAba } = await import('./aba/read-aba.ts');
      return (file, bytes, sink) => readAba(file, bytes, sink, context);
    }
    case 'nacha': {
      const { readNacha } = await import('./nacha/read-nacha.ts');
      return (file, bytes, sink) => readNacha(file, bytes, sink, context);
    }
  }
}

const BY_EXTENSION: Readonly<Record<string, InputFormat>> = {
  '.csv': 'csv',
  '.json': 'json',
  '.xml': 'pain.001',
  '.aba': 'aba',
  '.ach': 'nacha',
};

/** By extension; a file of another name by its first characters. */
function formatOf(file: string, start: Buffer | undefined): InputFormat {
  const byName = BY_EXTENSION[extname(file).toLowerCase()];
  if (byName !== undefined) return byName;
  const head = start?.subarray(0, 1024) ?? Buffer.alloc(0);
  // UTF-16 has a NUL beside every ASCII character: only XML may be written in it.
  const text = head.toString('latin1').replaceAll('\0', '').replace(BYTE_ORDER_MARK, '').trimStart();
  if (text.startsWith('<')) return 'pain.001';
  if (text.startsWith('[') || text.startsWith('{')) return 'json';
  if (looksLikeAba(head)) return 'aba';
  return looksLikeNacha(head) ? 'nacha' : 'csv';
}

const BYTE_ORDER_MARK = /^(?:ï»¿|ÿþ|þÿ)/;

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
