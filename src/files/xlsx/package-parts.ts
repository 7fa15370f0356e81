import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { type Entry, fromBufferPromise } from 'yauzl';
import { inTurns } from '../turns.ts';
import { UnreadableFile, unreadable } from '../unreadable.ts';
import { isCompoundFile } from './first-bytes.ts';

/** Limit for the packed workbook: 100,000 payouts with details of new payees take about 10 MiB. */
export const PACKED_BYTES_MAX = 16 * 1024 * 1024;
/** Limit for all parts read, unpacked: a sheet of 100,000 payouts is about 100 MiB of XML. */
export const UNPACKED_BYTES_MAX = 256 * 1024 * 1024;
const ENTRIES_MAX = 10_000;

/**
 * The parts of a workbook, unpacked while they are read. Each part must have the size and the checksum given in the zip
 * directory, and all together must stay below a limit. Throws `UnreadableFile`.
 */
export async function openParts(bytes: AsyncIterable<Uint8Array>) {
  const packed = await whole(bytes);
  if (isCompoundFile(packed)) throw unreadable(1, ...OLD_WORKBOOK);
  const zip = await fromBufferPromise(packed, { autoClose: false, lazyEntries: true }).catch(() => {
    throw notAWorkbook();
  });
  if (zip.entryCount > ENTRIES_MAX) throw notAWorkbook();
  const entries = new Map<string, Entry>();
  try {
    for await (const entry of zip.eachEntry()) {
      const name = entry.fileName.toLowerCase();
      // Which of two parts with the same name counts is undefined.
      if (entries.has(name)) throw new Error('twice');
      entries.set(name, entry);
    }
  } catch {
    throw notAWorkbook();
  }
  // Every workbook has it (ECMA-376 part 2, 9.3).
  if (!entries.has(RELATIONS)) throw unreadable(1, ...OTHER_ARCHIVE);
  let unpacked = 0;
  return {
    has: (name: string): boolean => entries.has(name.toLowerCase()),

    /** Text of a part, in small pieces with turns for other work. Its checksum is known at the end: read it to there. */
    async *text(name: string): AsyncGenerator<string> {
      const entry = entries.get(name.toLowerCase());
      if (entry === undefined || entry.isEncrypted()) throw notAWorkbook();
      if (unpacked + entry.uncompressedSize > UNPACKED_BYTES_MAX) throw tooLarge();
      const decoder = new TextDecoder('utf-8', { fatal: true });
      let stream: Readable | undefined;
      let checksum = 0;
      try {
        stream = await zip.openReadStreamPromise(entry);
        for await (const piece of inTurns(stream)) {
          unpacked += piece.length;
          if (unpacked > UNPACKED_BYTES_MAX) throw tooLarge();
          checksum = crc32(piece, checksum);
          yield decoder.decode(piece, { stream: true });
        }
        yield decoder.decode();
        // The library leaves this to its user.
        if (checksum !== entry.crc32) throw notAWorkbook();
      } catch (error) {
        // Corrupt data, another size than in the directory, or another encoding.
        throw error instanceof UnreadableFile ? error : notAWorkbook();
      } finally {
        stream?.destroy();
      }
    },

    [Symbol.dispose]: (): void => zip.close(),
  };
}

export type PackageParts = Awaited<ReturnType<typeof openParts>>;

export const notAWorkbook = (): UnreadableFile =>
  unreadable(
    1,
    'not-a-workbook',
    'not a readable workbook (.xlsx), or a damaged one; save it again in Excel as .xlsx or CSV UTF-8',
  );

export function tooLarge(): UnreadableFile {
  const message = `a workbook may have at most ${UNPACKED_BYTES_MAX / 1024 / 1024} MiB when unpacked; split it`;
  return unreadable(1, 'file-too-large', message);
}

async function whole(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    length += chunk.length;
    if (length > PACKED_BYTES_MAX) {
      const message = `a workbook may have at most ${PACKED_BYTES_MAX / 1024 / 1024} MiB; split it, or delete pictures and other sheets`;
      throw unreadable(1, 'file-too-large', message);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const RELATIONS = '_rels/.rels';
const OTHER_ARCHIVE = [
  'not-a-workbook',
  'a ZIP archive or a document of another program, not a workbook (.xlsx); unpack it and hand over its files one by one, or save it as .xlsx',
] as const;
const OLD_WORKBOOK = [
  'old-workbook',
  'an old workbook (.xls) or a password-protected one; save it without a password as .xlsx or CSV UTF-8',
] as const;
