import { type Parser, parse } from 'csv-parse';
import { decodeUtf8 } from '../decode.ts';
import type { RowSink } from '../input.ts';
import { RECORD_BYTES_MAX, recordTooLarge } from '../limits.ts';
import { CsvRecords } from './csv-records.ts';
import { csvText, detectDelimiter } from './csv-text.ts';

/**
 * Reads a CSV file: UTF-8, header line first; comma, semicolon or tab as delimiter, as in the header line; quotes as in RFC 4180.
 * A finding never stops the pass, unless the rest cannot be read (UTF-16, a broken quote, a limit).
 */
export async function readCsv(bytes: AsyncIterable<Uint8Array>, sink: RowSink): Promise<void> {
  const records = new CsvRecords(sink);
  const text = decodeUtf8(bytes, sink.finding);
  const ending = await parseInto(records, csvText(text, sink));
  records.end(ending === '\n' || ending === '"');
}

/** Returns the last character. */
async function parseInto(records: CsvRecords, text: AsyncIterable<string>): Promise<string> {
  let parser: Parser | undefined;
  let held = '';
  let ending = '';
  for await (const chunk of text) {
    ending = chunk.at(-1) ?? ending;
    held += chunk;
    // The delimiter is known once the header line is complete.
    if (parser === undefined && !held.trimStart().includes('\n')) {
      if (held.length > 2 * RECORD_BYTES_MAX) throw recordTooLarge(1);
      continue;
    }
    parser ??= openParser(records, held);
    await write(parser, held);
    held = '';
  }
  if (parser === undefined && held.trim() === '') return ending;
  parser ??= openParser(records, held);
  await write(parser, held);
  await end(parser);
  return ending;
}

function openParser(records: CsvRecords, head: string): Parser {
  const [headerLine = ''] = head.trimStart().split('\n', 1);
  const parser = parse({
    delimiter: detectDelimiter(headerLine),
    record_delimiter: '\n',
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    max_record_size: RECORD_BYTES_MAX,
    // Called synchronously by the parser, so that nothing is buffered and errors keep their order.
    on_record: (record: string[], info) => records.take(record, info),
    on_skip: (error) => records.skip(error),
  });
  parser.on('error', () => {});
  return parser.resume();
}

const write = (parser: Parser, text: string): Promise<void> =>
  new Promise((resolve, reject) => parser.write(text, (error) => (error ? reject(error) : resolve())));

const end = (parser: Parser): Promise<void> =>
  new Promise((resolve, reject) => {
    parser.on('error', reject);
    parser.on('end', resolve);
    parser.end();
  });
