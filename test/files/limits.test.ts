import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { FILE_BYTES_MAX, TEXT_BYTES_MAX, withinBytes } from '../../src/files/input.ts';
import type { MessageContext } from '../../src/files/messages/message-context.ts';
import { readInstructions } from '../../src/files/read-file.ts';
import { newFolder } from '../support/new-folder.ts';
import * as aba from './aba/aba-records.ts';
import { type Collected, collected, NO_CONTEXT } from './collected.ts';
import * as nacha from './nacha/nacha-records.ts';
import * as message from './pain001/sample-message.ts';
import { sheet } from './xlsx/sample-workbook.ts';

const ROWS_MAX = 3;

let dir: string;
beforeEach(async () => {
  dir = newFolder();
});
async function read(name: string, content: string | Buffer, context: MessageContext): Promise<Collected> {
  const path = join(dir, name);
  await writeFile(path, content);
  return collected((sink) => readInstructions(path, sink, context, ROWS_MAX));
}

type Files = [name: string, of: (rows: number) => string | Buffer, context?: MessageContext];
const FILES: Files[] = [
  ['f.csv', (rows) => `id\n${'A\n'.repeat(rows)}`],
  ['f.json', (rows) => JSON.stringify(Array(rows).fill({ id: 'A' }))],
  ['f.xlsx', (rows) => sheet(['id'], ...Array<[string]>(rows).fill(['A']))],
  ['f.xml', (rows) => message.pain001({ payments: [{ transactions: Array(rows).fill({}) }] }), message.contextOf()],
  ['f.aba', (rows) => aba.abaOf(Array(rows).fill({})), aba.CONTEXT],
  ['f.ach', (rows) => nacha.nachaOf([{ entries: Array(rows).fill({}) }]), nacha.CONTEXT],
];

test.each(FILES)(
  'a file may have as many rows as the limit and no more: %s',
  async (name, of, context = NO_CONTEXT) => {
    const { rows: all, findings: none } = await read(name, of(ROWS_MAX), context);
    expect([all.length, none]).toEqual([ROWS_MAX, []]);
    const { rows, findings } = await read(name, of(ROWS_MAX + 1), context);
    expect(rows.map(({ row }) => row)).toEqual([1, 2, 3]);
    expect(findings).toMatchObject([
      { file: name, rule: 'too-many-rows', row: null, message: expect.stringContaining('3 rows') },
    ]);
  },
);

test('rows that cannot be paid count too', async () => {
  const { findings } = await read('f.csv', `id,amount\n${'A,1.00,x\n'.repeat(ROWS_MAX + 1)}`, NO_CONTEXT);
  expect(findings.map(({ rule, row }) => [rule, row]).at(-1)).toEqual(['too-many-rows', null]);
  expect(findings.at(-1)?.line).toBe(ROWS_MAX + 2);
});

test('no file is read beyond its size limit, however it goes on', async () => {
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (;;) yield Buffer.alloc(1024 * 1024);
  }
  let length = 0;
  const reading = (async () => {
    for await (const piece of withinBytes(endless())) length += piece.length;
  })();
  await expect(reading).rejects.toMatchObject({ finding: { rule: 'file-too-large', line: 1, row: null } });
  expect(length).toBe(FILE_BYTES_MAX);
});

test('the limit of JSON, whose text is in memory, is a lower one', async () => {
  const path = join(dir, 'f.json');
  await writeFile(path, '');
  await truncate(path, TEXT_BYTES_MAX + 1);
  const { findings } = await collected((sink) => readInstructions(path, sink, NO_CONTEXT));
  expect(findings).toMatchObject([{ rule: 'file-too-large', message: expect.stringContaining('64 MiB') }]);
});
