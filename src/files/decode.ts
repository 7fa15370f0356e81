import { isUtf8 } from 'node:buffer';
import { aboutFile, type Found } from '../domain/finding.ts';
import { UnreadableFile } from './input.ts';

const LF = 0x0a;
const UTF8_BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/** Written by Excel in Western Europe and America as "CSV (Comma delimited)". */
const WINDOWS_1252 = new TextDecoder('windows-1252');

/**
 * Strict UTF-8, chunk by chunk, without the BOM. Throws `UnreadableFile` (`not-utf8` with the line of the first bad byte). Only
 * one chunk is in memory.
 *
 * If `onBad` is given, it is called once for a file that is not UTF-8, and the rest is decoded as Windows-1252, so that other
 * findings are reported in the same pass. The file is refused all the same: in another code page, the names would be different.
 */
export async function* decodeUtf8(
  bytes: AsyncIterable<Uint8Array>,
  onBad?: (finding: Found) => void,
): AsyncGenerator<string> {
  let held: Buffer = Buffer.alloc(0);
  let line = 1;
  let started = false;
  let isWindows1252 = false;
  const decode = (buffer: Buffer): string => {
    if (isWindows1252) return WINDOWS_1252.decode(buffer);
    if (!isUtf8(buffer)) {
      const finding = notUtf8(line, buffer, onBad === undefined ? NOT_UTF8 : NOT_UTF8_CSV);
      // Zero bytes mean UTF-16, or not a text at all.
      if (onBad === undefined || buffer.includes(0)) throw new UnreadableFile(finding);
      onBad(finding);
      isWindows1252 = true;
      return WINDOWS_1252.decode(buffer);
    }
    line += countOf(LF, buffer);
    return buffer.toString('utf8');
  };
  for await (const chunk of bytes) {
    const buffer = Buffer.concat([held, chunk]);
    if (!started && buffer.length < UTF8_BOM.length) {
      held = buffer;
      continue;
    }
    const start = !started && UTF8_BOM.equals(buffer.subarray(0, UTF8_BOM.length)) ? UTF8_BOM.length : 0;
    started = true;
    const end = completeLength(buffer);
    held = buffer.subarray(end);
    yield decode(buffer.subarray(start, end));
  }
  const rest = !started && UTF8_BOM.equals(held) ? Buffer.alloc(0) : held;
  if (rest.length > 0) yield decode(rest);
}

/** Number of bytes up to the last complete character: a chunk may end inside a multi-byte one. */
function completeLength(buffer: Buffer): number {
  for (let back = 1; back <= Math.min(3, buffer.length); back += 1) {
    const byte = buffer[buffer.length - back] ?? 0;
    if (byte < 0x80) return buffer.length;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 0;
    if (needed > 0) return needed > back ? buffer.length - back : buffer.length;
  }
  return buffer.length;
}

function countOf(byte: number, buffer: Buffer): number {
  let count = 0;
  for (let at = buffer.indexOf(byte); at >= 0; at = buffer.indexOf(byte, at + 1)) count += 1;
  return count;
}

/** By the byte order mark, in either byte order. */
const isUtf16 = ([first, second]: Uint8Array): boolean =>
  (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);

/** Finds the line of the first bad byte. No multi-byte character contains a newline byte, so each line can be checked alone. */
function notUtf8(firstLine: number, buffer: Buffer, other: string): Found {
  let line = firstLine;
  for (let start = 0; start < buffer.length; line += 1) {
    const newline = buffer.indexOf(LF, start);
    const end = newline < 0 ? buffer.length : newline;
    if (!isUtf8(buffer.subarray(start, end))) break;
    start = end + 1;
  }
  const message = isUtf16(buffer)
    ? 'the file is UTF-16, which Excel writes as "Unicode Text"; save it as "CSV UTF-8 (Comma delimited)" or as .xlsx'
    : other;
  return aboutFile(line, 'not-utf8', message);
}

const NOT_UTF8 = 'this line is not UTF-8; export the file again as UTF-8';
const NOT_UTF8_CSV =
  'this line is not UTF-8; the file may be Windows-1252, which Excel writes as "CSV (Comma delimited)"; save it as "CSV UTF-8 (Comma delimited)" or as .xlsx';
