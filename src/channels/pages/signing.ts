import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  isDecision,
  type Person,
  type ScopeFacts,
  type SignedDecision,
  type Statement,
} from '../../domain/authority.ts';
import { Problem } from '../../domain/problem.ts';
import { storeDecision } from '../../people/decisions/verdict.ts';
import { challengeOf, rpIdOf, signatureOf } from '../../people/signing/signing.ts';
import { storableText } from '../http/schemas.ts';
import { assertion, challengeOptions, read } from './assertion.ts';
import { type PagesContext, policyIn } from './pages-context.ts';

/** What an operator signs: always an approval of what they do. */
type OperatorForm = Pick<Statement, 'question' | 'reference' | 'digest' | 'remark'>;
type About = OperatorForm & Pick<Statement, 'decision'>;

/** Fields of a form that show who sends it (`signed-form.ts`). */
export const senderFields = { by: storableText.optional(), signed: z.string().optional() };
type Sent = { by?: string; signed?: string };

/** What has to be signed first, for the script of the page. */
type ToSign = { asked: object };

const signedForm = z.object({ statement: z.record(z.string(), z.unknown()), assertion });

/**
 * The decision signed by passkey about exactly this, or what has to be signed. The signature is verified by whoever relies on it.
 * Throws a `Problem` if something else was signed.
 */
export function signedOrAsked(
  request: FastifyRequest,
  context: PagesContext,
  person: Person,
  about: About,
  signed: string | undefined,
): { signed: SignedDecision } | ToSign {
  const { gateway } = context;
  const { origin = '', approvalTtlMs } = policyIn(context);
  if (signed === undefined || signed === '') {
    const signedAt = gateway.now();
    const { id: storeId } = gateway.store;
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

/**
 * Who sends a form: in a trial the name that they give, under a policy a person with what they have signed, or what they have to
 * sign first. Throws a `Problem` if the name is missing.
 */
export function senderOf(
  request: FastifyRequest,
  context: PagesContext,
  about: About,
  { by, signed }: Sent,
): { by: string; signed?: SignedDecision } | ToSign {
  const { person } = request.caller;
  if (context.policy !== undefined && person !== undefined) {
    const signing = signedOrAsked(request, context, person, about, signed);
    return 'asked' in signing ? signing : { by: person.name, ...signing };
  }
  if (by !== undefined) return { by };
  throw new Problem('usage', 'name-missing', 'Your name is missing.', { hint: 'Give your name.' });
}

/** The operator who sends a form, and their decision, which is stored. Throws a `Problem` if the signature does not count. */
export async function operatorOf(
  request: FastifyRequest,
  context: PagesContext,
  form: OperatorForm,
  { touched, ...sent }: Sent & { touched?: ScopeFacts },
): Promise<{ by: string; decisionId?: string } | ToSign> {
  const sender = senderOf(request, context, { ...form, decision: 'approve' }, sent);
  if ('asked' in sender || sender.signed === undefined) return sender;
  const why = await storeDecision(context.gateway, sender.signed, touched);
  if (why === undefined) return { by: sender.by, decisionId: sender.signed.id };
  throw new Problem('forbidden', 'decision-refused', `This was not accepted: ${why}.`, { hint: 'Reload the page.' });
}

export const remarkField = z.union([z.literal(''), storableText]).default('');

/** Throws a `Problem` for a rejection without a remark. */
export function assertReasoned({ decision, remark }: Pick<Statement, 'decision' | 'remark'>): void {
  if (decision !== 'reject' || remark.trim() !== '') return;
  throw new Problem('usage', 'remark-missing', 'A rejection needs a remark.', { hint: 'Enter a remark.' });
}

const isAbout = (decision: SignedDecision, about: Partial<Statement>): boolean =>
  Object.entries(about).every(([member, value]) => decision[member as keyof Statement] === value);
