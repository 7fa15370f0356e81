import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename, extname } from 'node:path';
import { aboutFile, type Finding } from '../domain/finding.ts';
import { OWN_FIELDS } from '../domain/instruction.ts';
import { looksLikeAba } from './aba/read-aba.ts';
import { readCsv } from './csv/read-csv.ts';
import { inTurns, type RowSink, TEXT_BYTES_MAX, untilUnreadable, withinBytes, withinRows } from './input.ts';
import { readJson } from './json/read-json.ts';
import type { MessageContext } from './messages/message-context.ts';
import { looksLikeNacha } from './nacha/read-nacha.ts';
import { looksLikeWorkbook } from './xlsx/workbook.ts';

/** Gzip, 7-Zip, RAR, an empty ZIP, XZ. */
const ARCHIVE = { test: (head: string) => ARCHIVES.some((begin) => head.startsWith(begin)) };
const ARCHIVES = ['\x1f\x8b', '7z\xbc\xaf', 'Rar!', 'PK\x05\x06', '\xfd7zXZ'];

/** What people hand over by mistake, by how it begins: read as CSV it would have findings about lines that it does not have. */
const STRANGERS: readonly (readonly [what: string, mend: string, begins: Pick<RegExp, 'test'>])[] = [
  ['a PDF document', 'export the payouts themselves', /^%PDF-/],
  ['a picture', 'export the payouts themselves', /^(?:\x89PNG|\xff\xd8\xff|GIF8|II\*)/],
  [
    'an Excel 2003 XML spreadsheet',
    'open it in Excel and save it as .xlsx',
    /^<.*(?:urn:schemas-microsoft-com:office:spreadsheet|progid="Excel\.Sheet")/is,
  ],
  [
    'a web page with a table, as some programs export under the name .xls',
    'open it in Excel and save it as .xlsx',
    /^<(?:table|meta|style|div|(?:!doctype html|html|!--).*(?:<table|office:excel))|^MIME-Version:/is,
  ],
  ['a web page', 'the download may have failed; export the file again', /^<(?:!doctype html|html|head|body|script)/i],
  ['an archive', 'unpack it first', ARCHIVE],
  ['an encrypted or signed file', 'decrypt it first', /^-----BEGIN /],
  ['a SWIFT MT message', 'export pain.001 instead; `payouts statement FILE` takes a bank statement', /^(?:\{1:F|:20:)/],
  ['a SYLK spreadsheet', 'open it in Excel and save it as .xlsx', /^ID;P/],
  ['a text with formatting (RTF)', 'export the payouts themselves', /^\{\\rtf/],
];

/** `head`: its first characters, as Latin-1, without byte order mark and blanks. Undefined for what may be one of our formats. */
function unsupportedFormatOf(head: string): string | undefined {
  const stranger = STRANGERS.find(([, , begins]) => begins.test(head));
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
  /** Whether a file begins like this format and no other, under any name. */
  isBegunBy(text: string, bytes: Uint8Array): boolean;
  /** Absent: that of all files. */
  bytesMax?: number;
  /** Loaded when needed: readers of bank messages and workbooks are large. */
  reader(): Promise<Reader>;
}

/** In the order in which people are shown them. */
const FORMATS = {
  csv: {
    name: 'CSV',
    extension: '.csv',
    mediaTypes: ['text/csv'],
    isBegunBy: beginsWithColumns,
    reader: async () => readCsv,
  },
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
    isBegunBy: looksLikeAba,
    reader: async () => (await import('./aba/read-aba.ts')).readAba,
  },
  nacha: {
    name: 'NACHA',
    isMessage: true,
    extension: '.ach',
    mediaTypes: [],
    isBegunBy: looksLikeNacha,
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
 * Reads a file of instructions into `sink`; its format is recognized by its first characters, else by its name. Rejects with the file
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
    const wrong = unsupportedFormatOf(textOf(head));
    const read: Reader = wrong === undefined ? await FORMATS[format].reader() : refuse(wrong);
    const within = withinRows(file, sink, rowsMax);
    await untilUnreadable(within, read(whole, within, context));
    return { format, file, sha256: hash.digest('hex') };
  } finally {
    await bytes.return?.();
  }
}

/** Enough to recognise what a file is. */
const HEAD_BYTES = 1024;

/** Programs and people give files other names: what begins like one format only is read as such. */
function formatOf(file: string, head: Buffer): InputFormat {
  const text = textOf(head);
  const begun = FORMAT_NAMES.find((name) => FORMATS[name].isBegunBy(text, head));
  const extension = extname(file).toLowerCase();
  const named = FORMAT_NAMES.find((name) => FORMATS[name].extension === extension);
  return begun ?? (named === 'xlsx' && isText(head) ? 'csv' : (named ?? 'csv'));
}

/** Text in UTF-16 has a NUL beside every plain character; a damaged workbook has other control characters too. */
const isText = (head: Buffer): boolean => head.length > 0 && !/[^\P{Cc}\s]/u.test(textOf(head));

/** The first line names columns of ours. */
function beginsWithColumns(text: string): boolean {
  const [first = ''] = text.replace(/^"?sep=.*[\r\n]+/i, '').split(/[\r\n]/, 1);
  const names = first.split(/[,;\t]/).map((name) => name.replaceAll('"', '').trim());
  return names.filter((name) => OWN_FIELDS.has(name)).length > 1;
}

/** UTF-16 has a NUL beside every plain character. */
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
