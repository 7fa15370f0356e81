import { crc32 } from 'node:zlib';
import { letterOf } from '../table-rows.ts';

/** A column of a sheet; `number`: its cells are numbers. All others are text, in which a spreadsheet changes nothing. */
export interface SheetColumn {
  name: string;
  kind: 'text' | 'number';
}

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** Cell formats of `xl/styles.xml`, by position; 49 is text (ECMA-376 part 1, 18.8.30). */
const STYLE = { number: 0, text: 1, head: 2 } as const;
const STYLES = `${HEAD}<styleSheet xmlns="${MAIN}"><fonts count="2"><font/><font><b/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3"><xf numFmtId="0"/><xf numFmtId="49" applyNumberFormat="1"/><xf numFmtId="49" fontId="1" applyNumberFormat="1" applyFont="1"/></cellXfs></styleSheet>`;

const WIDTH_MIN = 12;

/** A workbook with one sheet: a header row that stays in view, then the rows. */
export function writeXlsx(
  sheet: string,
  columns: readonly SheetColumn[],
  rows: readonly Readonly<Record<string, string>>[],
): Buffer {
  const cols = columns.map(
    ({ name, kind }, index) =>
      `<col min="${index + 1}" max="${index + 1}" width="${Math.max(WIDTH_MIN, name.length + 2)}" style="${STYLE[kind]}" customWidth="1"/>`,
  );
  const lines = [
    columns.map(({ name }, index) => textCell(index, 1, name, STYLE.head)).join(''),
    ...rows.map((row, n) =>
      columns
        .map(({ name, kind }, index) => {
          const value = row[name] ?? '';
          if (value === '') return '';
          if (kind === 'text') return textCell(index, n + 2, value, STYLE.text);
          return `<c r="${letterOf(index)}${n + 2}" s="${STYLE.number}"><v>${escaped(value)}</v></c>`;
        })
        .join(''),
    ),
  ].map((cells, index) => `<row r="${index + 1}">${cells}</row>`);
  const pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>';
  return zipped({
    '[Content_Types].xml': `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPE}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/></Types>`,
    '_rels/.rels': relations(['officeDocument', 'xl/workbook.xml']),
    'xl/workbook.xml': `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="${escaped(sheet)}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(['worksheet', 'worksheets/sheet1.xml'], ['styles', 'styles.xml']),
    'xl/styles.xml': STYLES,
    'xl/worksheets/sheet1.xml': `${HEAD}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0">${pane}</sheetView></sheetViews><cols>${cols.join('')}</cols><sheetData>${lines.join('')}</sheetData></worksheet>`,
  });
}

const textCell = (column: number, row: number, text: string, style: number): string =>
  `<c r="${letterOf(column)}${row}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`;

const relations = (...targets: readonly (readonly [kind: string, target: string])[]): string =>
  `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${targets
    .map(([kind, target], index) => `<Relationship Id="rId${index + 1}" Type="${OFFICE}/${kind}" Target="${target}"/>`)
    .join('')}</Relationships>`;

const escaped = (text: string): string => text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);

/** 1980-01-01, the first day that a ZIP file can name: the same content gives the same bytes. */
const DAY = 0x21;
const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const VERSION = 20;

/** A ZIP archive of parts as they are, without compression (APPNOTE 6.3, sections 4.3.7, 4.3.12 and 4.3.16). */
function zipped(parts: Readonly<Record<string, string>>): Buffer {
  const files: Buffer[] = [];
  const entries: Buffer[] = [];
  let at = 0;
  for (const [name, text] of Object.entries(parts)) {
    const [path, data] = [Buffer.from(name), Buffer.from(text)];
    // Version, flags, method, time, day, CRC, both sizes, and the length of the name; no extra field.
    const about = fields(
      [2, VERSION],
      [2, 0],
      [2, 0],
      [2, 0],
      [2, DAY],
      [4, crc32(data)],
      [4, data.length],
      [4, data.length],
      [2, path.length],
      [2, 0],
    );
    const file = Buffer.concat([fields([4, LOCAL]), about, path, data]);
    // No comment, disk 0, no attributes.
    const place = fields([2, 0], [2, 0], [2, 0], [4, 0], [4, at]);
    entries.push(Buffer.concat([fields([4, CENTRAL], [2, VERSION]), about, place, path]));
    files.push(file);
    at += file.length;
  }
  const directory = Buffer.concat(entries);
  const [count, size] = [entries.length, directory.length];
  return Buffer.concat([
    ...files,
    directory,
    fields([4, END], [2, 0], [2, 0], [2, count], [2, count], [4, size], [4, at], [2, 0]),
  ]);
}

/** Little-endian numbers of 2 or 4 bytes. */
function fields(...numbers: readonly (readonly [bytes: 2 | 4, value: number])[]): Buffer {
  return Buffer.concat(
    numbers.map(([bytes, value]) => {
      const buffer = Buffer.alloc(bytes);
      buffer.writeUIntLE(value, 0, bytes);
      return buffer;
    }),
  );
}
