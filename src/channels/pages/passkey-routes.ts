import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { Problem } from '../../domain/problem.ts';
import { rpIdOf } from '../../people/signing/signing.ts';
import { type Html, html } from '../../reports/html.ts';
import { OPEN } from '../http/route-access.ts';
import { parsed } from '../http/schemas.ts';
import { read } from './assertion.ts';
import { csrfField, show, type View, viewOf } from './layout.ts';
import type { PagesContext } from './pages-context.ts';

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
export function passkeyRoutes(app: FastifyInstance, context: PagesContext, origin: string): void {
  const { gateway, challenges } = context;
  app.get('/passkey', OPEN, (request, reply) => {
    const view = viewOf(request, reply, context);
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
        challenge: new Uint8Array(Buffer.from(challenges.issue(gateway.now()), 'base64url')),
        attestationType: 'none',
        supportedAlgorithmIDs: ALGORITHMS,
        // A discoverable credential: nobody has to enter a name to sign in.
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      });
      return { options };
    }
    const made = await entryOf(context, origin, signed);
    if (made === undefined) throw notMade();
    const view = viewOf(request, reply, context);
    return show(reply, view, { title: 'Your passkey', body: entryPage(name, made) });
  });
}

/** A passkey's entry for the policy; undefined if it is not a new passkey for these pages. */
async function entryOf({ gateway, challenges }: PagesContext, origin: string, signed: string) {
  const response = read(attestation, signed);
  if (response === undefined) return undefined;
  const { verifyRegistrationResponse } = await webauthn();
  const { registrationInfo } = await verifyRegistrationResponse({
    response: { ...response, clientExtensionResults: {} },
    expectedChallenge: (challenge) => challenges.use(challenge, gateway.now()),
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
