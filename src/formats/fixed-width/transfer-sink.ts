import type { Finding } from '../../domain/finding.ts';
import { shownValue } from '../../rules/finding.ts';
import type { CreditTransfer } from '../credit-transfer.ts';
import type { RowSink } from '../input.ts';
import { instructionOf } from '../messages/instruction.ts';
import type { MessageContext } from '../messages/message-context.ts';

/** Passes a transfer to the sink as a row. It is unsound if the mapping cannot place something, or its reader found something. */
export function takeTransfer(
  { file, sink, context }: { file: string; sink: RowSink; context: MessageContext },
  transfer: CreditTransfer,
  findings: readonly Finding[],
): void {
  const { instruction, spare, broken } = instructionOf(transfer, context);
  const { row, line, original } = transfer;
  for (const finding of findings) sink.finding(finding);
  for (const { column, value = shownValue(column, instruction[column]), rule, message } of broken) {
    sink.finding({ file, line, row, column, value, rule, message });
  }
  const unsound = findings.length + broken.length > 0;
  sink.row({ row, line, instruction, spare, original, ...(unsound ? { unsound } : {}) });
}
