import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeText } from '../../src/files/decode.ts';
import { UnreadableFile } from '../../src/files/input.ts';
import { bytesOf } from './bytes.ts';

async function decoded(content: string | Uint8Array, chunkSize?: number): Promise<string> {
  let text = '';
  for await (const chunk of decodeText(bytesOf(content, chunkSize))) text += chunk;
  return text;
}

async function refusal(content: Uint8Array, chunkSize?: number): Promise<UnreadableFile> {
  const error = await decoded(content, chunkSize).catch((thrown: unknown) => thrown);
  if (error instanceof UnreadableFile) return error;
  throw new Error('the file was read');
}

test('gives back any text, with any chunk size', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 7 }), async (text, size) => {
      fc.pre(!text.startsWith('\ufeff') && !text.includes('\0') && !text.includes('\x1a'));
      expect(await decoded(text, size)).toBe(text);
      expect(await decoded(`\ufeff${text}`, size)).toBe(text);
    }),
  );
});

test('names the line of the first byte that is not UTF-8, with any chunk size', async () => {
  const latin1 = Buffer.from('id,account_name\n1,Zoë\n2,Jörg\n', 'latin1');
  for (const size of [1, 2, 3, 16, 1024]) {
    expect((await refusal(latin1, size)).finding).toMatchObject({ rule: 'not-utf8', line: 2, row: null });
  }
});

test('names the last line when the file ends inside a character', async () => {
  const cut = Buffer.from('a\nb\né').subarray(0, -1);
  expect((await refusal(cut)).finding).toMatchObject({ rule: 'not-utf8', line: 3 });
});

test('reads UTF-16 with and without its byte order mark, in any chunks', async () => {
  for (const text of ['\ufeffid\nZoë 😀\n', 'id\nZoë 😀\n']) {
    const littleEndian = Buffer.from(text, 'utf16le');
    for (const bytes of [littleEndian, Buffer.from(littleEndian).swap16()]) {
      for (const size of [1, 3, 1024]) expect(await decoded(bytes, size)).toBe('id\nZoë 😀\n');
    }
  }
});

test('names the line at which UTF-16 breaks off', async () => {
  const cut = Buffer.from('\ufeffa\nb\nc', 'utf16le').subarray(0, -1);
  expect((await refusal(cut)).finding).toMatchObject({ rule: 'bad-encoding', line: 3 });
});

test.each(['\x1a', '\0\0\0', '\x1a\r\n', '\0 \x1a\n\0'])(
  'leaves out what old systems write behind the end: %j',
  async (marks) => {
    for (const size of [1, 2, 1024]) expect(await decoded(`a\n\n${marks}`, size)).toBe('a\n\n');
    expect(await decoded(`a${marks}b\n${marks}`)).toBe(`a${marks}b\n`);
  },
);
