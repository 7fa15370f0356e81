import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { isDecision, type Person, type Policy, type SignedDecision, type Statement } from '../../domain/authority.ts';
import { Problem } from '../../domain/problem.ts';
import { challengeOf, rpIdOf, signatureOf } from '../../signing/passkey.ts';
import { assertion, challengeOptions, read } from './assertion.ts';
import type { PagesContext } from './pages-context.ts';

type About = Pick<Statement, 'question' | 'reference' | 'digest' | 'decision' | 'remark'>;

const signedForm = z.object({ statement: z.record(z.string(), z.unknown()), assertion });

/**
 * The decision signed by passkey about exactly this, or what has to be signed. The signature is verified by whoever relies on it.
 * Throws a `Problem` if something else was signed.
 */
export function signedOrAsked(
  request: FastifyRequest,
  { deps }: PagesContext,
  { policy, person, about, signed }: { policy: Policy; person: Person; about: About; signed: string | undefined },
): { signed: SignedDecision } | { asked: object } {
  const { origin = '', approvalTtlMs } = policy;
  if (signed === undefined || signed === '') {
    const signedAt = deps.now();
    const { id: storeId } = deps.store;
    const { name: subject } = person;
    const statement = { id: randomUUID(), storeId, ...about, subject, signedAt, expiresAt: signedAt + approvalTtlMs };
    const ids = person.credentials.filter(({ type }) => type === 'passkey').map(({ id }) => id);
    return { asked: { ...challengeOptions(request, rpIdOf(origin), challengeOf(statement), ids), statement } };
  }
  const form = read(signedForm, signed);
  const decision =
    form === undefined
      ? undefined
      : { ...form.statement, credential: form.assertion.id, signature: signatureOf(form.assertion) };
  if (isDecision(decision) && isAbout(decision, { ...about, subject: person.name })) return { signed: decision };
  throw new Problem('conflict', 'signed-something-else', 'What was signed is not the current question.', {
    hint: 'Reload the page and sign again.',
  });
}

/** Throws a `Problem` for a rejection without a remark. */
export function assertReasoned({ decision, remark }: Pick<Statement, 'decision' | 'remark'>): void {
  if (decision !== 'reject' || remark.trim() !== '') return;
  throw new Problem('usage', 'remark-missing', 'A rejection needs a remark.', { hint: 'Enter a remark.' });
}

const isAbout = (decision: SignedDecision, about: Partial<Statement>): boolean =>
  Object.entries(about).every(([member, value]) => decision[member as keyof Statement] === value);
