import { describe, expect, it } from 'vitest';
import { UnreadableFile } from '../../../src/files/input.ts';
import { decodeXml } from '../../../src/files/iso20022/read-document.ts';
import { bytesOf } from '../bytes.ts';

const document = (encoding: string | undefined, text = 'Zoë'): string =>
  `<?xml version="1.0"${encoding === undefined ? '' : ` encoding="${encoding}"`}?>\n<Nm>\n${text}</Nm>`;
const BOM = '\ufeff';
const bigEndian = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

async function decoded(content: string | Uint8Array, chunkSize?: number): Promise<string> {
  let text = '';
  for await (const piece of decodeXml(bytesOf(content, chunkSize))) text += piece;
  return text;
}

async function refusalOf(content: string | Uint8Array, chunkSize?: number) {
  const error = await decoded(content, chunkSize).catch((thrown: unknown) => thrown);
  if (!(error instanceof UnreadableFile)) throw new Error('the file was read');
  return { rule: error.finding.rule, line: error.finding.line };
}

describe.each([1, 7, 65536])('in chunks of %i bytes', (size) => {
  it.each<[string, string | Uint8Array]>([
    ['UTF-8 without declaration', document(undefined)],
    ['UTF-8', document('UTF-8')],
    ['UTF-8 with byte order mark', BOM + document('utf-8')],
    ['UTF-16 little endian', Buffer.from(BOM + document('UTF-16'), 'utf16le')],
    ['UTF-16 big endian', bigEndian(BOM + document('UTF-16'))],
    ['UTF-16 with its order declared and no mark', Buffer.from(document('UTF-16LE'), 'utf16le')],
    ['ISO-8859-1', Buffer.from(document('ISO-8859-1'), 'latin1')],
    ['Windows-1252', Buffer.from(document('windows-1252'), 'latin1')],
    ['ISO-8859-15', Buffer.from(document('ISO-8859-15'), 'latin1')],
    ['UTF-8 that ends with Ctrl-Z', `${document('UTF-8')}\n\x1a`],
    ['UTF-8 with blank lines before the declaration', `${BOM}\r\n \n${document('UTF-8').replace('?>\n', '?>')}`],
    ['ISO-8859-1 with French quotes', Buffer.from(`${document('ISO-8859-1')}«payé» né\xa0:`, 'latin1')],
  ])('%s is read', async (_, content) => {
    const text = await decoded(content, size);
    expect(text).toContain('<Nm>\nZoë</Nm>');
    expect(text).not.toContain('\x1a');
    expect(text.startsWith('<?xml')).toBe(true);
  });

  it.each([
    ['ISO-8859-1', '\x93\x80', '“€'],
    ['ISO-8859-15', '\xa4', '€'],
  ])('%s means the characters that its programs write', async (encoding, bytes, characters) => {
    expect(await decoded(Buffer.from(document(encoding, bytes), 'latin1'), size)).toContain(`\n${characters}</Nm>`);
  });

  it.each<[string, string | Uint8Array, string, number]>([
    ['UTF-16 bytes declared as UTF-8', Buffer.from(BOM + document('UTF-8'), 'utf16le'), 'bad-encoding', 1],
    ['UTF-16 bytes without mark declared as UTF-8', bigEndian(document('UTF-8')), 'bad-encoding', 1],
    ['UTF-8 bytes declared as UTF-16', document('UTF-16'), 'bad-encoding', 1],
    ['a UTF-8 mark before ISO-8859-1', BOM + document('ISO-8859-1'), 'bad-encoding', 1],
    ['an encoding that is not read', document('koi8-r'), 'bad-encoding', 1],
    ['UTF-8 bytes declared as Windows-1252', document('windows-1252'), 'bad-encoding', 3],
    ['Latin-1 bytes declared as UTF-8', Buffer.from(document('UTF-8'), 'latin1'), 'not-utf8', 3],
    ['UTF-8 bytes declared as ISO-8859-1', document('ISO-8859-1'), 'bad-encoding', 3],
    ['a longer character of UTF-8 there', document('ISO-8859-1', '\n\uffe9'), 'bad-encoding', 4],
    ['a byte that is no character', Buffer.from(document('ISO-8859-1', '\x81'), 'latin1'), 'bad-encoding', 3],
    ['half a character of UTF-16', Buffer.from(BOM + document('UTF-16', '\ud83d!'), 'utf16le'), 'bad-encoding', 3],
    ['half a unit of UTF-16', Buffer.from(`${BOM}${document('UTF-16')}`, 'utf16le').subarray(0, -1), 'bad-encoding', 3],
  ])('%s is refused', async (_, content, rule, line) => {
    expect(await refusalOf(content, size)).toEqual({ rule, line });
  });
});
