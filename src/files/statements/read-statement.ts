import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { decodeText } from '../decode.ts';
import { inTurns, unreadable, withinBytes } from '../input.ts';
import { readCamt } from './read-camt.ts';
import { readMt940 } from './read-mt940.ts';
import type { StatementSink } from './statement-sink.ts';

/** As shown to people. */
export const STATEMENT_NAMES = 'camt.053, camt.052, camt.054, MT940 or MT942';

/** Enough to recognise what a file is: banks and networks write headers of their own before the first field. */
const HEAD_BYTES = 8192;

/** Whether a file, by its beginning, is a bank statement. Rejects with the error of the file system. */
export const isStatementFile = async (path: string): Promise<boolean> => kindOf(await headOf(path)) !== undefined;

async function headOf(path: string): Promise<string> {
  await using file = await open(path);
  const { bytesRead, buffer } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  return buffer.subarray(0, bytesRead).toString('latin1').replaceAll('\0', '');
}

const CAMT = /[:/]camt\.05[234]\.|BkToCstmr(?:Stmt|AcctRpt|DbtCdtNtfctn)/;

function kindOf(head: string): 'camt' | 'mt' | undefined {
  if (/^(?:ï»¿|ÿþ|þÿ)?\s*</.test(head) && CAMT.test(head)) return 'camt';
  return /(?:^|[\r\n]|\{4:)\s*:20:/.test(head) ? 'mt' : undefined;
}

/**
 * Reads a bank statement into `sink`; `chunkRead` is awaited between two pieces of the file. Rejects with an `UnreadableFile`, or
 * with the error of the file system.
 */
export async function readStatementFile(
  path: string,
  sink: StatementSink,
  chunkRead: () => Promise<void> | void = () => {},
): Promise<void> {
  const kind = kindOf(await headOf(path));
  if (kind === undefined) throw unreadable(1, 'not-a-statement', `this is none of ${STATEMENT_NAMES}`);
  const bytes = afterEach(inTurns(withinBytes(createReadStream(path))), chunkRead);
  await (kind === 'camt'
    ? readCamt(bytes, sink)
    : readMt940(
        decodeText(bytes, () => {}),
        sink,
      ));
  await chunkRead();
}

async function* afterEach<T>(items: AsyncIterable<T>, read: () => Promise<void> | void): AsyncGenerator<T> {
  for await (const item of items) {
    yield item;
    await read();
  }
}
