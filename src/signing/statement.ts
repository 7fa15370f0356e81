import type { Statement } from '../domain/authority.ts';

/** The first line of what is signed: a signature over it means nothing anywhere else. */
const PREFIX = 'durable-payouts/decision/v1\n';

/**
 * The bytes that a person signs: the prefix, then the members in this order as a JSON array. Whoever verifies one makes the same
 * bytes of what is stored, so that no member can be changed, added or left out.
 */
export function statementBytes(statement: Statement): Buffer {
  const { id, storeId, question, decision, reference, digest, subject, remark, signedAt, expiresAt } = statement;
  const members = [id, storeId, question, decision, reference, digest, subject, remark, signedAt, expiresAt];
  return Buffer.from(PREFIX + JSON.stringify(members), 'utf8');
}
