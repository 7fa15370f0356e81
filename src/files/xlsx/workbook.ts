import { posix } from 'node:path';
import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { type SaxesAttributeNS, SaxesParser } from 'saxes';
import { type Entry, fromBufferPromise } from 'yauzl';
import { inTurns, RECORD_BYTES_MAX, recordTooLarge, UnreadableFile, unreadable } from '../input.ts';
import type { CellProblem } from '../table-rows.ts';

const ZIP = Buffer.from('PK\u0003\u0004');
/** Compound file: an old workbook (.xls), or one with a password. */
const COMPOUND = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);

/** Workbooks of Excel 2 to 4 begin with a record of their own (BOF). */
const isOldest = ([kind, version, length, zero]: Uint8Array): boolean =>
  kind === 9 && [0, 2, 4].includes(version ?? -1) && [4, 6, 8].includes(length ?? -1) && zero === 0;

const begins = (bytes: Uint8Array, magic: Buffer): boolean => magic.equals(bytes.subarray(0, magic.length));

const isCompoundFile = (bytes: Uint8Array): boolean => begins(bytes, COMPOUND);

/** Whether the first bytes are those of a workbook, or of what people take for one. */
export const looksLikeWorkbook = (bytes: Uint8Array): boolean =>
  begins(bytes, ZIP) || isCompoundFile(bytes) || isOldest(bytes);

/** Limit for the packed workbook: 100,000 payouts with details of new payees take about 10 MiB. */
const PACKED_BYTES_MAX = 16 * 1024 * 1024;
/** Limit for all parts read, unpacked: a sheet of 100,000 payouts is about 100 MiB of XML. */
export const UNPACKED_BYTES_MAX = 256 * 1024 * 1024;
const ENTRIES_MAX = 10_000;

/**
 * The parts of a workbook, unpacked while they are read. Each part must have the size and the checksum given in the zip
 * directory, and all together must stay below a limit. Throws `UnreadableFile`.
 */
export async function openParts(bytes: AsyncIterable<Uint8Array>) {
  const packed = await whole(bytes);
  if (isCompoundFile(packed) && packed.includes(ENCRYPTED)) throw oldWorkbook(WITH_PASSWORD);
  if (isCompoundFile(packed) || isOldest(packed)) throw oldWorkbook(OLD_WORKBOOK);
  const zip = await fromBufferPromise(packed, { autoClose: false, lazyEntries: true }).catch(() => {
    throw notAWorkbook();
  });
  if (zip.entryCount > ENTRIES_MAX) throw notAWorkbook();
  const entries = new Map<string, Entry>();
  try {
    for await (const entry of zip.eachEntry()) {
      const name = entry.fileName.toLowerCase();
      // Which of two parts with the same name counts is undefined.
      if (entries.has(name)) throw new Error('twice');
      entries.set(name, entry);
    }
  } catch {
    throw notAWorkbook();
  }
  // Every workbook has it (ECMA-376 part 2, 9.3).
  if (!entries.has(RELATIONS)) throw unreadable(1, ...OTHER_ARCHIVE);
  let unpacked = 0;
  return {
    has: (name: string): boolean => entries.has(name.toLowerCase()),

    /** Text of a part, in small pieces with turns for other work. Its checksum is known at the end: read it to there. */
    async *text(name: string): AsyncGenerator<string> {
      const entry = entries.get(name.toLowerCase());
      if (entry === undefined || entry.isEncrypted()) throw notAWorkbook();
      if (unpacked + entry.uncompressedSize > UNPACKED_BYTES_MAX) throw tooLarge();
      const decoder = new TextDecoder('utf-8', { fatal: true });
      let stream: Readable | undefined;
      let checksum = 0;
      try {
        stream = await zip.openReadStreamPromise(entry);
        for await (const piece of inTurns(stream)) {
          unpacked += piece.length;
          if (unpacked > UNPACKED_BYTES_MAX) throw tooLarge();
          checksum = crc32(piece, checksum);
          yield decoder.decode(piece, { stream: true });
        }
        yield decoder.decode();
        // The library leaves this to its user.
        if (checksum !== entry.crc32) throw notAWorkbook();
      } catch (error) {
        // Corrupt data, another size than in the directory, or another encoding.
        throw error instanceof UnreadableFile ? error : notAWorkbook();
      } finally {
        stream?.destroy();
      }
    },

    [Symbol.dispose]: (): void => zip.close(),
  };
}

export type PackageParts = Awaited<ReturnType<typeof openParts>>;

const notAWorkbook = (): UnreadableFile =>
  unreadable(
    1,
    'not-a-workbook',
    'not a readable workbook (.xlsx), or a damaged one; save it again in Excel as .xlsx or CSV UTF-8',
  );

function tooLarge(): UnreadableFile {
  const message = `a workbook may have at most ${UNPACKED_BYTES_MAX / 1024 / 1024} MiB when unpacked; split it`;
  return unreadable(1, 'file-too-large', message);
}

async function whole(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    length += chunk.length;
    if (length > PACKED_BYTES_MAX) {
      const message = `a workbook may have at most ${PACKED_BYTES_MAX / 1024 / 1024} MiB; split it, or delete pictures and other sheets`;
      throw unreadable(1, 'file-too-large', message);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const RELATIONS = '_rels/.rels';
const OTHER_ARCHIVE = [
  'not-a-workbook',
  'a ZIP archive or a document of another program, not a workbook (.xlsx); unpack it and hand over its files one by one, or save it as .xlsx',
] as const;
/** A part of a workbook with a password (MS-OFFCRYPTO 2.3.4.4). */
const ENCRYPTED = Buffer.from('EncryptedPackage', 'utf16le');
const oldWorkbook = (message: string): UnreadableFile => unreadable(1, 'old-workbook', message);
const WITH_PASSWORD = 'a workbook with a password, which cannot be opened; save it in Excel without a password';
const OLD_WORKBOOK = 'an old workbook (.xls), under any name; open it in Excel and save it as .xlsx or CSV UTF-8';

/** Deeper than any part of a workbook. */
const DEPTH_MAX = 64;
/** Limit of XML between two boundaries: a row of a sheet with all its formatted blank cells. */
const STRETCH_CHARACTERS_MAX = 1024 * 1024;

/** Callbacks for a part; names come without prefix. */
export interface PartHandler {
  open(name: string, attribute: (name: string) => string | undefined): void;
  text?(text: string): void;
  close?(name: string): void;
  /** True if the rest of the part means nothing. */
  isOver?: boolean;
  /** Elements at whose end nothing earlier is needed any more. */
  boundary: string;
}

/**
 * Walks through a part element by element: no DOCTYPE, at most 64 levels, at most 1 MiB between two boundaries. Yields after
 * every piece, once the handler has seen it. Throws `UnreadableFile`.
 */
export async function* walkPart(parts: PackageParts, name: string, handler: PartHandler): AsyncGenerator<void> {
  const parser = new SaxesParser({ xmlns: true, position: true });
  const refuse = (): never => {
    throw notAWorkbook();
  };
  let depth = 0;
  let boundary = 0;
  let written = 0;
  parser.on('error', refuse);
  parser.on('doctype', () => {
    const message = 'a DOCTYPE is not accepted in a workbook; save it again in Excel';
    throw unreadable(1, 'doctype-refused', message);
  });
  parser.on('opentag', ({ local, attributes }) => {
    depth += 1;
    if (depth > DEPTH_MAX) refuse();
    handler.open(local, (wanted) => attributeOf(Object.values(attributes), wanted));
  });
  parser.on('text', (text) => handler.text?.(text));
  parser.on('cdata', (text) => handler.text?.(text));
  parser.on('closetag', ({ local }) => {
    depth -= 1;
    handler.close?.(local);
    if (local === handler.boundary) boundary = parser.position;
  });
  for await (const text of parts.text(name)) {
    if (handler.isOver === true) continue;
    parser.write(text);
    written += text.length;
    if (written - boundary > STRETCH_CHARACTERS_MAX) throw recordTooLarge(1);
    yield;
  }
  if (handler.isOver !== true) parser.close();
  yield;
}

/** The id of a relation has a prefix; no other attribute has one. */
const attributeOf = (attributes: readonly SaxesAttributeNS[], wanted: string): string | undefined =>
  attributes.find(({ local, name }) => name === wanted || (wanted === 'r:id' && local === 'id' && name !== 'id'))
    ?.value;

/** How a number format changes what the cell says; every other format changes its appearance only. */
type NumberFormat = { kind: 'plain' } | { kind: 'date' } | { kind: 'padded'; places: readonly Place[] };

/** Of a format of zeros: a digit, or text beside them. */
type Place = { digit: true } | { text: string };

const PLAIN: NumberFormat = { kind: 'plain' };
const DATE: NumberFormat = { kind: 'date' };

/** Built-in formats with a date (ECMA-376 part 1, 18.8.30, and those of East Asian locales). */
const isBuiltInDate = (id: number): boolean =>
  (id >= 14 && id <= 17) || id === 22 || (id >= 27 && id <= 36) || (id >= 50 && id <= 58);

/** Quoted and escaped characters, colours, conditions and locales. */
const LITERALS = /"[^"]*"|\\.|_.|\*.|\[[^\]]*\]/gs;

/** One place of `000-000`, `0000 0000` or `"INV-"0000`: what makes numbers into account numbers and ids. */
const PLACE = /"([^"]*)"|\\(.)|([0 -])/gs;
const DIGITS_MAX = 64;

/** Positive numbers have the first section; colour, locale and the width of a bracket show nothing of it. */
const SECTION = /^(?:"[^"]*"|\\.|[^;])*/s;
const UNSEEN = /("[^"]*"|\\.)|\[(?:[a-z]{3,7}\d*|\$-[^\]]*)\]|_./gis;

/** Undefined for a format that has anything else, or fewer than two zeros: `0 "JPY"` is an amount. */
function placesOf(code: string): Place[] | undefined {
  if (code.replace(PLACE, '') !== '') return undefined;
  const places = [...code.matchAll(PLACE)].map(
    ([, quoted, escaped, bare]): Place => (bare === '0' ? { digit: true } : { text: quoted ?? escaped ?? bare ?? '' }),
  );
  const zeros = places.filter((place) => 'digit' in place).length;
  return zeros >= 2 && zeros <= DIGITS_MAX ? places : undefined;
}

/** Digits as the cell shows them: leading zeros in places without one, and what has no place before the first. */
export function paddedText(digits: string, places: readonly Place[]): string {
  const zeros = places.filter((place) => 'digit' in place).length;
  const padded = digits.padStart(zeros, '0');
  let taken = 0;
  return places
    .map((place) => {
      if ('text' in place) return place.text;
      const from = taken;
      taken += taken === 0 ? padded.length - zeros + 1 : 1;
      return padded.slice(from, taken);
    })
    .join('');
}

/** @param code of a format that the workbook defines itself */
export function numberFormatOf(id: number, code: string | undefined): NumberFormat {
  if (code === undefined) return isBuiltInDate(id) ? DATE : PLAIN;
  const places = placesOf((SECTION.exec(code)?.[0] ?? '').replace(UNSEEN, '$1'));
  if (places !== undefined) return { kind: 'padded', places };
  return /[dy]/i.test(code.replace(LITERALS, '')) ? DATE : PLAIN;
}

/** Day 60 of the 1900 system is 29 February 1900, which did not exist. */
const FIRST_TRUE_DAY = 61;
const LAST_DAY = 2_958_465;
const DAYS_TO_1904 = 1462;
const DAY_MS = 86_400_000;
const DAY_0 = Date.UTC(1899, 11, 30);

/** `2026-03-31`, or `2026-03-31T17:00:00` with a time; undefined if the number is not a calendar day. */
export function dateText(number: string, isFrom1904: boolean): string | undefined {
  const [, whole = '', fraction = ''] = /^(\d{1,7})(\.\d+)?$/.exec(number) ?? [];
  const day = Number(whole) + (isFrom1904 ? DAYS_TO_1904 : 0);
  if (whole === '' || day < FIRST_TRUE_DAY || day > LAST_DAY) return undefined;
  const seconds = Math.round(Number(`0${fraction}`) * (DAY_MS / 1000));
  const text = new Date(DAY_0 + day * DAY_MS + seconds * 1000).toISOString();
  return seconds === 0 ? text.slice(0, 'YYYY-MM-DD'.length) : text.slice(0, 'YYYY-MM-DDTHH:MM:SS'.length);
}

/** Excel keeps 15 significant digits of a typed number (Excel specifications and limits). */
const DIGITS_KEPT = 15;
/** Far above any amount: larger numbers are not written out. */
const MAGNITUDE_MAX = 40;
const NUMBER = /^(-?)(\d{1,400})(?:\.(\d{1,400}))?(?:[eE]([+-]?\d{1,3}))?$/;

interface NumberText {
  text: string;
  /** More digits may have been typed than the cell has kept. */
  mayHaveLostDigits: boolean;
}

/**
 * The exact decimal of a number cell. A workbook stores a double with up to 17 digits (1250.10 as `1250.0999999999999`); what was
 * typed, and is shown, is that number at 15 digits. The digits are rounded, never a float. Undefined if the text is not a number.
 */
export function numberText(raw: string): NumberText | undefined {
  const [, sign = '', whole = '', fraction = '', power = '0'] = NUMBER.exec(raw) ?? [];
  if (whole === '') return undefined;
  const written = `${whole}${fraction}`.replace(/^0+/, '');
  let { digits, exponent } = rounded(written, Number(power) - fraction.length);
  const kept = digits.replace(/0+$/, '');
  exponent += digits.length - kept.length;
  digits = kept;
  if (digits === '') return { text: '0', mayHaveLostDigits: false };
  const before = digits.length + exponent;
  if (Math.abs(before) > MAGNITUDE_MAX || -exponent > MAGNITUDE_MAX) return { text: raw, mayHaveLostDigits: true };
  // Other programs than Excel keep more: with so many digits before the point, cents were rounded off.
  const isCents = before > DIGITS_KEPT - 2 && /[1-9]/.test(written.slice(DIGITS_KEPT));
  const mayHaveLostDigits = before > DIGITS_KEPT || isCents || (exponent < 0 && digits.length === DIGITS_KEPT);
  return { text: `${sign}${plain(digits, exponent)}`, mayHaveLostDigits };
}

/** Rounds half up at the last digit kept. */
function rounded(digits: string, exponent: number): { digits: string; exponent: number } {
  const surplus = digits.length - DIGITS_KEPT;
  if (surplus <= 0) return { digits, exponent };
  const up = (digits[DIGITS_KEPT] ?? '0') >= '5' ? 1n : 0n;
  return { digits: `${BigInt(digits.slice(0, DIGITS_KEPT)) + up}`, exponent: exponent + surplus };
}

function plain(digits: string, exponent: number): string {
  if (exponent >= 0) return digits + '0'.repeat(exponent);
  const padded = digits.padStart(1 - exponent, '0');
  return `${padded.slice(0, exponent)}.${padded.slice(exponent)}`;
}

/** A cell as stored in the sheet (ECMA-376 part 1, 18.3.1.4). */
export interface RawCell {
  /** Attribute `t`; `n`, a number, if absent. */
  type: string;
  /** Attribute `s`: index of its format in the workbook. */
  style: number;
  /** Content of `v` or `is`; undefined if the cell has neither. */
  value?: string;
  isFormula: boolean;
  /** A part of its own text is struck through. */
  isStruck: boolean;
}

export interface CellContext {
  strings: readonly string[];
  formats: readonly NumberFormat[];
  /** Indexes of texts and of formats that are struck through, wholly or in part. */
  struck: { strings: ReadonlySet<number>; formats: ReadonlySet<number> };
  isFrom1904: boolean;
}

export interface CellText {
  text: string;
  problem?: Omit<CellProblem, 'index'>;
}

/** The text that a CSV file would have for the cell, however the cell is formatted. */
export function cellText({ type, style, value, isFormula }: RawCell, context: CellContext): CellText {
  if (value === undefined) return isFormula ? { text: '', problem: NOT_CALCULATED } : { text: '' };
  switch (type) {
    case 's': {
      const text = context.strings[Number(value)];
      return text === undefined ? { text: '', problem: NO_TEXT } : { text };
    }
    case 'str':
    case 'inlineStr':
      return { text: unescaped(value) };
    case 'b':
      return { text: value === '1' ? 'TRUE' : 'FALSE' };
    case 'e':
      return { text: value, problem: CELL_ERROR };
    case 'd':
      return { text: value.replace(/T00:00:00(?:\.0+)?$/, '') };
    default:
      return numberCell(value, context.formats[style] ?? PLAIN, context.isFrom1904);
  }
}

function numberCell(value: string, format: NumberFormat, isFrom1904: boolean): CellText {
  const number = numberText(value.trim());
  if (number === undefined) return { text: value };
  const date = format.kind === 'date' ? dateText(number.text, isFrom1904) : undefined;
  if (date !== undefined) return { text: date };
  if (number.mayHaveLostDigits) return { text: number.text, problem: LOST_DIGITS };
  if (format.kind !== 'padded' || !/^\d+$/.test(number.text)) return { text: number.text };
  return { text: paddedText(number.text, format.places) };
}

/** Whether people see the cell as deleted, or a part of it (ECMA-376 part 1, 18.4.10). */
export const isStruckThrough = ({ type, style, value, isStruck }: RawCell, { struck }: CellContext): boolean =>
  isStruck || struck.formats.has(style) || (type === 's' && struck.strings.has(Number(value)));

/** `_xHHHH_` encodes a character that XML cannot contain (ECMA-376 part 1, 22.9.2.19). */
const unescaped = (text: string): string =>
  text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

const NO_TEXT = {
  rule: 'not-a-workbook',
  message: 'the workbook lacks the text of this cell: it is damaged; save it again in Excel as .xlsx or CSV UTF-8',
};
const NOT_CALCULATED = {
  rule: 'formula-without-value',
  message: 'the formula was never calculated; open the workbook in Excel and save it, or paste the values',
};
const CELL_ERROR = {
  rule: 'cell-error',
  message: 'the formula of this cell results in an error; correct it, or type the value',
};
const LOST_DIGITS = {
  rule: 'lost-digits',
  message:
    'Excel keeps 15 digits of a number, and this cell may have lost some; format the column as Text and type the value again, or round the amount in the sheet',
};

export interface Workbook extends CellContext {
  /** Parts of the visible sheets, in order. */
  sheets: string[];
  hiddenSheets: string[];
}

/** Limit for the workbook's texts, which are in memory while its sheet is read. */
const TEXT_CHARACTERS_MAX = 64 * 1024 * 1024;
const TEXTS_MAX = 2_000_000;
const FORMATS_MAX = 65_536;
/** Excel writes at most 255 characters; a long one takes the square of its length to read. */
const FORMAT_CODE_MAX = 1_024;

/** Everything of a workbook except its cells. Throws `UnreadableFile`. */
export async function readWorkbook(parts: PackageParts): Promise<Workbook> {
  const [main] = targetsOf(await relationsOf(parts, ''), '/officeDocument');
  if (main === undefined || !parts.has(main)) throw notAWorkbook();
  const relations = await relationsOf(parts, main);
  const ids: string[] = [];
  const hiddenIds: string[] = [];
  let isFrom1904 = false;
  let isWorkbook = false;
  await readPart(parts, main, {
    boundary: 'sheet',
    open(name, attribute) {
      if (name === 'workbook') isWorkbook = true;
      if (name === 'workbookPr') isFrom1904 = /^(?:1|true)$/.test(attribute('date1904') ?? '');
      if (name !== 'sheet') return;
      const isVisible = (attribute('state') ?? 'visible') === 'visible';
      (isVisible ? ids : hiddenIds).push(attribute('r:id') ?? '');
    },
  });
  // A document of another program in the same kind of package.
  if (!isWorkbook) throw notAWorkbook();
  const worksheet = (id: string): string | [] =>
    relations.find((it) => it.id === id && it.type.endsWith('/worksheet'))?.target ?? [];
  const [styles] = targetsOf(relations, '/styles');
  const [strings] = targetsOf(relations, '/sharedStrings');
  const struck = { strings: new Set<number>(), formats: new Set<number>() };
  return {
    sheets: ids.flatMap(worksheet),
    hiddenSheets: hiddenIds.flatMap(worksheet),
    isFrom1904,
    formats: styles === undefined ? [] : await readFormats(parts, styles, struck.formats),
    strings: strings === undefined ? [] : await readStrings(parts, strings, struck.strings),
    struck,
  };
}

/** Whether one of the sheets has comments on cells, which may ask for anything. */
export async function haveComments(parts: PackageParts, sheets: readonly string[]): Promise<boolean> {
  for (const sheet of sheets) {
    if (!parts.has(relationsPart(sheet))) continue;
    const types = (await relationsOf(parts, sheet)).map(({ type }) => type);
    if (types.some((type) => type.endsWith('/comments') || type.endsWith('/threadedComment'))) return true;
  }
  return false;
}

interface Relation {
  id: string;
  type: string;
  /** Name of the part. */
  target: string;
}

const targetsOf = (relations: readonly Relation[], type: string): string[] =>
  relations.filter((it) => it.type.endsWith(type)).map(({ target }) => target);

const relationsPart = (part: string): string =>
  posix.join(posix.dirname(part), '_rels', `${posix.basename(part)}.rels`);

/** Relations of a part; `''` is the package itself. */
async function relationsOf(parts: PackageParts, part: string): Promise<Relation[]> {
  const folder = posix.dirname(part);
  const relations: Relation[] = [];
  await readPart(parts, relationsPart(part), {
    boundary: 'Relationship',
    open(element, attribute) {
      if (element !== 'Relationship' || attribute('TargetMode') === 'External') return;
      const [id = '', type = '', target = ''] = [attribute('Id'), attribute('Type'), attribute('Target')];
      relations.push({ id, type, target: posix.join(target.startsWith('/') ? '' : folder, target).replace(/^\//, '') });
    },
  });
  return relations;
}

/** Of `strike`: it has no value, or one that says so. */
export const strikes = (value: string | undefined): boolean => value !== '0' && value !== 'false';

/** By index of the cell formats; `struck` gets those whose font is struck through. */
async function readFormats(parts: PackageParts, part: string, struck: Set<number>): Promise<NumberFormat[]> {
  const own = new Map<string, NumberFormat>();
  const ids: string[] = [];
  const struckFonts = new Set<number>();
  let fonts = 0;
  let isOfCells = false;
  await readPart(parts, part, {
    boundary: 'xf',
    open(name, attribute) {
      if (name === 'numFmt') {
        const [id = '', code = ''] = [attribute('numFmtId'), attribute('formatCode')];
        if (code.length > FORMAT_CODE_MAX || own.size === FORMATS_MAX) throw notAWorkbook();
        own.set(id, numberFormatOf(Number(id), code));
      }
      if (name === 'font') fonts += 1;
      if (name === 'strike' && strikes(attribute('val')) && fonts < FORMATS_MAX) struckFonts.add(fonts - 1);
      if (name === 'cellXfs') isOfCells = true;
      if (name !== 'xf' || !isOfCells || ids.length === FORMATS_MAX) return;
      if (struckFonts.has(Number(attribute('fontId') ?? 0))) struck.add(ids.length);
      ids.push(attribute('numFmtId') ?? '0');
    },
    close(name) {
      if (name === 'cellXfs') isOfCells = false;
    },
  });
  return ids.map((id) => (id === '0' ? PLAIN : (own.get(id) ?? numberFormatOf(Number(id), undefined))));
}

/** The shared strings, without phonetic text; `struck` gets those that are struck through in a part. */
async function readStrings(parts: PackageParts, part: string, struck: Set<number>): Promise<string[]> {
  const strings: string[] = [];
  let text = '';
  let total = 0;
  let isText = false;
  let isPhonetic = false;
  await readPart(parts, part, {
    boundary: 'si',
    open(name, attribute) {
      if (name === 'rPh') isPhonetic = true;
      if (name === 'strike' && strikes(attribute('val'))) struck.add(strings.length);
      isText = name === 't' && !isPhonetic;
    },
    text(piece) {
      if (isText) text += piece;
      if (text.length > RECORD_BYTES_MAX) throw recordTooLarge(1);
    },
    close(name) {
      isText = false;
      if (name === 'rPh') isPhonetic = false;
      if (name !== 'si') return;
      total += text.length;
      if (total > TEXT_CHARACTERS_MAX || strings.length >= TEXTS_MAX) throw tooLarge();
      // A substring keeps the whole string in memory.
      strings.push(unescaped(Buffer.from(text).toString()));
      text = '';
    },
  });
  return strings;
}

async function readPart(parts: PackageParts, part: string, handler: PartHandler): Promise<void> {
  for await (const _ of walkPart(parts, part, handler));
}
