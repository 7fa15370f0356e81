import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename, extname } from 'node:path';
import { aboutFile, type Finding } from '../domain/finding.ts';
import { looksLikeAba } from './aba/read-aba.ts';
import { readCsv } from './csv/read-csv.ts';
import { inTurns, type RowSink, TEXT_BYTES_MAX, untilUnreadable, withinBytes, withinRows } from './input.ts';
import { readJson } from './json/read-json.ts';
import type { MessageContext } from './messages/message-context.ts';
import { looksLikeNacha } from './nacha/read-nacha.ts';
import { looksLikeWorkbook } from './xlsx/workbook.ts';

/** What people hand over by mistake, by how it begins: read as CSV it would have findings about lines that it does not have. */
const STRANGERS: readonly (readonly [what: string, mend: string, ...begins: string[]])[] = [
  ['a PDF document', 'export the payouts themselves', '%PDF-'],
  ['a picture', 'export the payouts themselves', '\x89PNG', '\xff\xd8\xff', 'GIF8', 'II*'],
  ['a web page', 'the download may have failed; export the file again', '<!doctype html', '<html'],
  ['an archive', 'unpack it first', '\x1f\x8b', '7z\xbc\xaf', 'Rar!', 'PK\x05\x06', '\xfd7zXZ'],
  ['an encrypted or signed file', 'decrypt it first', '-----BEGIN '],
  ['a SWIFT MT message', 'export pain.001 instead', '{1:F'],
];

/** `head`: its first characters, as Latin-1, without byte order mark and blanks. Undefined for what may be one of our formats. */
function unsupportedFormatOf(head: string): string | undefined {
  const text = head.toLowerCase();
  const stranger = STRANGERS.find(([, , ...begins]) => begins.some((start) => text.startsWith(start.toLowerCase())));
  return stranger && `this is ${stranger[0]}, not a file of payouts; ${stranger[1]}`;
}

/**
 * Reads a file into a sink. A finding never stops the pass; if the rest cannot be read, it rejects with an `UnreadableFile`.
 */
type Reader = (bytes: AsyncIterable<Uint8Array>, sink: RowSink, context: MessageContext) => Promise<void>;

interface Format {
  /** As shown to people. */
  name: string;
  /** A bank message, completed by mapping and payee directory. */
  isMessage?: true;
  extension: string;
  /** Media types over HTTP; empty: recognized by its first characters. */
  mediaTypes: readonly string[];
  /** Whether a file with another extension begins like this format; absent: never. */
  isBegunBy?(text: string, bytes: Uint8Array): boolean;
  /** Absent: that of all files. */
  bytesMax?: number;
  /** Loaded when needed: readers of bank messages and workbooks are large. */
  reader(): Promise<Reader>;
}

/** In the order in which people are shown them. */
const FORMATS = {
  csv: { name: 'CSV', extension: '.csv', mediaTypes: ['text/csv'], reader: async () => readCsv },
  xlsx: {
    name: 'Excel (.xlsx)',
    extension: '.xlsx',
    mediaTypes: ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
    isBegunBy: (_text, bytes) => looksLikeWorkbook(bytes),
    reader: async () => (await import('./xlsx/read-xlsx.ts')).readXlsx,
  },
  json: {
    name: 'JSON',
    extension: '.json',
    mediaTypes: ['application/json'],
    isBegunBy: (text) => /^[[{]/.test(text),
    bytesMax: TEXT_BYTES_MAX,
    reader: async () => readJson,
  },
  'pain.001': {
    name: 'pain.001',
    isMessage: true,
    extension: '.xml',
    mediaTypes: ['application/xml', 'text/xml'],
    isBegunBy: (text) => text.startsWith('<'),
    reader: async () => (await import('./pain001/read-pain001.ts')).readPain001,
  },
  aba: {
    name: 'ABA',
    isMessage: true,
    extension: '.aba',
    mediaTypes: [],
    isBegunBy: (_text, bytes) => looksLikeAba(bytes),
    reader: async () => (await import('./aba/read-aba.ts')).readAba,
  },
  nacha: {
    name: 'NACHA',
    isMessage: true,
    extension: '.ach',
    mediaTypes: [],
    isBegunBy: (_text, bytes) => looksLikeNacha(bytes),
    reader: async () => (await import('./nacha/read-nacha.ts')).readNacha,
  },
} satisfies Record<string, Format>;

const either = (formats: readonly Format[]): string =>
  new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(formats.map(({ name }) => name));

/** "CSV, Excel (.xlsx), ... or NACHA": the formats accepted, and those of bank messages. */
export const FILE_NAMES = either(Object.values(FORMATS));
export const MESSAGE_NAMES = either(Object.values<Format>(FORMATS).filter(({ isMessage }) => isMessage));

export const EXTENSION_OF: Readonly<Record<string, string>> = Object.fromEntries(
  Object.values<Format>(FORMATS).flatMap(({ mediaTypes, extension }) => mediaTypes.map((type) => [type, extension])),
);

type InputFormat = keyof typeof FORMATS;

/** Whether mapping and payee directory complete it. */
export const isMessage = (format: InputFormat): boolean => (FORMATS[format] as Format).isMessage === true;

const FORMAT_NAMES = Object.keys(FORMATS) as InputFormat[];

export interface InstructionFile {
  format: InputFormat;
  /** File name without folder, for findings and reports. */
  file: string;
  /** Of the bytes read: the whole file, unless a finding ended the pass. */
  sha256: string;
}

/**
 * Reads a file of instructions into `sink`; its format is recognized by its first characters and its name. Rejects with the file
 * system's error (`ENOENT`, `EISDIR`, `EACCES`) if it cannot be opened; everything wrong inside is a finding.
 */
export async function readInstructions(
  path: string,
  sink: RowSink<Finding>,
  context: MessageContext,
  rowsMax?: number,
): Promise<InstructionFile> {
  const file = basename(path);
  const hash = createHash('sha256');
  const bytes = createReadStream(path)[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  try {
    const first = await bytes.next();
    const head = first.done ? Buffer.alloc(0) : first.value.subarray(0, HEAD_BYTES);
    const format = formatOf(file, head);
    const { bytesMax }: Format = FORMATS[format];
    const whole = inTurns(withinBytes(hashed(hash, first, bytes), bytesMax));
    const wrong = unsupportedFormatOf(textOf(head)) ?? misnamed(format, head);
    const read: Reader = wrong === undefined ? await FORMATS[format].reader() : refuse(wrong);
    const within = withinRows(file, sink, rowsMax);
    await untilUnreadable(within, read(whole, within, context));
    return { format, file, sha256: hash.digest('hex') };
  } finally {
    await bytes.return?.();
  }
}

/** Enough to tell what a file is. */
const HEAD_BYTES = 1024;

/** By extension; with an unknown one, by the first characters. */
function formatOf(file: string, head: Buffer): InputFormat {
  // No text begins like that, whatever the file is called.
  if (looksLikeWorkbook(head)) return 'xlsx';
  const extension = extname(file).toLowerCase();
  return FORMAT_NAMES.find((name) => FORMATS[name].extension === extension) ?? begunAs(head) ?? 'csv';
}

const begunAs = (head: Buffer): InputFormat | undefined =>
  FORMAT_NAMES.find((name) => (FORMATS[name] as Format).isBegunBy?.(textOf(head), head));

/** A header line begins as no other text does. */
function misnamed(format: InputFormat, head: Buffer): string | undefined {
  const begun = format === 'csv' ? begunAs(head) : undefined;
  if (begun !== 'json' && begun !== 'pain.001') return undefined;
  const { name, extension } = FORMATS[begun];
  return `the file is called .csv but begins like ${name}; if it is, rename it to ${extension}`;
}

/** UTF-16 has a NUL beside every ASCII character: only XML may be written in it. */
const textOf = (head: Buffer): string =>
  head.toString('latin1').replaceAll('\0', '').replace(BYTE_ORDER_MARK, '').trimStart();

/** Finds one thing, and reads to the end for the digest. */
const refuse =
  (message: string): Reader =>
  async (bytes, sink) => {
    sink.finding(aboutFile(1, 'other-kind-of-file', message));
    for await (const _ of bytes);
  };

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
