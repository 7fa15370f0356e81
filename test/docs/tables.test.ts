import { describe, expect, it } from 'vitest';
import { testsNamed } from '../../scripts/docs-tables/failure-table.ts';
import {
  filesOf,
  generated,
  PAGES,
  rowsBelow,
  TO_WRITE,
  textOf,
  type Written,
} from '../../scripts/docs-tables/pages.ts';
import { TABLES } from '../../scripts/docs-tables/tables.ts';

const pages = filesOf(PAGES).map((path) => ({ path, text: textOf(path) }));
const marked = pages.filter(({ text }) => text.includes('<!-- table: '));

describe('the tables of the documents', () => {
  it.each(marked)('of $path are as npm run docs:tables writes them', ({ text }) => {
    expect(text).toBe(generated(text, TABLES));
    expect(text).not.toContain(`| ${TO_WRITE} |`);
  });

  it('are each in one place', () => {
    const names = marked.flatMap(({ text }) => [...text.matchAll(/<!-- table: (.*) -->/g)].map(([, name]) => name));
    expect(names.sort()).toEqual(Object.keys(TABLES).sort());
  });
});

const page = (...rows: string[]): string =>
  ['Before', '<!-- table: fruit -->', '| name | colour | who |', '|---|---|---|', ...rows, '<!-- end -->', ''].join(
    '\n',
  );

describe('generating a table', () => {
  const fruit = (...names: string[]) => ({
    fruit: ({ words }: Written) => names.map((name) => [name, 'red|green', words(name, 2)]),
  });

  it('writes the cells of the code and keeps the words of the page', () => {
    const before = page('| pear | blue | a \\| b |', '| gone | blue | c |', '| apple | red\\|green |  |');
    const after = page('| apple | red\\|green |  |', '| pear | red\\|green | a \\| b |', '| fig | red\\|green | … |');
    expect(generated(before, fruit('apple', 'pear', 'fig'))).toBe(after);
    expect(generated(after, fruit('apple', 'pear', 'fig'))).toBe(after);
  });

  it.each([
    ['that nothing generates', page(), {}, /nothing generates the table fruit/],
    ['without an end', page().replace('<!-- end -->', ''), fruit(), /no table and end after one of the marks: fruit/],
    ['with another number of columns', page(), { fruit: () => [['apple']] }, /has 3 columns, its row apple not/],
  ])('refuses a table %s', (_, text, tables, message) => {
    expect(() => generated(text, tables)).toThrow(message);
  });
});

it('takes the rows of a table of another page', () => {
  expect(rowsBelow(page('| pear | blue | a |'), '| name | colour |')[0]).toEqual(['pear', 'blue', 'a']);
  expect(() => rowsBelow(page(), '| price |')).toThrow(/no table that begins with \| price \|/);
});

describe('the failure table', () => {
  const here = 'test/docs/tables.test.ts';

  it('names the file that has a test, wherever that was before', () => {
    const titles = '“refuses a table %s”, “names the file that has a test, wherever that was before”';
    expect(testsNamed(`\`test/gone.test.ts\`: ${titles}`)).toBe(`\`${here}\`: ${titles}`);
  });

  it('refuses a test that no file has, and a row without one', () => {
    const absent = ['a test that', 'nobody wrote'].join(' ');
    expect(() => testsNamed(`\`${here}\`: “${absent}”`)).toThrow(/in no file/);
    expect(() => testsNamed('later')).toThrow(/not `file`: “title”: later/);
    expect(() => testsNamed(`\`${here}\`: “${here}”, then “${absent}`)).toThrow(/not `file`/);
  });
});
