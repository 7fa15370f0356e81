import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = new URL('../../', import.meta.url);

/** Paths from the root of the project. */
export const filesOf = (pattern: string): string[] => globSync(pattern, { cwd: fileURLToPath(ROOT) }).sort();
export const pathOf = (file: string): URL => new URL(file, ROOT);
export const textOf = (file: string): string => readFileSync(pathOf(file), 'utf8');

export const PAGES = '{docs,test/docs}/*.md';

/** A table as its page has it: the rows below its head, each cell as written. */
export interface Written {
  rows: string[][];
  /** Words that only the page has: the cell `column`, from 0, of the row that begins with `key`; `TO_WRITE` for a new row. */
  words(key: string, column: number): string;
}

/** The rows of a table, from code; cells that code has no words for are kept from the page. */
export type Rows = (written: Written) => string[][];

/** The text of a cell whose words somebody has to write. */
export const TO_WRITE = '…';

export const code = (text: string): string => `\`${text}\``;

const MARKED = /<!-- table: ([a-z-]+) -->\n(\|.*\n\|[-|]+\n)((?:\|.*\n)*)<!-- end -->/g;

/** The page with every marked table generated anew. Throws for a table that nothing generates. */
export function generated(page: string, tables: Readonly<Record<string, Rows>>): string {
  const names = [...page.matchAll(/<!-- table: (.*?) -->/g)].map(([, name = '']) => name);
  const found = [...page.matchAll(MARKED)].map(([, name = '']) => name);
  if (names.join() !== found.join()) throw new Error(`no table and end after one of the marks: ${names.join(', ')}`);
  return page.replace(MARKED, (_, name: string, head: string, body: string) => {
    const rowsOf = tables[name];
    if (rowsOf === undefined) throw new Error(`nothing generates the table ${name}`);
    const columns = cellsOf(head.split('\n', 1)[0] ?? '').length;
    const rows = rowsOf(written(body.split('\n').slice(0, -1).map(cellsOf)));
    const uneven = rows.find(({ length }) => length !== columns);
    if (uneven !== undefined) throw new Error(`the table ${name} has ${columns} columns, its row ${uneven[0]} not`);
    return `<!-- table: ${name} -->\n${head}${rows.map((cells) => `${rowOf(cells)}\n`).join('')}<!-- end -->`;
  });
}

function written(rows: string[][]): Written {
  return { rows, words: (key, column) => rows.find(([first]) => first === key)?.[column] ?? TO_WRITE };
}

/** The rows of the table whose head begins so; throws when there is none. */
export function rowsBelow(page: string, head: string): string[][] {
  const [, below] = page.split(`\n${head}`);
  if (below === undefined) throw new Error(`no table that begins with ${head}`);
  const [, , ...rows] = (below.split('\n\n', 1)[0] ?? '').split('\n');
  return rows.map(cellsOf);
}

/** A `\|` stays inside its cell. */
export const cellsOf = (row: string): string[] =>
  row
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());

/** Bars of texts of the code are escaped; words of the page already are. */
const rowOf = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replace(/(?<!\\)\|/g, '\\|')).join(' | ')} |`;
