import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StagedFile } from '../../src/files/intake/staged-file.ts';
import { loadMessageMapping } from '../../src/files/messages/mapping.ts';
import { loadPayeeDirectory } from '../../src/files/messages/payee-directory.ts';
import { readInstructions } from '../../src/files/read-file.ts';
import { longestTurn } from '../support/longest-turn.ts';
import { folderOfFile } from '../support/new-folder.ts';
import { CONTEXT, detail, head } from './aba/aba-records.ts';
import { batchHeader, entry, fileHeader } from './nacha/nacha-records.ts';
import { sheet, workbook } from './xlsx/sample-workbook.ts';

/** Nobody else in the process waits longer for a file, with any content, ms. */
const HELD_MAX = 100;

const folder = folderOfFile();
/** Into the sink that channels use. */
async function read(path: string): Promise<void> {
  using staged = new StagedFile();
  await readInstructions(path, staged, CONTEXT);
}

async function held(name: string, content: string | Buffer, work = read): Promise<number> {
  const path = join(folder, name);
  await writeFile(path, content);
  return longestTurn(() => work(path), HELD_MAX);
}

const HEADER = 'id,uid,note\n';
const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:pain.001.001.09';
const XML = `<Document xmlns="${NAMESPACE}"><CstmrCdtTrfInitn>`;
const many = (text: string, bytes: number): string => text.repeat(Math.ceil(bytes / text.length));

/** A workbook whose cells may all have one of these formats. */
function sheetInFormats(formats: readonly string[]): Buffer {
  const codes = formats.map((code, index) => `<numFmt numFmtId="${200 + index}" formatCode="${code}"/>`).join('');
  const cells = many('<xf numFmtId="200"/>', 400_000);
  const parts = { 'xl/styles.xml': `<styleSheet><numFmts>${codes}</numFmts><cellXfs>${cells}</cellXfs></styleSheet>` };
  return workbook({ sheets: [{ rows: '' }], parts });
}

/** Content, by what was slow in it or might be. */
const HOSTILE: readonly [what: string, file: string, content: () => string | Buffer][] = [
  ['10,000 quotes in a cell', 'a.csv', () => `${HEADER}A,u,x${'"'.repeat(10_000)}\n`],
  ['a record of quotes', 'b.csv', () => `${HEADER}A,u,x${'"'.repeat(65_000)}\n`],
  ['letters and quotes by turns', 'c.csv', () => `${HEADER}A,u,${many('x"', 65_000)}\n`],
  [
    'long values with few quotes',
    'd.csv',
    () => HEADER + many(`A,u,${'x'.repeat(50_000)}${'"'.repeat(90)}\n`, 400_000),
  ],
  ['short records with a quote', 'e.csv', () => HEADER + many('a"b,u,n\n', 100_000)],
  ['short records', 'f.csv', () => HEADER + many(',,x\n', 390_000)],
  ['blank lines', 'g.csv', () => HEADER + many('\n', 4_000_000)],
  ['NUL and CR', 'h.csv', () => HEADER + many('\0\r,\n', 60_000)],
  ['header of quotes', 'i.csv', () => many('"x",', 60_000)],
  ['open brackets', 'a.json', () => many('[', 1_000_000)],
  ['open objects', 'b.json', () => `[{"id":${many('{"a":', 1_000_000)}`],
  ['a long string', 'c.json', () => `[{"id":"${'x'.repeat(40_000_000)}"}]`],
  ['escaped quotes', 'd.json', () => `[{"id":"${many('\\"', 20_000_000)}"}]`],
  ['backslashes', 'e.json', () => `[{"id":"${many('\\\\', 20_000_000)}"}]`],
  ['a long number', 'f.json', () => `[{"amount":${'1'.repeat(40_000_000)}}]`],
  ['blank lines', 'g.json', () => `[{"id":"A"},${many('\n', 5_000_000)}{"id":"B"}]`],
  ['a long list in a value', 'h.json', () => `[{"id":[${many('1,', 20_000_000)}1]}]`],
  ['many names in a payout', 'i.json', () => `[{${many('"":1,', 5_000_000)}"a":1}]`],
  ['many keys beside the payouts', 'j.json', () => `{${many('"":1,', 5_000_000)}"a":1}`],
  ['small payouts', 'k.json', () => `[${many('{"id":1,"__proto__":2},', 600_000)}{}]`],
  ['blank rows of a sheet', 'a.xlsx', () => workbook({ sheets: [{ rows: many('<row/>', 6_000_000) }] })],
  ['blank cells of a sheet', 'b.xlsx', () => workbook({ sheets: [{ rows: `<row>${many('<c/>', 1_000_000)}` }] })],
  ['numbers of a sheet', 'c.xlsx', () => sheet(['id'], [{ xml: `<c><v>${many('9', 60_000)}</v></c>` }])],
  [
    'blank texts of a workbook',
    'd.xlsx',
    () =>
      workbook({
        sheets: [{ rows: '' }],
        parts: { 'xl/sharedStrings.xml': `<sst>${many('<si/>', 4_000_000)}</sst>` },
      }),
  ],
  ['a long number format', 'e.xlsx', () => sheetInFormats([many('[', 200_000)])],
  ['number formats', 'f.xlsx', () => sheetInFormats(Array.from({ length: 20_000 }, () => many('[', 400)))],
  [
    'hidden columns',
    'g.xlsx',
    () => workbook({ sheets: [{ rows: '', columns: many('<col min="-9e9" max="9e9" hidden="1"/>', 900_000) }] }),
  ],
  ['attributes', 'a.xml', () => `<Document ${Array.from({ length: 8_000 }, (_, n) => `a${n}="x"`).join(' ')}>`],
  [
    'names of namespaces',
    'b.xml',
    () => `<Document ${Array.from({ length: 4_000 }, (_, n) => `xmlns:a${n}="x"`).join(' ')}>`,
  ],
  ['deep elements', 'c.xml', () => XML + many('<a>', 1_000_000)],
  ['unknown elements', 'd.xml', () => XML + many('<a/>', 1_000_000)],
  ['unknown elements of records', 'e.xml', () => XML + many('<PmtInf><x/></PmtInf>', 1_000_000)],
  ['character references', 'f.xml', () => `${XML}<GrpHdr><MsgId>${many('&#65;', 1_000_000)}`],
  ['ampersands', 'g.xml', () => `${XML}<GrpHdr><MsgId>${many('&', 1_000_000)}`],
  ['comments', 'h.xml', () => XML + many('<!---->', 1_000_000)],
  ['an open comment', 'i.xml', () => `${XML}<!--${many('-', 4_000_000)}`],
  ['an open CDATA section', 'j.xml', () => `${XML}<![CDATA[${many(']', 4_000_000)}`],
  ['an XML declaration', 'k.xml', () => `<?xml ${many('encoding ', 1_000_000)}`],
  ['a file that is one record', 'a.aba', () => many('0', 4_000_000)],
  ['line ends', 'b.aba', () => many('\n', 4_000_000)],
  ['details', 'c.aba', () => `${head()}\n${many(`${detail({ cents: 'x'.repeat(10) })}\n`, 2_000_000)}`],
  ['a file that is one record', 'a.ach', () => many('9', 4_000_000)],
  ['batches', 'b.ach', () => `${fileHeader()}\n${many(`${batchHeader({ entries: [] }, 1)}\n`, 1_000_000)}`],
  [
    'entries',
    'c.ach',
    () => `${fileHeader()}\n${batchHeader({ entries: [] }, 1)}\n${many(`${entry({ code: 'xx' }, 1)}\n`, 2_000_000)}`,
  ],
];

describe('a file holds up nobody else in its process', () => {
  it.each(HOSTILE)('%s: %s', async (_, file, content) => {
    expect(await held(file, content())).toBeLessThan(HELD_MAX);
  });

  /** Pieces that mean something to a reader, each many times. */
  const TOKENS: Readonly<Record<string, readonly string[]>> = {
    'fuzz.csv': ['"', '""', 'a"', '","', ',', ';', '\n', '\r', '\r\n', '\0', ' ', 'x', '\ufeff', 'ü', '"\n', HEADER],
    'fuzz.json': [
      '[',
      '{',
      '}',
      ']',
      '"',
      '\\',
      '\\"',
      ':',
      ',',
      '{"id":',
      '"a":"b",',
      '[{',
      '1',
      'e',
      '-',
      ' ',
      '\n',
      'null',
    ],
    'fuzz.xml': [
      '<',
      '>',
      '/',
      '<a>',
      '</a>',
      '<a/>',
      '&',
      '&#1;',
      '&lt;',
      '<!--',
      '-->',
      '<![CDATA[',
      ']]>',
      '<?',
      '?>',
      ' x="',
      '"',
      XML,
    ],
    'fuzz.aba': [`${head()}\n`, `${detail()}\n`, '\n', '\r\n', '0', '1', '7', ' ', 'x'.repeat(120), '\u00ff'],
    'fuzz.ach': [
      `${fileHeader()}\n`,
      `${batchHeader({ entries: [] }, 1)}\n`,
      `${entry({}, 1)}\n`,
      '\n',
      '\r\n',
      '9',
      ' ',
    ],
  };

  it.each(Object.entries(TOKENS))('%s: pieces of the format, many times, in any order', async (file, tokens) => {
    const run = fc.tuple(fc.constantFrom(...tokens), fc.constantFrom(1, 10, 1_000, 20_000, 70_000));
    const content = fc
      .array(run, { maxLength: 6 })
      .map((runs) => runs.map(([token, times]) => many(token, times)).join(''));
    await fc.assert(
      fc.asyncProperty(fc.boolean(), content, async (begun, text) => {
        const start = begun ? { 'fuzz.csv': HEADER, 'fuzz.json': '[{"id":"', 'fuzz.xml': XML }[file] : undefined;
        expect(await held(file, (start ?? '') + text)).toBeLessThan(HELD_MAX);
      }),
      { numRuns: 40 },
    );
  });
});

describe('a file of ours about messages holds up nobody else either', () => {
  const refused = (load: (path: string) => Promise<unknown>) => (path: string) =>
    load(path).then(
      () => undefined,
      () => undefined,
    );

  it.each<[string, () => string]>([
    ['open brackets', () => many('[', 1_000_000)],
    ['more than a mapping', () => `{"accounts":{${many('"a":{},', 30_000_000)}`],
    ['accounts', () => `{"accounts":{${Array.from({ length: 20_000 }, (_, n) => `"${n}":{"uid":"u"}`).join(',')}}}`],
  ])('mapping: %s', async (_, content) => {
    expect(await held('mapping.json', content(), refused(loadMessageMapping))).toBeLessThan(HELD_MAX);
  });

  it.each<[string, () => string]>([
    ['quotes', () => `account,mobile\n1,x${many('"', 1_000_000)}\n`],
    ['an open quote', () => `account,mobile\n1,"${many('x\n', 4_000_000)}\n`],
    ['delimiters', () => many(',', 1_000_000)],
    ['lines', () => `account,mobile\n${Array.from({ length: 50_000 }, (_, n) => `${n},1`).join('\n')}`],
    [
      'one account with many conditions',
      () => `account,uid,mobile\n${Array.from({ length: 3_000 }, (_, n) => `1,${n},1`).join('\n')}`,
    ],
  ])('payee directory: %s', async (_, content) => {
    expect(await held('payees.csv', content(), refused(loadPayeeDirectory))).toBeLessThan(HELD_MAX);
  });
});
