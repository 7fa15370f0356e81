import type { OriginalMessage } from '../../src/domain/bank-message.ts';
import type { Finding } from '../../src/domain/finding.ts';
import type { RowSink } from '../../src/files/input.ts';
import { untilUnreadable } from '../../src/files/input.ts';
import type { MessageContext } from '../../src/files/messages/message-context.ts';
import type { ReadColumn, ReadRow } from '../../src/files/rules/read-row.ts';

/** What a reader handed over, as lists. */
export interface Collected {
  rows: ReadRow[];
  columns: ReadColumn[];
  findings: Finding[];
  warnings: Finding[];
  messages: OriginalMessage[];
}

/** Runs a reader into lists. */
export async function collected(read: (sink: RowSink) => Promise<unknown>): Promise<Collected> {
  const input: Collected = { rows: [], columns: [], findings: [], warnings: [], messages: [] };
  const sink: RowSink = {
    row: (row) => input.rows.push(row),
    column: (column) => input.columns.push(column),
    finding: (finding) => input.findings.push({ file: '', ...finding }),
    warning: (warning) => input.warnings.push({ file: '', ...warning }),
    message: (message) => input.messages.push(structuredClone(message)),
  };
  await untilUnreadable(sink, read(sink));
  return input;
}

/** For files that are no bank messages. */
export const NO_CONTEXT = undefined as unknown as MessageContext;
