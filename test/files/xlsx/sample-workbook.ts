import { crc32, deflateRawSync } from 'node:zlib';

/** Workbooks made of parts, so that a test writes only what it is about. */

interface SampleSheet {
  name?: string;
  state?: 'visible' | 'hidden' | 'veryHidden';
  /** XML inside `sheetData`, or rows of cells. */
  rows: string | readonly (readonly Cell[])[];
  /** XML inside `cols`. */
  columns?: string;
  /** XML after the cells. */
  after?: string;
}

/** A text goes to the shared strings; `xml` is a whole `c` element, `{ref}` the place for its reference. */
type Cell = string | number | null | { xml: string };

interface SampleWorkbook {
  sheets?: readonly SampleSheet[];
  /** Format codes, from style 1 on; style 0 is General. */
  formats?: readonly (number | string)[];
  isFrom1904?: boolean;
  /** Parts put in place of those made here, or beside them; null leaves one out. */
  parts?: Readonly<Record<string, string | null>>;
}

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

export function workbook({ sheets = [], formats = [], isFrom1904 = false, parts = {} }: SampleWorkbook): Buffer {
  const strings = new Map<string, number>();
  const made = sheets.map(
    ({ rows, columns = '', after = '' }) =>
      `${HEAD}<worksheet xmlns="${MAIN}">${columns && `<cols>${columns}</cols>`}<sheetData>${dataOf(rows, strings)}</sheetData>${after}<pageMargins left="1"/></worksheet>`,
  );
  const all: Record<string, string | null> = {
    '[Content_Types].xml': `${HEAD}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
    '_rels/.rels': relations([['rId1', 'officeDocument', 'xl/workbook.xml']]),
    'xl/workbook.xml': `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><workbookPr${isFrom1904 ? ' date1904="1"' : ''}/><sheets>${sheets
      .map(
        ({ name, state = 'visible' }, index) =>
          `<sheet name="${name ?? `Sheet${index + 1}`}" sheetId="${index + 1}" state="${state}" r:id="rId${index + 1}"/>`,
      )
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations([
      ...sheets.map((_, index): [string, string, string] => [
        `rId${index + 1}`,
        'worksheet',
        `worksheets/sheet${index + 1}.xml`,
      ]),
      ['rId98', 'styles', 'styles.xml'],
      ['rId99', 'sharedStrings', '/xl/sharedStrings.xml'],
    ]),
    'xl/styles.xml': styles(formats),
    ...Object.fromEntries(made.map((sheet, index) => [`xl/worksheets/sheet${index + 1}.xml`, sheet])),
    'xl/sharedStrings.xml': `${HEAD}<sst xmlns="${MAIN}">${[...strings.keys()].map((text) => `<si><t xml:space="preserve">${escaped(text)}</t></si>`).join('')}</sst>`,
    ...parts,
  };
  return zip(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null));
}

/** A sheet by its rows of cells. */
export const sheet = (...rows: (readonly Cell[])[]): Buffer => workbook({ sheets: [{ rows }] });

function dataOf(rows: SampleSheet['rows'], strings: Map<string, number>): string {
  if (typeof rows === 'string') return rows;
  return rows
    .map(
      (cells, index) =>
        `<row r="${index + 1}">${cells.map((cell, column) => cellOf(cell, `${columnName(column)}${index + 1}`, strings)).join('')}</row>`,
    )
    .join('');
}

function cellOf(cell: Cell, reference: string, strings: Map<string, number>): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return `<c r="${reference}"><v>${cell}</v></c>`;
  if (typeof cell === 'object') return cell.xml.replace('{ref}', `r="${reference}"`);
  const position = strings.get(cell) ?? strings.size;
  strings.set(cell, position);
  return `<c r="${reference}" t="s"><v>${position}</v></c>`;
}

const columnName = (index: number): string =>
  index < 26 ? String.fromCharCode(65 + index) : columnName(Math.floor(index / 26) - 1) + columnName(index % 26);

function styles(formats: readonly (number | string)[]): string {
  const own = formats.flatMap((format, index) =>
    typeof format === 'string' ? [`<numFmt numFmtId="${200 + index}" formatCode="${escaped(format)}"/>`] : [],
  );
  const ids = [0, ...formats.map((format, index) => (typeof format === 'string' ? 200 + index : format))];
  const xfs = ids.map((id) => `<xf numFmtId="${id}" xfId="0"/>`).join('');
  return `${HEAD}<styleSheet xmlns="${MAIN}"><numFmts>${own.join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${xfs}</cellXfs></styleSheet>`;
}

const relations = (list: readonly (readonly [id: string, type: string, target: string])[]): string =>
  `${HEAD}<Relationships xmlns="${RELATIONS}">${list.map(([id, type, target]) => `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`).join('')}</Relationships>`;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;

/** A ZIP file (APPNOTE.TXT): local headers, central directory, end record. `size` lies about what comes out. */
export function zip(files: readonly (readonly [name: string, content: string | Buffer])[], size?: number): Buffer {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of files) {
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(size ?? bytes.length, 18);
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const head = Buffer.alloc(4);
    head.writeUInt32LE(LOCAL);
    const entry = Buffer.alloc(6);
    entry.writeUInt32LE(CENTRAL);
    entry.writeUInt16LE(20, 4);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    local.push(head, common, Buffer.from(name), packed);
    central.push(entry, common, tail, Buffer.from(name));
    offset += 30 + Buffer.byteLength(name) + packed.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(END);
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...local, directory, end]);
}
