import type { Finding } from '../domain/finding.ts';
import { Problem } from '../domain/problem.ts';
import type { MessageContext } from '../formats/messages/message-context.ts';
import { MESSAGE_NAMES, readInstructions } from '../formats/read-file.ts';
import { MessageParties } from '../formats/template/from-message.ts';
import { whyUnreadable } from '../formats/unreadable.ts';

/** Debtors and creditors of a bank message. Throws a `Problem` if the file is not a bank message or cannot be read. */
export async function messageParties(path: string, context: MessageContext): Promise<MessageParties> {
  const parties = new MessageParties();
  const findings: Finding[] = [];
  const ignore = (): void => {};
  const sink = {
    row: ignore,
    column: ignore,
    warning: ignore,
    message: ignore,
    finding: (finding: Finding) => {
      if (finding.row === null) findings.push(finding);
    },
  };
  const seen: MessageContext['seen'] = (transfer, instruction) => parties.take(transfer, instruction);
  await readInstructions(path, sink, { ...context, seen }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === undefined) throw error;
    throw new Problem('usage', 'file-unreadable', `${path} ${whyUnreadable(error)}.`, {
      hint: `Name an existing bank message: ${MESSAGE_NAMES}.`,
    });
  });
  if (findings.length === 0 && !parties.isEmpty) return parties;
  throw new Problem('invalid-input', 'no-bank-message', 'The file is not a complete, readable bank message.', {
    hint: `Name a ${MESSAGE_NAMES} file; payouts validate FILE shows what is wrong with it.`,
    findings,
  });
}
