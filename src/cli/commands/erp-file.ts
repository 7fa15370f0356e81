import { visible } from '../../domain/finding.ts';
import { type ErpFile, writeErpFile } from '../../reports/erp-file.ts';
import type { ErpFormat } from '../../reports/erp-formats.ts';
import type { Unclear } from '../../reports/movements.ts';
import { findBatch } from '../find-target.ts';
import { receiveErpFile } from '../received-files.ts';
import type { Session } from '../session.ts';

const SHOWN_MAX = 10;

/** `payouts report ID --format pain002|camt054|journal`: writes a file for other software and prints its path. */
export async function erpFile(session: Session, id: string, format: ErpFormat): Promise<void> {
  const batchId = await findBatch(session, id);
  const { path, unclear, answer } =
    session.gateway === undefined
      ? await writeErpFile(session.config, await session.store(), batchId, format)
      : await receiveErpFile(session, batchId, format);
  if (unclear.length > 0) session.output.tell(unclearText(unclear));
  if (answer !== null) session.output.say(answerText(answer));
  const told = answer === null ? { unclear } : answer;
  session.output.result({ batchId, format, path, ...told }, path);
}

function unclearText(unclear: readonly Unclear[]): string {
  const shown = unclear
    .slice(0, SHOWN_MAX)
    .map(({ documentId, kind, why }) => `  ${visible(documentId)}: ${kind}: ${why}`);
  const more = unclear.length > SHOWN_MAX ? [`  and ${unclear.length - SHOWN_MAX} more; --json lists all of them`] : [];
  return ['Check these manually: it is not known what moved, or the bank contradicts it.', ...shown, ...more].join(
    '\n',
  );
}

const answerText = ({ messageId, stage, version, supersedes }: NonNullable<ErpFile['answer']>): string =>
  supersedes === null
    ? `Answer ${messageId}, stage ${stage}`
    : `Answer ${messageId}, stage ${stage}, version ${version}: supersedes ${supersedes}`;
