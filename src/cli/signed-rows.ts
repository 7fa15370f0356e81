import { v7 } from 'uuid';
import type { SignedDecision } from '../domain/authority.ts';
import { payloadDigest, referenceOf } from '../domain/identity.ts';
import type { PayoutInstruction } from '../domain/instruction.ts';
import { messageContextOf } from '../files/intake/message-context.ts';
import { StagedFile } from '../files/intake/staged-file.ts';
import type { PlannedRow } from '../files/intake/take-file.ts';
import { readInstructions } from '../files/read-file.ts';
import { signablePlan } from '../people/signing/plan.ts';
import type { Session } from './session.ts';
import type { Signer } from './signer.ts';

/**
 * Signs the rows that a gateway is about to claim of a file, as their maker, under the id of the batch that they become. Undefined
 * without a policy, and if a row is not what the file itself says: then nothing is signed, and what is claimed asks an approver.
 */
export async function signedRows(
  session: Session,
  { sign }: Signer,
  path: string,
  rows: readonly PlannedRow[],
): Promise<SignedDecision | undefined> {
  if (sign === undefined) return undefined;
  if (await areInFile(session, path, rows)) {
    return sign({ question: 'make', reference: v7(), digest: signablePlan(rows).digest });
  }
  session.output.say(
    'The gateway completes the rows of this file, so that they are not signed here: each needs an approval at least.',
  );
  return undefined;
}

async function areInFile(session: Session, path: string, rows: readonly PlannedRow[]): Promise<boolean> {
  using staged = new StagedFile();
  await readInstructions(path, staged, await messageContextOf(session.config, {}, Date.now()));
  staged.readingEnded();
  const written = new Map<string, PayoutInstruction>();
  for (const { instruction } of staged.rows()) {
    const given = Object.entries(instruction).filter(([name, value]) => value.trim() !== '' && name !== 'retry_of');
    const row = Object.fromEntries(given) as PayoutInstruction;
    written.set(payloadDigest(row), row);
  }
  return rows.every(({ reference, digest, generation }) => {
    const row = written.get(digest);
    return row !== undefined && reference === referenceOf(row.uid, row.id, 'payment', generation);
  });
}
