import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FILE_NAMES, type InstructionFile, MESSAGE_NAMES, readInstructions } from '../../src/files/read-file.ts';
import { documentText } from '../docs/markdown.ts';
import { type Collected, collected, NO_CONTEXT } from './collected.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'read-file-'));
});
afterEach(async () => {
  await rm(dir, { recursive: true });
});

async function read(path: string): Promise<InstructionFile & Collected> {
  let file: InstructionFile | undefined;
  const input = await collected(async (sink) => {
    file = await readInstructions(path, sink, NO_CONTEXT);
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
])('reads %s by its extension, else by its first character', async (name, content, format) => {
  const input = await read(await fileOf(name, content));
  expect(input).toMatchObject({ format, file: name, findings: [], rows: [{ row: 1, instruction: { id: 'A' } }] });
  expect(input.sha256).toBe(createHash('sha256').update(content).digest('hex'));
});

test.each([
  ['scan.pdf', '%PDF-1.7\n%\xe2\xe3\n1 0 obj', /^this is a PDF document.*; export/],
  ['payroll.csv', '%PDF-1.7\n', /^this is a PDF document/],
  ['photo', '\xff\xd8\xff\xe0\0\x10JFIF', /^this is a picture/],
  ['payroll.xml', '<!DOCTYPE html><html><body>Log in', /^this is a web page.*export the file again$/],
  ['payroll.xls', '<HTML><table>', /^this is a web page/],
  ['payroll.csv.gz', '\x1f\x8b\x08\0', /^this is an archive.*; unpack/],
  ['empty.zip', 'PK\x05\x06\0\0', /^this is an archive/],
  ['payroll.csv', '-----BEGIN PGP MESSAGE-----\n\n', /^this is an encrypted or signed file.*; decrypt/],
  ['orders.txt', '{1:F01BANKDEFFAXXX0000000000}{4:\n:20:REF', /^this is a SWIFT MT message/],
  ['payroll.csv', '[{"id": "A"}]', /called \.csv but begins like JSON; .* rename it to \.json$/],
  ['payroll.csv', '<?xml version="1.0"?><Document/>', /called \.csv but begins like pain\.001; .* rename it to \.xml$/],
])('tells what %s is that begins as something else, once', async (name, content, message) => {
  const path = join(dir, name);
  await writeFile(path, content, 'latin1');
  const input = await read(path);
  expect(input.rows).toEqual([]);
  expect(input.findings).toMatchObject([{ file: name, rule: 'other-kind-of-file', row: null }]);
  expect(input.findings[0]?.message).toMatch(message);
  expect(input.sha256).toBe(createHash('sha256').update(content, 'latin1').digest('hex'));
});

test('names an empty file in a finding', async () => {
  const input = await read(await fileOf('empty.csv', ''));
  expect(input).toMatchObject({ format: 'csv', rows: [], findings: [{ file: 'empty.csv', rule: 'no-rows', line: 1 }] });
});

test('rejects with the error of the file system when there is no such file', async () => {
  await expect(read(join(dir, 'absent.csv'))).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(read(dir)).rejects.toMatchObject({ code: 'EISDIR' });
});

test('people are told every format by one sentence', () => {
  expect(FILE_NAMES).toBe('CSV, Excel (.xlsx), JSON, pain.001, ABA or NACHA');
  expect(MESSAGE_NAMES).toBe('pain.001, ABA or NACHA');
  expect(documentText('docs/commands.md')).toContain(FILE_NAMES);
});
