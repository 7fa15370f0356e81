import type { Statement } from '../../domain/authority.ts';

/** First line of what is signed, so that the signature has no meaning anywhere else. */
const PREFIX = 'durable-payouts/decision/v1\n';

/**
 * The bytes that a person signs: the prefix, then the members in this order as a JSON array. Verifying derives the same bytes
 * from what is stored, so no member can be changed, added or omitted.
 */
export function statementBytes(statement: Statement): Buffer {
  const { id, storeId, question, decision, reference, digest, subject, remark, signedAt, expiresAt } = statement;
  const members = [id, storeId, question, decision, reference, digest, subject, remark, signedAt, expiresAt];
  return Buffer.from(PREFIX + JSON.stringify(members), 'utf8');
}
