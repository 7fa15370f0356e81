import { writeMoved } from '../../compose/moved.ts';
import type { MovedFormat } from '../../reports/moved-formats.ts';
import type { Unclear } from '../../reports/movements.ts';
import { visible } from '../../rules/finding.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { findBatch } from '../find-target.ts';
import type { Session } from '../session.ts';

const SHOWN_MAX = 10;

/** `payouts report ID --format camt054|journal`: writes what the orders of a batch moved, for a bank's or an accountant's software. */
export async function movedReport(session: Session, id: string, format: MovedFormat): Promise<ExitCode> {
  const store = await session.store();
  const batchId = await findBatch(store, id);
  const { path, unclear } = await writeMoved(session.config, store, batchId, format);
  if (unclear.length > 0) session.output.tell(unclearText(unclear));
  session.output.result({ schemaVersion: 1, batchId, format, path, unclear }, path);
  return EXIT.completed;
}

function unclearText(unclear: readonly Unclear[]): string {
  const shown = unclear
    .slice(0, SHOWN_MAX)
    .map(({ documentId, kind, why }) => `  ${visible(documentId)}: ${kind}: ${why}`);
  const more = unclear.length > SHOWN_MAX ? [`  and ${unclear.length - SHOWN_MAX} more; --json lists all of them`] : [];
  return ['Not in it, since it is not known what moved:', ...shown, ...more].join('\n');
}
