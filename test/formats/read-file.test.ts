import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FILE_NAMES, type InstructionFile, MESSAGE_NAMES, readInstructions } from '../../src/formats/read-file.ts';
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
  expect(documentText('docs/commands.md')).toContain(`findings of a ${FILE_NAMES} file`);
});
