import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { FILE_NAMES, type InstructionFile, MESSAGE_NAMES, readInstructions } from '../../src/files/read-file.ts';
import { documentText } from '../docs/markdown.ts';
import { newFolder } from '../support/new-folder.ts';
import { abaOf } from './aba/aba-records.ts';
import { type Collected, collected } from './collected.ts';
import { CONTEXT, nachaOf } from './nacha/nacha-records.ts';
import { workbook } from './xlsx/sample-workbook.ts';

let dir: string;
beforeEach(async () => {
  dir = newFolder();
});
async function read(path: string): Promise<InstructionFile & Collected> {
  let file: InstructionFile | undefined;
  const input = await collected(async (sink) => {
    file = await readInstructions(path, sink, CONTEXT);
  });
  if (file === undefined) throw new Error('nothing was read');
  return { ...file, ...input };
}

async function fileOf(name: string, content: string): Promise<string> {
  const path = join(dir, name);
  await writeFile(path, content);
  return path;
}

test.each([
  ['payroll.csv', 'id\nA\n', 'csv'],
  ['payroll.JSON', '[{"id": "A"}]', 'json'],
  ['payroll', '\ufeff\n [{"id": "A"}]', 'json'],
  ['payroll.txt', '{"payouts": [{"id": "A"}]}', 'json'],
  ['payroll.txt', 'id\nA\n', 'csv'],
  ['payroll.csv', '[{"id": "A"}]', 'json'],
  ['payroll.xls', 'id\tuid\nA\tu\n', 'csv'],
  ['payroll.xlsx', 'id;uid\nA;u\n', 'csv'],
  ['payroll.xlsx', 'id\nA\n', 'csv'],
  ['payroll.json', '"id","uid"\nA,u\n', 'csv'],
  ['payroll.xml', 'sep=;\nid;uid\nA;u\n', 'csv'],
])('reads %s by its first characters, else by its extension', async (name, content, format) => {
  const input = await read(await fileOf(name, content));
  expect(input).toMatchObject({ format, file: name, findings: [], rows: [{ row: 1, instruction: { id: 'A' } }] });
  expect(input.sha256).toBe(createHash('sha256').update(content).digest('hex'));
});

test.each([
  ['scan.pdf', '%PDF-1.7\n%\xe2\xe3\n1 0 obj', /^this is a PDF document.*; export/],
  ['payroll.csv', '%PDF-1.7\n', /^this is a PDF document/],
  ['photo', '\xff\xd8\xff\xe0\0\x10JFIF', /^this is a picture/],
  ['payroll.xml', '<!DOCTYPE html><html><body>Log in', /^this is a web page.*export the file again$/],
  ['payroll.xls', '<HTML><table>', /^this is a web page with a table.*save it as \.xlsx$/],
  ['payroll.xls', 'ï»¿<html xmlns:x="urn:schemas-microsoft-com:office:excel">', /^this is a web page with a table/],
  ['payroll.csv', '<table><tr><td>id', /^this is a web page with a table/],
  ['payroll.xls', '<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>', /^this is an Excel 2003 XML/],
  [
    'payroll.xml',
    '<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet">',
    /^this is an Excel 2003 XML spreadsheet.*open it in Excel and save it as \.xlsx$/,
  ],
  ['payroll.xls', 'MIME-Version: 1.0\nContent-Type: multipart/related', /^this is a web page with a table/],
  ['payroll.slk', 'ID;PWXL;N;E\n', /^this is a SYLK spreadsheet/],
  ['payroll.csv.gz', '\x1f\x8b\x08\0', /^this is an archive.*; unpack/],
  ['empty.zip', 'PK\x05\x06\0\0', /^this is an archive/],
  ['payroll.csv', '-----BEGIN PGP MESSAGE-----\n\n', /^this is an encrypted or signed file.*; decrypt/],
  ['orders.txt', '{1:F01BANKDEFFAXXX0000000000}{4:\n:20:REF', /^this is a SWIFT MT message/],
])('says what %s is that begins as something else, once', async (name, content, message) => {
  const path = join(dir, name);
  await writeFile(path, content, 'latin1');
  const input = await read(path);
  expect(input.rows).toEqual([]);
  expect(input.findings).toMatchObject([{ file: name, rule: 'other-kind-of-file', row: null }]);
  expect(input.findings[0]?.message).toMatch(message);
  expect(input.sha256).toBe(createHash('sha256').update(content, 'latin1').digest('hex'));
});

test.each([
  ['payments.csv', workbook({}), 'xlsx'],
  ['payments.txt', nachaOf([{ entries: [{}] }]), 'nacha'],
  ['payments.dat', nachaOf([{ entries: [{}] }], { lineEnd: '' }), 'nacha'],
  ['payments', `\ufeff\r\n${nachaOf([{ entries: [{}] }])}`, 'nacha'],
  ['payments.csv', nachaOf([{ entries: [{}] }]), 'nacha'],
  ['batch.txt', nachaOf([{ entries: [{}] }]).slice(95), 'nacha'],
  ['payments.txt', Buffer.from(`\ufeff${abaOf([{}])}`, 'utf16le'), 'aba'],
  ['payments.ach', abaOf([{}]), 'aba'],
  ['payments.csv', '<?xml version="1.0"?><Document/>', 'pain.001'],
  ['payments.xlsx', '\x00\x01\x02 damaged', 'xlsx'],
  ['payments.xlsx', '', 'xlsx'],
  ['payments.aba', 'not known', 'aba'],
])('recognises the format of %s by what is in it', async (name, content, format) => {
  const path = join(dir, name);
  await writeFile(path, content);
  expect(await read(path)).toMatchObject({ format, file: name });
});

test.each([
  ['an old workbook', [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 0, 0], /^an old workbook.*save it as \.xlsx/],
  ['a workbook of Excel 4', [9, 4, 6, 0, 0, 0, 16, 0, 0, 0], /^an old workbook/],
  [
    'a workbook with a password',
    [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, ...Buffer.from('EncryptedPackage', 'utf16le')],
    /^a workbook with a password.*save it in Excel without a password$/,
  ],
])('%s is named, under any file name', async (_, bytes, message) => {
  for (const name of ['payroll.xls', 'payroll.xlsx', 'payroll.csv', 'payroll']) {
    const path = join(dir, name);
    await writeFile(path, Buffer.from(bytes));
    const { findings } = await read(path);
    expect(findings).toMatchObject([{ rule: 'old-workbook', message: expect.stringMatching(message) }]);
  }
});

test('names an empty file in a finding', async () => {
  const input = await read(await fileOf('empty.csv', ''));
  expect(input).toMatchObject({ format: 'csv', rows: [], findings: [{ file: 'empty.csv', rule: 'no-rows', line: 1 }] });
});

test('rejects with the error of the file system when there is no such file', async () => {
  await expect(read(join(dir, 'absent.csv'))).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(read(dir)).rejects.toMatchObject({ code: 'EISDIR' });
});

test('people are shown every format in one sentence', () => {
  expect(FILE_NAMES).toBe('CSV, Excel (.xlsx), JSON, pain.001, ABA or NACHA');
  expect(MESSAGE_NAMES).toBe('pain.001, ABA or NACHA');
  expect(documentText('docs/input.md')).toContain(FILE_NAMES);
});
