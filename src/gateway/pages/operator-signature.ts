import type { FastifyRequest } from 'fastify';
import type { ScopeFacts, Statement } from '../../domain/authority.ts';
import { Problem } from '../../domain/problem.ts';
import { storeDecision } from '../../services/decisions/store-decision.ts';
import type { PagesContext } from './pages-context.ts';
import { signedOrAsked } from './signing.ts';

/** What an operator signs. */
export type OperatorForm = Pick<Statement, 'question' | 'reference' | 'digest' | 'remark'>;

/** The operator and the stored decision, or what they have to sign first. Throws a `Problem` if the signature does not count. */
export async function signedByOperator(
  request: FastifyRequest,
  context: PagesContext,
  form: OperatorForm,
  { by, signed, touched }: { by?: string; signed?: string; touched?: ScopeFacts },
): Promise<{ by: string; decisionId?: string } | { asked: object }> {
  const { deps, policy } = context;
  const { person } = request.caller;
  if (policy === undefined || person === undefined) {
    if (by !== undefined) return { by };
    throw new Problem('usage', 'name-missing', 'Your name is missing.', { hint: 'Give your name.' });
  }
  const about = { ...form, decision: 'approve' as const };
  const signing = signedOrAsked(request, context, { policy, person, about, signed });
  if ('asked' in signing) return signing;
  const { store, now, pages } = deps;
  const why = await storeDecision({ store, settings: pages.settings, now }, signing.signed, touched);
  if (why === undefined) return { by: person.name, decisionId: signing.signed.id };
  throw new Problem('forbidden', 'decision-refused', `This was not accepted: ${why}.`, { hint: 'Reload the page.' });
}
