import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OriginalMessage } from '../../domain/bank-message.ts';
import type { IntakeRefusal } from '../../files/intake/intake-refusal.ts';
import { answerIdStart, refusalIdStart, writeRefusal } from '../../reports/status-report-files.ts';
import type { BatchRecord } from '../../store/store.ts';

/** In characters; a file name may have 255 bytes. */
const STEM_MAX = 150;

/**
 * Beginning of the file names of answers to a bank message: its message id, so that the sender finds them. For a second batch
 * from the same message (rows refused the first time), the batch id follows.
 */
export async function answerStem(
  out: string,
  batchId: string,
  message: OriginalMessage | null,
): Promise<string | undefined> {
  if (message === null) return undefined;
  const name = nameOf(message);
  const first = await answerIn(out, `${name}.received`);
  return first === '' || first.includes(answerIdStart(batchId)) ? name : `${name}.${batchId}`;
}

const answerIn = (out: string, name: string): Promise<string> =>
  readFile(join(out, `${name}.pain002.xml`), 'utf8').catch(() => '');

/** The same, if the folder has answered the message of this batch; otherwise undefined. */
export async function answeredStem(out: string, { batchId, message }: BatchRecord): Promise<string | undefined> {
  const stem = await answerStem(out, batchId, message);
  if (stem === undefined) return undefined;
  return (await answerIn(out, `${stem}.received`)).includes(answerIdStart(batchId)) ? stem : undefined;
}

/**
 * The answer to a pain.001 that was refused as a whole; other formats have none. `id`: under which it was taken. It takes the
 * place of none to another file under the same message id: whoever sent that may not have read it yet.
 */
export async function answerRefusal(out: string, id: string, { unanswered, findings }: IntakeRefusal): Promise<void> {
  if (unanswered === undefined) return;
  const { message, sha256 } = unanswered;
  let stem: string | undefined;
  if (message !== null) {
    const name = `${nameOf(message)}.refused`;
    const first = await answerIn(out, name);
    stem = first === '' || first.includes(refusalIdStart(sha256)) ? name : `${name}.${id}`;
  }
  await writeRefusal(out, { ...unanswered, findings, at: takenAt(id) }, stem);
}

const nameOf = ({ messageId }: OriginalMessage): string => encodeURIComponent(messageId).slice(0, STEM_MAX);

/** A UUID of version 7 begins with its time (RFC 9562): a repeated answer has the same date and is identical. */
export const takenAt = (id: string): number => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
