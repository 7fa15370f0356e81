import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Credential, Person, Policy } from '../../domain/authority.ts';
import { Problem } from '../../domain/problem.ts';
import { type Assertion, isSignedByPasskey, rpIdOf, signatureOf } from '../../people/signing/signing.ts';
import { type Html, html } from '../../reports/html.ts';
import { parsed } from '../http/documents.ts';
import { OPEN } from '../http/route-access.ts';
import { csrfField, show, type View, viewOf } from './layout.ts';
import { callerIn, dropToken, keepToken, type PagesGateway, policyIn, tokenOf } from './sessions.ts';
import { assertionOf, challengeIn, challengeOptions, read } from './signed-forms.ts';

export const nextField = z.string().max(2_000).optional();
const signInBody = z.object({ signed: z.string().optional(), next: nextField });

/** `/sign-in` and `/sign-out`: a session for the owner of a passkey in the policy. */
export function signInRoutes(app: FastifyInstance, gateway: PagesGateway): void {
  const { sessions, challenges } = gateway;
  app.get('/sign-in', OPEN, (request, reply) => {
    const { next } = parsed(z.object({ next: nextField }), request.query);
    return signInPage(reply, viewOf(request, reply, gateway), gateway, { next });
  });
  app.post('/sign-in', OPEN, async (request, reply) => {
    const policy = policyIn(gateway);
    const { signed, next } = parsed(signInBody, request.body, 'form');
    if (signed === undefined || signed === '') {
      return challengeOptions(request, rpIdOf(policy.origin ?? ''), challenges.issue(true, gateway.now()));
    }
    const assertion = assertionOf(signed);
    const found = holderOf(policy, assertion?.id);
    const why = await refusal(gateway, policy, assertion, found?.credential);
    if (why !== undefined || found === undefined) {
      const refused = { why: why ?? 'this passkey belongs to nobody in the policy' };
      await request.server.attempts.refused(request, 'sign-in', { name: found?.person.name, ...refused });
      return signInPage(reply, viewOf(request, reply, gateway), gateway, { next, ...refused });
    }
    const { person, credential } = found;
    const opened = { name: person.name, credential: credential.id, vouched: undefined };
    keepToken(reply, policy, sessions.open(opened, gateway.now()));
    await auditPages(gateway, person.name, 'signed in', { credential: credential.id });
    return reply.redirect(ownPath(next, policy), 303);
  });
  app.post('/sign-out', OPEN, async (request, reply) => {
    const policy = policyIn(gateway);
    const { name: actor } = callerIn(request, gateway) ?? {};
    const token = tokenOf(request, policy) ?? '';
    const { vouched } = sessions.find(token, gateway.now()) ?? {};
    sessions.close(token);
    dropToken(reply, policy);
    if (actor !== undefined) await auditPages(gateway, actor, 'signed out');
    if (vouched?.by.signOutUrl === undefined) return reply.redirect('/sign-in', 303);
    const view = { ...viewOf(request, reply, gateway), caller: undefined };
    return leavePage(reply, view, vouched.by.signOutUrl);
  });
}

export const auditPages = (
  { store, now }: PagesGateway,
  actor: string,
  action: string,
  detail: Record<string, string> = {},
): Promise<void> => store.audit({ at: now(), actor, action, subject: 'pages', detail });

/** Leads on to the provider: a form may not (`form-action`), and a session that is left open there would sign in again. */
function leavePage(reply: FastifyReply, view: View, to: string): FastifyReply {
  const { host } = new URL(to);
  reply.header('refresh', `0; url=${to}`);
  const body = html`<section class="narrow">
<h1>Signed out</h1>
<p>You are signed out here. <a href="${to}">Sign out at ${host} too</a></p>
</section>`;
  return show(reply, view, { title: 'Signed out', body });
}

/** Redirects to the sign-in page, which leads back to the requested page. Throws a `Problem` for the script of a page. */
export function askToSignIn(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (request.headers.accept === 'application/json') {
    throw new Problem('unsigned', 'session-ended', 'Your session has ended.', {
      hint: 'Nothing was decided: reload the page to sign in.',
    });
  }
  const next = request.method === 'GET' && request.url !== '/' ? `?next=${encodeURIComponent(request.url)}` : '';
  return reply.redirect(`/sign-in${next}`, 303);
}

function holderOf({ people }: Policy, id: string | undefined): { person: Person; credential: Credential } | undefined {
  for (const person of people) {
    const credential = person.credentials.find((it) => it.type === 'passkey' && it.id === id);
    if (credential !== undefined) return { person, credential };
  }
  return undefined;
}

export const STALE = 'it took too long, or was sent twice';

async function refusal(
  gateway: PagesGateway,
  { origin = '' }: Policy,
  assertion: Assertion | undefined,
  credential: Credential | undefined,
): Promise<string | undefined> {
  const challenge = assertion === undefined ? undefined : challengeIn(assertion);
  if (assertion === undefined || challenge === undefined) return 'this is not the answer of a passkey';
  if (!gateway.challenges.use(challenge, gateway.now())) return STALE;
  if (credential === undefined) return 'this passkey belongs to nobody in the policy';
  const isTheirs = await isSignedByPasskey(credential, { origin, challenge, signature: signatureOf(assertion) });
  return isTheirs ? undefined : 'the passkey did not prove who you are';
}

/**
 * Always a path of ours, for any requested path. The answer itself is read as a browser reads it: the path of
 * `/..//other.example` is `//other.example`, which leads to another host.
 */
export function ownPath(next: string | undefined, { origin }: Policy): string {
  const to = next?.startsWith('/') ? URL.parse(next, origin) : null;
  const path = to?.origin === origin ? `${to?.pathname}${to?.search}` : '/';
  return URL.parse(path, origin)?.origin === origin ? path : '/';
}

/** `identity`: how the provider names an account that the policy does not have. */
interface SignInShown {
  next?: string;
  why?: string;
  identity?: string;
  status?: number;
}

export function signInPage(
  reply: FastifyReply,
  view: View,
  { provider }: PagesGateway,
  { next = '', why, identity, status = why === undefined ? 200 : 401 }: SignInShown,
): FastifyReply {
  const body = html`<section class="narrow">
<h1>Sign in</h1>
${why !== undefined && html`<p class="problem" role="alert">Not signed in: ${why}.</p>`}
${identity !== undefined && html`<p>The provider knows you as <code>${identity}</code>. The owner of the policy can add this to your <code>identities</code>.</p>`}
${provider !== undefined && throughProvider(provider.host, next)}
<p>With a passkey you sign in and decide: your fingerprint, your face or the PIN of your device.</p>
<form method="post" action="/sign-in" data-passkey="get">
${csrfField(view)}<input type="hidden" name="next" value="${next}"><input type="hidden" name="signed">
<p><button${provider === undefined && html` class="main"`}>Sign in with a passkey</button></p>
<p class="problem" role="alert" data-problem hidden></p>
</form>
<noscript><p class="problem">Passkeys need JavaScript. Without it, decide on the command line: <code>payouts approve ID --key FILE</code>.</p></noscript>
<p class="quiet">No passkey yet? <a href="/passkey">Make one</a> and give it to the owner of the policy.</p>
</section>`;
  return show(reply, view, { title: 'Sign in', body, status });
}

/** A link: a form may lead only to pages of ours (`form-action`). */
const throughProvider = (host: string, next: string): Html =>
  html`<p>With your account you sign in and read; each decision asks for your passkey.</p>
<p><a class="button main" href="/sign-in/provider${next !== '' && `?next=${encodeURIComponent(next)}`}">Sign in at ${host}</a></p>`;

const body = z.object({ name: z.string().trim().min(1).max(64), signed: z.string().max(20_000).optional() });
const base64url = z.string().regex(/^[\w-]{1,10000}$/);
const attestation = z.object({
  id: base64url,
  rawId: base64url,
  type: z.literal('public-key'),
  response: z.object({ clientDataJSON: base64url, attestationObject: base64url }),
});

/** COSE: EdDSA, ES256, RS256. The library's further defaults are experimental in Node, which warns about them on stderr. */
const ALGORITHMS = [-8, -7, -257];

/** Loaded when needed: it would slow down the start of every gateway. */
const webauthn = () => import('@simplewebauthn/server');

/** `/passkey`: makes a passkey in the browser and shows its entry for the policy. Nothing is stored. */
export function passkeyRoutes(app: FastifyInstance, gateway: PagesGateway, origin: string): void {
  const { challenges } = gateway;
  app.get('/passkey', OPEN, (request, reply) => {
    const view = viewOf(request, reply, gateway);
    return show(reply, view, { title: 'Create a passkey', body: formOf(view) });
  });
  app.post('/passkey', OPEN, async (request, reply) => {
    const { name, signed } = parsed(body, request.body, 'form');
    if (signed === undefined || signed === '') {
      const { generateRegistrationOptions } = await webauthn();
      const options = await generateRegistrationOptions({
        rpName: 'Payouts',
        rpID: rpIdOf(origin),
        userName: name,
        challenge: new Uint8Array(Buffer.from(challenges.issue(true, gateway.now()), 'base64url')),
        attestationType: 'none',
        supportedAlgorithmIDs: ALGORITHMS,
        // A discoverable credential: nobody has to enter a name to sign in.
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      });
      return { options };
    }
    const made = await entryOf(gateway, origin, signed);
    if (made === undefined) throw notMade();
    const view = viewOf(request, reply, gateway);
    return show(reply, view, { title: 'Your passkey', body: entryPage(name, made) });
  });
}

/** A passkey's entry for the policy; undefined if it is not a new passkey for these pages. */
async function entryOf(gateway: PagesGateway, origin: string, signed: string) {
  const response = read(attestation, signed);
  if (response === undefined) return undefined;
  const { verifyRegistrationResponse } = await webauthn();
  const { registrationInfo } = await verifyRegistrationResponse({
    response: { ...response, clientExtensionResults: {} },
    expectedChallenge: (challenge) => gateway.challenges.use(challenge, gateway.now()) === true,
    expectedOrigin: origin,
    expectedRPID: rpIdOf(origin),
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(() => ({ registrationInfo: undefined }));
  if (registrationInfo === undefined) return undefined;
  const { id, publicKey } = registrationInfo.credential;
  return { id, publicKey: Buffer.from(publicKey).toString('base64url') };
}

const notMade = (): Problem =>
  new Problem('usage', 'passkey-refused', 'This is not a new passkey of these pages.', { hint: 'Create it again.' });

const formOf = (view: View): Html => html`<section class="narrow">
<h1>Create a passkey</h1>
<p>Your device keeps the passkey. This page shows its public key, which you give to the owner of the policy; nothing is stored here.</p>
<form method="post" action="/passkey" data-passkey="create">
${csrfField(view)}<input type="hidden" name="signed">
<p><label>Your name in the policy <input name="name" required maxlength="64" autocomplete="username"></label></p>
<p><button class="main">Create a passkey</button></p>
<p class="problem" role="alert" data-problem hidden></p>
</form>
<noscript><p class="problem">Passkeys need JavaScript.</p></noscript>
</section>`;

const entryPage = (name: string, made: { id: string; publicKey: string }): Html => html`<section class="narrow">
<h1>Your passkey was created</h1>
<p>Give these lines to the owner of the policy file. They go into <code>passkeys</code> of ${name} and contain no secret.</p>
<pre class="copy" tabindex="0">"passkeys": [${JSON.stringify(made)}]</pre>
<p>Once they are in the policy, <a href="/sign-in">sign in</a>.</p>
</section>`;
