import { readRecords } from '../fixed-width/lines.ts';
import { ROWS_MAX, type RowSink } from '../input.ts';
import type { MessageContext } from '../messages/message-context.ts';
import { NACHA_WIDTH } from './nacha-layout.ts';
import { NachaReader } from './nacha-reader.ts';

/**
 * Reads a NACHA file: credits of PPD and CCD batches. Debits, prenotes and returns are findings about their rows; whatever makes
 * totals, layout or a batch doubtful is a finding about the file.
 */
export async function readNacha(
  file: string,
  bytes: AsyncIterable<Uint8Array>,
  sink: RowSink,
  context: MessageContext,
  rowsMax = ROWS_MAX,
): Promise<void> {
  await readRecords(
    file,
    bytes,
    { width: NACHA_WIDTH, mayRunOn: true },
    sink,
    new NachaReader(file, sink, context, rowsMax),
  );
}
