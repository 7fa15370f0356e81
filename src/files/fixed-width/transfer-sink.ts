import { shownValue } from '../../domain/finding.ts';
import { formatMinor } from '../../domain/money.ts';
import type { CreditTransfer } from '../credit-transfer.ts';
import type { RowSink } from '../input.ts';
import { documentId } from '../messages/document-id.ts';
import { instructionOf } from '../messages/instruction.ts';
import type { MessageContext } from '../messages/message-context.ts';
import { type BrokenColumns, columnFinding, digitsOf } from './lines.ts';

/** One transfer of a file whose amounts are all in one currency, in cents. */
interface FixedTransfer extends Omit<CreditTransfer, 'id' | 'debtorCurrency' | 'amount' | 'original'> {
  messageId: string;
  /** Index among the message's payments, from 0. */
  payment: number;
  /** Field of the amount. */
  cents: string;
  endToEndId: string;
  /** Whether other files may have the same end-to-end id for other transfers. */
  isOfFile?: boolean;
  instructionId?: string | undefined;
}

/** Passes a transfer to the sink as a row. It is unsound if the mapping cannot place something, or its reader found something. */
export function takeTransfer(
  { sink, context }: { sink: RowSink; context: MessageContext },
  { messageId, payment, cents, endToEndId, isOfFile, instructionId, ...given }: FixedTransfer,
  findings: readonly (BrokenColumns & { line?: number })[],
): void {
  const { row, line, currency, requestedExecution } = given;
  const minor = digitsOf(cents);
  const amount = minor === undefined ? cents.trim() : formatMinor(minor, currency);
  const unique = isOfFile ? `${messageId}.${endToEndId}` : endToEndId;
  const ids = { endToEndId: unique, instructionId, position: `${messageId}.${row}` };
  const original = { payment, instructionId, endToEndId, amount, currency, requestedExecution };
  const id = documentId(ids, context.mapping.identity);
  const transfer = { ...given, id, debtorCurrency: currency, amount, original };
  const { instruction, spare, broken } = instructionOf(transfer, context);
  for (const finding of findings) sink.finding(columnFinding({ line: finding.line ?? line, row }, finding));
  for (const { column, value = shownValue(column, instruction[column]), rule, message } of broken) {
    sink.finding({ line, row, column, value, rule, message });
  }
  const unsound = findings.length + broken.length > 0;
  sink.row({ row, line, instruction, spare, original, ...(unsound ? { unsound } : {}) });
}
