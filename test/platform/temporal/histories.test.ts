import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { seal } from '../../../src/platform/codec/encryption.ts';
import { historyFilesIn, readHistory } from '../../../src/platform/temporal/replay.ts';
import { codecKeys } from '../../support/codec-keys.ts';
import { newFolder } from '../../support/new-folder.ts';
import { HISTORIES } from '../../support/record-history.ts';

const PLAIN = join(HISTORIES, 'payout-plain.json');

function folderWith(files: Record<string, string>): string {
  const folder = newFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

it('a history knows its workflow, and that its payloads are clear', () => {
  expect(readHistory(PLAIN)).toMatchObject({
    file: 'payout-plain.json',
    workflowId: expect.stringMatching(/^payout\/[0-9a-f-]{36}$/),
    workflowType: 'payout',
    encryptedFor: undefined,
  });
});

it('one with an encrypted payload anywhere knows the namespace that it is for', () => {
  const history = JSON.parse(readFileSync(PLAIN, 'utf8'));
  const sealed = seal({ data: Buffer.from('7') }, { namespace: 'prod', workflowId: 'payout/1' }, codecKeys().current);
  const inBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
  const metadata = Object.fromEntries(Object.entries(sealed.metadata ?? {}).map(([k, v]) => [k, inBase64(v)]));
  history.events.at(-1).workflowExecutionCompletedEventAttributes = {
    result: { payloads: [{ metadata, data: inBase64(sealed.data ?? Buffer.alloc(0)) }] },
  };
  const folder = folderWith({ 'a.json': JSON.stringify(history) });
  expect(readHistory(join(folder, 'a.json')).encryptedFor).toBe('prod');
});

it.each([
  ['', 'is not JSON'],
  ['null', 'does not begin with the start of a workflow'],
  ['{"events":[{}]}', 'does not begin with the start of a workflow'],
])('%j is none', (text, why) => {
  const folder = folderWith({ 'a.json': text });
  expect(() => readHistory(join(folder, 'a.json'))).toThrow(why);
});

it('a folder shows its files by name, and only those that may be histories', () => {
  const folder = folderWith({ 'b.json': '', 'a.json': '', 'notes.txt': '' });
  expect(historyFilesIn(folder)).toEqual(['a.json', 'b.json'].map((name) => join(folder, name)));
  expect(historyFilesIn(join(folder, 'nowhere'))).toBeUndefined();
});
