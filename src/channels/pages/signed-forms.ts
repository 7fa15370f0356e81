import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { readJsonOnce } from '../../bank/json.ts';
import {
  isDecision,
  type Person,
  type ScopeFacts,
  type SignedDecision,
  type Statement,
  type StatementAbout,
} from '../../domain/authority.ts';
import { Problem } from '../../domain/problem.ts';
import { storeDecision } from '../../people/decisions/verdict.ts';
import { type Assertion, challengeOf, rpIdOf, signatureOf } from '../../people/signing/signing.ts';
import { type Html, html } from '../../reports/html.ts';
import { storableText } from '../http/documents.ts';
import { csrfField, type View } from './layout.ts';
import { type PagesGateway, policyIn } from './sessions.ts';

const base64url = z.string().regex(/^[\w-]{1,2000}$/);
const assertion = z.object({
  id: base64url,
  response: z.object({ clientDataJSON: base64url, authenticatorData: base64url, signature: base64url }),
});
const clientData = z.object({ challenge: z.string() });

/** A passkey's answer, as a browser sends it; undefined if the text is not one. */
export const assertionOf = (json: string): Assertion | undefined => read(assertion, json);

/** The challenge that it claims to answer. */
export const challengeIn = ({ response }: Assertion): string | undefined =>
  read(clientData, Buffer.from(response.clientDataJSON, 'base64url').toString('utf8'))?.challenge;

export function read<Schema extends z.ZodType>(schema: Schema, json: string): z.output<Schema> | undefined {
  try {
    return schema.parse(readJsonOnce(json));
  } catch {
    return undefined;
  }
}

/** What a form's script passes to the passkey. Throws a `Problem` if the form was sent without the script. */
export function challengeOptions(
  { headers }: FastifyRequest,
  rpId: string,
  challenge: string,
  ids: readonly string[] = [],
) {
  if (headers.accept !== 'application/json') {
    throw new Problem('usage', 'passkey-needed', 'A passkey is required, and passkeys need JavaScript.', {
      hint: 'Allow JavaScript for this page, or decide on the command line: payouts approve ID --key FILE.',
    });
  }
  const allowCredentials = ids.map((id) => ({ id, type: 'public-key' }));
  return { options: { challenge, rpId, allowCredentials, userVerification: 'required' } };
}

type About = StatementAbout & Pick<Statement, 'decision'>;

/** Fields of a form that show who sends it (`signed-form.ts`). */
export const senderFields = { by: storableText.optional(), signed: z.string().optional() };
type Sent = { by?: string; signed?: string };

/** What has to be signed first, for the script of the page. */
type ToSign = { asked: object };

const signedFields = z.object({ statement: z.record(z.string(), z.unknown()), assertion });

/**
 * The decision signed by passkey about exactly this, or what has to be signed. The signature is verified by the code that relies on it.
 * Throws a `Problem` if something else was signed.
 */
export function signedOrAsked(
  request: FastifyRequest,
  gateway: PagesGateway,
  person: Person,
  about: About,
  signed: string | undefined,
): { signed: SignedDecision } | ToSign {
  const { origin = '', approvalTtlMs } = policyIn(gateway);
  if (!hasPasskey(person)) {
    throw new Problem('usage', 'no-passkey', 'You have no passkey in the policy, and this is signed with one.', {
      hint: 'Make one on the page /passkey, or decide on the command line: payouts approve ID --key FILE.',
    });
  }
  if (signed === undefined || signed === '') {
    const signedAt = gateway.now();
    const { id: storeId } = gateway.store;
    const { name: subject } = person;
    const statement = { id: randomUUID(), storeId, ...about, subject, signedAt, expiresAt: signedAt + approvalTtlMs };
    const ids = person.credentials.filter(({ type }) => type === 'passkey').map(({ id }) => id);
    return { asked: { ...challengeOptions(request, rpIdOf(origin), challengeOf(statement), ids), statement } };
  }
  const form = read(signedFields, signed);
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
  gateway: PagesGateway,
  about: About,
  { by, signed }: Sent,
): { by: string; signed?: SignedDecision } | ToSign {
  const { person } = request.caller;
  if (gateway.settings.policy !== undefined && person !== undefined) {
    const signing = signedOrAsked(request, gateway, person, about, signed);
    return 'asked' in signing ? signing : { by: person.name, ...signing };
  }
  if (by !== undefined) return { by };
  throw new Problem('usage', 'name-missing', 'Your name is missing.', { hint: 'Give your name.' });
}

/** The operator who sends a form, and their decision, which is stored. Throws a `Problem` if the signature does not count. */
export async function operatorOf(
  request: FastifyRequest,
  gateway: PagesGateway,
  form: StatementAbout,
  { touched, ...sent }: Sent & { touched?: ScopeFacts },
): Promise<{ by: string; decisionId?: string } | ToSign> {
  const sender = senderOf(request, gateway, { ...form, decision: 'approve' }, sent);
  if ('asked' in sender || sender.signed === undefined) return sender;
  const why = await storeDecision(gateway, sender.signed, touched);
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

/**
 * A form whose sender is known: under a policy by a passkey's signature, which the page's script adds; in a trial by a name that
 * is believed.
 */
export const signedForm = (view: View, action: string, fields: Html, buttons: Html): Html =>
  canSign(view) ? formToSign(view, action, fields, buttons) : NO_PASSKEY;

/** Whether the viewer could sign a form: who has signed in through the provider may have no passkey. */
export const canSign = ({ isTrial, caller }: View): boolean =>
  isTrial || (caller?.person !== undefined && hasPasskey(caller.person));

const hasPasskey = ({ credentials }: Person): boolean => credentials.some(({ type }) => type === 'passkey');

export const NO_PASSKEY = html`<p class="quiet">You can read this. To decide here you need a passkey in the policy: <a href="/passkey">make one</a>, and give it to the owner of the policy.</p>`;

const formToSign = (view: View, action: string, fields: Html, buttons: Html): Html =>
  html`<form method="post" action="${action}"${!view.isTrial && html` data-passkey="get"`}>
${csrfField(view)}${view.isTrial ? byField() : html`<input type="hidden" name="signed">`}
${fields}
${
  !view.isTrial &&
  html`<noscript><p class="problem">Passkeys need JavaScript. Without it, decide on the command line.</p></noscript>
`
}<div class="actions">${buttons}</div>
<p class="problem" role="alert" data-problem hidden></p>
</form>`;

export const byField = (): Html =>
  html`<p><label>Your name <input name="by" required maxlength="64" autocomplete="name"></label></p>`;

/**
 * The first button of a form with several: a browser takes that one for Enter in a field, and does nothing for a disabled one.
 */
export const NO_DEFAULT = html`<button disabled hidden></button>`;
