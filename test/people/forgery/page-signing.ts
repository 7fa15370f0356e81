import { randomUUID } from 'node:crypto';
import type { Statement } from '../../../src/domain/authority.ts';
import { type Assertion, challengeOf } from '../../../src/people/signing/signing.ts';
import type { AssertedAt, SoftwarePasskey } from '../../support/software-passkey.ts';
import type { ForgeryWorld } from './world.ts';

/** What the script of a page would have somebody sign. */
export function pageStatement(
  { product, policy }: ForgeryWorld,
  subject: string,
  about: Pick<Statement, 'question' | 'reference' | 'digest'> & Partial<Statement>,
): Statement {
  const signedAt = Date.now();
  return {
    id: randomUUID(),
    storeId: product.store.id,
    decision: 'approve',
    subject,
    remark: '',
    signedAt,
    expiresAt: signedAt + policy.approvalTtlMs,
    ...about,
  };
}

/** The hidden field of a form: a statement, and what a passkey makes of it or of something else. */
export const signedField = (
  statement: Statement,
  passkey: SoftwarePasskey,
  at: AssertedAt,
  signs: Statement = statement,
): string => asField(statement, passkey.assert(challengeOf(signs), at));

export const asField = (statement: Statement, assertion: Assertion): string => JSON.stringify({ statement, assertion });
