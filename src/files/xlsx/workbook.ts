import { posix } from 'node:path';
import { RECORD_BYTES_MAX, recordTooLarge } from '../limits.ts';
import { type CellContext, unescaped } from './cell-text.ts';
import { type NumberFormat, numberFormatOf, PLAIN } from './number-format.ts';
import { notAWorkbook, type PackageParts, tooLarge } from './package-parts.ts';
import { type PartHandler, walkPart } from './part-events.ts';

interface Workbook extends CellContext {
  /** Parts of the visible sheets, in order. */
  sheets: string[];
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
  let isFrom1904 = false;
  let isWorkbook = false;
  await readPart(parts, main, {
    boundary: 'sheet',
    open(name, attribute) {
      if (name === 'workbook') isWorkbook = true;
      if (name === 'workbookPr') isFrom1904 = /^(?:1|true)$/.test(attribute('date1904') ?? '');
      if (name === 'sheet' && (attribute('state') ?? 'visible') === 'visible') ids.push(attribute('r:id') ?? '');
    },
  });
  // A document of another program in the same kind of package.
  if (!isWorkbook) throw notAWorkbook();
  const sheets = ids.flatMap(
    (id) => relations.find((it) => it.id === id && it.type.endsWith('/worksheet'))?.target ?? [],
  );
  const [styles] = targetsOf(relations, '/styles');
  const [strings] = targetsOf(relations, '/sharedStrings');
  return {
    sheets,
    isFrom1904,
    formats: styles === undefined ? [] : await readFormats(parts, styles),
    strings: strings === undefined ? [] : await readStrings(parts, strings),
  };
}

interface Relation {
  id: string;
  type: string;
  /** Name of the part. */
  target: string;
}

const targetsOf = (relations: readonly Relation[], type: string): string[] =>
  relations.filter((it) => it.type.endsWith(type)).map(({ target }) => target);

/** Relations of a part; `''` is the package itself. */
async function relationsOf(parts: PackageParts, part: string): Promise<Relation[]> {
  const folder = posix.dirname(part);
  const relations: Relation[] = [];
  const name = posix.join(folder, '_rels', `${posix.basename(part)}.rels`);
  await readPart(parts, name, {
    boundary: 'Relationship',
    open(element, attribute) {
      if (element !== 'Relationship' || attribute('TargetMode') === 'External') return;
      const [id = '', type = '', target = ''] = [attribute('Id'), attribute('Type'), attribute('Target')];
      relations.push({ id, type, target: posix.join(target.startsWith('/') ? '' : folder, target).replace(/^\//, '') });
    },
  });
  return relations;
}

/** By index of the cell formats. */
async function readFormats(parts: PackageParts, part: string): Promise<NumberFormat[]> {
  const own = new Map<string, NumberFormat>();
  const ids: string[] = [];
  let isOfCells = false;
  await readPart(parts, part, {
    boundary: 'xf',
    open(name, attribute) {
      if (name === 'numFmt') {
        const [id = '', code = ''] = [attribute('numFmtId'), attribute('formatCode')];
        if (code.length > FORMAT_CODE_MAX || own.size === FORMATS_MAX) throw notAWorkbook();
        own.set(id, numberFormatOf(Number(id), code));
      }
      if (name === 'cellXfs') isOfCells = true;
      if (name === 'xf' && isOfCells && ids.length < FORMATS_MAX) ids.push(attribute('numFmtId') ?? '0');
    },
    close(name) {
      if (name === 'cellXfs') isOfCells = false;
    },
  });
  return ids.map((id) => (id === '0' ? PLAIN : (own.get(id) ?? numberFormatOf(Number(id), undefined))));
}

/** The shared strings, without phonetic text. */
async function readStrings(parts: PackageParts, part: string): Promise<string[]> {
  const strings: string[] = [];
  let text = '';
  let total = 0;
  let isText = false;
  let isPhonetic = false;
  await readPart(parts, part, {
    boundary: 'si',
    open(name) {
      if (name === 'rPh') isPhonetic = true;
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
