import { decodeUtf8 } from '../decode.ts';
import { unreadable } from '../unreadable.ts';

/** Enough for any XML declaration. */
const HEAD_BYTES = 512;

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'iso-8859-1';

/** Names that an XML declaration may give for each encoding. */
const LABELS: Readonly<Record<Encoding, readonly string[]>> = {
  'utf-8': ['utf-8', 'utf8', 'us-ascii'],
  'utf-16le': ['utf-16', 'utf-16le'],
  'utf-16be': ['utf-16', 'utf-16be'],
  'iso-8859-1': ['iso-8859-1', 'latin1'],
};

/**
 * Text of an XML file in UTF-8, UTF-16 or ISO-8859-1; its first bytes and its XML declaration must agree. Throws
 * `UnreadableFile`: `bad-encoding`, `not-utf8`. Only one chunk is in memory.
 */
export async function* decodeXml(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const source = bytes[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  while (head.length < HEAD_BYTES) {
    const next = await source.next();
    if (next.done === true) break;
    head = Buffer.concat([head, next.value]);
  }
  const rest = (async function* () {
    yield head;
    for (let next = await source.next(); next.done !== true; next = await source.next()) yield next.value;
  })();
  const encoding = encodingOf(head);
  if (encoding === 'utf-8') yield* decodeUtf8(rest);
  else yield* decodeOther(rest, encoding === 'iso-8859-1' ? latin1() : utf16(encoding));
}

function encodingOf(head: Buffer): Encoding {
  const found = byFirstBytes(head);
  const text = new TextDecoder(found ?? 'latin1').decode(head.subarray(0, HEAD_BYTES));
  const [, declared] = /^<\?xml\s[^>]*?\bencoding\s*=\s*["']([^"']*)["']/.exec(text) ?? [];
  const label = declared?.toLowerCase();
  const candidates = found === undefined ? (['utf-8', 'iso-8859-1'] as const) : [found];
  const encoding = candidates.find((name) => label === undefined || LABELS[name].includes(label));
  if (encoding !== undefined) return encoding;
  const known = Object.values(LABELS).some((labels) => label !== undefined && labels.includes(label));
  const message = known
    ? 'the XML declaration names a different encoding than the file has; correct it or save the file as UTF-8'
    : 'only UTF-8, UTF-16 and ISO-8859-1 are supported; save the file as UTF-8';
  throw unreadable(1, 'bad-encoding', message);
}

/** By byte order mark, or by the bytes of `<`; `undefined` for an encoding of single bytes. */
function byFirstBytes(head: Buffer): Exclude<Encoding, 'iso-8859-1'> | undefined {
  const [first, second, third] = head;
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return 'utf-16be';
  return undefined;
}

/** Text of a chunk, and the index of its first impossible character; the last call has no chunk. */
type Decode = (chunk?: Uint8Array) => { text: string; badAt: number };

async function* decodeOther(bytes: AsyncIterable<Uint8Array>, decode: Decode): AsyncGenerator<string> {
  let line = 1;
  const checked = (chunk?: Uint8Array): string => {
    const { text, badAt } = decode(chunk);
    if (badAt >= 0) {
      const at = line + newlines(text.slice(0, badAt));
      const message = 'this line is not in the encoding that the XML declaration names; save the file as UTF-8';
      throw unreadable(at, 'bad-encoding', message);
    }
    line += newlines(text);
    return text;
  };
  for await (const chunk of bytes) yield checked(chunk);
  yield checked();
}

function utf16(encoding: 'utf-16le' | 'utf-16be'): Decode {
  const decoder = new TextDecoder(encoding);
  return (chunk) => {
    const text = chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
    return { text, badAt: text.indexOf('\ufffd') };
  };
}

/** Control characters of ISO-8859-1, and what would be one character in UTF-8: signs that the text has another encoding. */
const NOT_LATIN1 = /[\x80-\x9f]|[\xc2-\xdf][\xa0-\xbf]|[\xe0-\xef][\xa0-\xbf]{2}|[\xf0-\xf4][\xa0-\xbf]{3}/;

function latin1(): Decode {
  let last = '';
  return (chunk) => {
    const text = chunk === undefined ? '' : Buffer.from(chunk).toString('latin1');
    const seen = last + text;
    const found = seen.search(NOT_LATIN1);
    const badAt = found < 0 ? found : Math.max(0, found - last.length);
    last = seen.slice(-3);
    return { text, badAt };
  };
}

const newlines = (text: string): number => text.split('\n').length - 1;
