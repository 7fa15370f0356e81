import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { cardPaymentInput, isCardEnd } from '../../domain/card-payment.ts';
import { MESSAGES } from '../../domain/names.ts';
import { newPaymentId } from '../../domain/new-card-payment.ts';
import { Problem } from '../../domain/problem.ts';
import { askAudited } from '../../people/decisions/audited-request.ts';
import type { CardRecord } from '../../store/card-store.ts';
import { type CallerKey, limitConcurrency } from './admission.ts';
import { makerOf } from './callers.ts';
import { admitToCard, type CardAccess, CHECKOUT_ORIGINS, newClientSecret, recordOf, seenBy } from './card-access.ts';
import {
  acceptedDocument,
  amountDocument,
  type CardDocument,
  cancelDocument,
  cardDocument,
  cardList,
  createdDocument,
  documentOf,
} from './card-documents.ts';
import { amountBody, amountOf, askedPayment, cancelBody, cardBody, createBody, givenCard } from './card-requests.ts';
import { allowOrigin, type Cors, preflight } from './cors.ts';
import { changeHeader, errorAnswers } from './documents.ts';
import type { GatewayDeps } from './gateway-deps.ts';
import { idempotencyKeyOf, reused } from './idempotency.ts';
import { assertMayControlCard, assertMayMakeCard, cardsSeenBy } from './may-see.ts';
import { accessOf, type CallerAccess, OPEN } from './route-access.ts';
import { answerSchemas, jsonSchema, parsed } from './schemas.ts';
import { takeJsonOnly } from './small-body.ts';
import { answered, claimAndStartPayment, giveCard } from './take-payment.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** For routes that the payment's page may use. */
    cardAccess: CardAccess;
  }
}

const TAGS = ['card payments'];
const LISTED = 100;
const MAKING: CallerAccess = { roles: ['maker'], scope: 'each' };
const READING: CallerAccess = { roles: ['maker', 'operator', 'auditor'], scope: 'each' };
/** Its maker, and an operator whose scope holds it. */
const CONTROL: CallerAccess = { roles: ['maker', 'operator'], scope: 'each' };
const byId = jsonSchema(z.object({ id: z.string().describe('merchant_request_id') }));

export function cardRoutes(app: FastifyInstance, deps: GatewayDeps): void {
  takeJsonOnly(app);
  const createSchema = {
    tags: TAGS,
    summary: 'Take money from a card',
    description:
      'Repeating the request with the same merchant_request_id finds the payment and makes a new client_secret. ' +
      'The card stays in the memory of this process until the acquirer has decided, for 15 minutes at most. Data ' +
      'given with it is known only to this process: a page should always send return_url with the card.',
    body: jsonSchema(createBody),
    response: answerSchemas({
      200: [createdDocument, 'known before'],
      202: [createdDocument, 'claimed and started'],
      ...errorAnswers(408, 409, 413, 415, 422, 503),
    }),
  };
  app.post('/v1/card-payments', { schema: createSchema, ...accessOf(MAKING) }, async (request, reply) => {
    const asked = askedPayment(request.body, (by) => makerOf(request.caller, by), deps.cards);
    assertMayMakeCard(request.caller, asked.input);
    const isMakersOwn = request.caller.person !== undefined;
    const { secret, sha256 } = newClientSecret();
    const payment = { ...asked, isMakersOwn, clientSecretSha256: sha256 };
    const { record, isNew } = await claimAndStartPayment(deps, payment);
    const document = { schemaVersion: 1, card_payment: stored(deps, record), client_secret: secret };
    return reply.code(isNew ? 202 : 200).send(document);
  });
  const listAnswers = answerSchemas({ 200: [cardList, 'newest first'], ...errorAnswers() });
  const listSchema = { tags: TAGS, summary: 'The newest card payments', response: listAnswers };
  app.get('/v1/card-payments', { schema: listSchema, ...accessOf(READING) }, async ({ caller }) => {
    const records = await deps.store.cards.list(LISTED, cardsSeenBy(caller));
    return { schemaVersion: 1, card_payments: records.map((record) => stored(deps, record)) };
  });
  controlRoutes(app, deps);
}

/** Of a path, for whoever may decide about it. */
async function ownRecord(request: FastifyRequest, { store }: GatewayDeps): Promise<CardRecord> {
  const record = seenBy(request.caller, await recordOf(request, store));
  assertMayControlCard(request.caller, record);
  return record;
}

function controlRoutes(app: FastifyInstance, deps: GatewayDeps): void {
  const answers = (document: z.ZodType, says: string) =>
    answerSchemas({ 200: [document, says], ...errorAnswers(404, 408, 409, 413, 415, 422, 503) });
  const ask = <Answer extends Record<string, string>>(
    subject: string,
    action: string,
    { by, ...detail }: { by: string } & Record<string, string>,
    updateId?: string,
  ) => {
    const update = async () => answered(await deps.cards.update<Answer>(subject, action, { by, ...detail }, updateId));
    return askAudited(deps, { by, action, subject, detail }, update, (answer) => answer);
  };
  const amountSchema = {
    tags: TAGS,
    summary: 'Change the amount before anything that takes money is sent',
    params: byId,
    headers: jsonSchema(changeHeader),
    body: jsonSchema(amountBody),
    response: answers(amountDocument, 'the amount that it was changed to'),
  };
  app.post('/v1/card-payments/:id/amount', { schema: amountSchema, ...accessOf(CONTROL) }, async (request) => {
    const { amount: given, by } = parsed(amountBody, request.body, 'body');
    const { merchantRequestId, currency } = await ownRecord(request, deps);
    const change = { amount: amountOf(given, currency), by: makerOf(request.caller, by) ?? 'gateway' };
    const updateId = changeIdOf(request);
    const { amount } = await ask<{ amount: string }>(merchantRequestId, MESSAGES.changeAmount, change, updateId);
    if (amount !== change.amount) throw reused();
    return { schemaVersion: 1, amount };
  });
  const cancelSchema = {
    tags: TAGS,
    summary: 'Cancel a card payment before anything that takes money is sent',
    params: byId,
    body: jsonSchema(cancelBody),
    response: answers(cancelDocument, 'too-late: it continues to its end'),
  };
  app.post('/v1/card-payments/:id/cancel', { schema: cancelSchema, ...accessOf(CONTROL) }, async (request) => {
    const { by, reason = 'cancelled by the merchant' } = parsed(cancelBody, request.body ?? {}, 'body');
    const { merchantRequestId } = await ownRecord(request, deps);
    const asked = { by: makerOf(request.caller, by) ?? 'gateway', reason };
    const { outcome } = await ask<{ outcome: string }>(merchantRequestId, MESSAGES.cancel, asked);
    return { schemaVersion: 1, outcome };
  });
}

/** The same for a request that comes again: a delayed one would set back what was changed since. A key may say anything. */
function changeIdOf(request: FastifyRequest): string | undefined {
  const key = idempotencyKeyOf(request);
  return key && hash('sha256', `${request.caller.name ?? ''}/${key}`);
}

/** The token's name or, with a client secret, the page of the payment. */
export const pageKey: CallerKey = ({ caller, params }) => caller?.name ?? `page/${(params as { id: string }).id}`;

/** A browser needs one or two signals, and each is an event in the workflow's history, which is limited. */
const SIGNALS_A_MINUTE = 30;

/** Routes that the payment's page needs too: it authenticates by the client secret instead of a token. */
export function cardPageRoutes(app: FastifyInstance, deps: GatewayDeps): void {
  takeJsonOnly(app);
  app.decorateRequest('cardAccess');
  app.addHook('onRequest', async (request, reply) => {
    if (request.method === 'OPTIONS') return;
    allowOrigin(request, reply, deps.cards.origins);
    request.cardAccess = await admitToCard(request, deps);
    const { caller, record } = request.cardAccess;
    if (caller === undefined) return;
    if (request.method !== 'GET') assertMayControlCard(caller, record);
  });
  limitConcurrency(app, deps.atOnce, pageKey);
  const base = '/v1/card-payments/:id';
  const byPage = accessOf({ ...CONTROL, or: 'client-secret' });
  const security: Record<string, string[]>[] = [{ token: [] }, { clientSecret: [] }];
  const described = (
    summary: string,
    [document, says]: [z.ZodType, string],
    others: Parameters<typeof errorAnswers>,
    body?: z.ZodType,
  ) => ({
    tags: TAGS,
    summary,
    security,
    params: byId,
    ...(body === undefined ? {} : { body: jsonSchema(body) }),
    response: answerSchemas({
      200: [document, says],
      ...errorAnswers(404, ...others),
    }),
  });
  const cors: Cors = {
    origins: deps.cards.origins,
    methods: 'GET, POST',
    headers: 'authorization, content-type',
    setting: CHECKOUT_ORIGINS,
  };
  for (const path of [base, `${base}/again`, `${base}/card`, `${base}/fingerprint`, `${base}/returned`]) {
    // Preflights have no secret, and many browsers may share an address.
    app.options(path, { schema: { hide: true }, config: { ...OPEN.config, rateLimit: false } }, (request, reply) =>
      preflight(request, reply, cors),
    );
  }
  app.get(
    base,
    {
      schema: described('The state of a card payment', [cardDocument, 'the payment'], []),
      ...accessOf({ ...READING, or: 'client-secret' }),
    },
    async ({ cardAccess }) => ({ schemaVersion: 1, card_payment: await shown(deps, cardAccess) }),
  );
  app.post(
    `${base}/card`,
    {
      schema: described('Give the card', [acceptedDocument, 'taken'], [408, 409, 413, 415, 422, 503], cardBody),
      ...byPage,
    },
    async (request) => {
      const { record } = request.cardAccess;
      await giveCard(deps, record, givenCard(request.body, record.merchantRequestId, deps.cards));
      return { schemaVersion: 1, accepted: true };
    },
  );
  const again = described('A new payment after one that took nothing', [cardDocument, 'the new payment'], [409, 503]);
  app.post(`${base}/again`, { schema: again, ...accessOf({ ...MAKING, or: 'client-secret' }) }, async (request) => {
    const { record, caller } = request.cardAccess;
    const made = await payAgain(deps, record);
    return { schemaVersion: 1, card_payment: await shown(deps, { record: made, caller }) };
  });
  const signals = {
    fingerprint: [MESSAGES.fingerprintDone, 'The device fingerprint is collected'],
    returned: [MESSAGES.cardholderReturned, 'The cardholder has returned from the confirmation'],
  } as const;
  const rateLimit = {
    max: Math.min(deps.perMinute, SIGNALS_A_MINUTE),
    keyGenerator: ({ params }: FastifyRequest) => (params as { id: string }).id,
  };
  for (const [name, [signal, summary]] of Object.entries(signals)) {
    const route = {
      schema: described(summary, [acceptedDocument, 'told'], [408, 413, 415, 503]),
      config: { ...byPage.config, rateLimit },
    };
    app.post(`${base}/${name}`, route, async ({ cardAccess }) => {
      const accepted = await deps.cards.signal(cardAccess.record.merchantRequestId, signal);
      return { schemaVersion: 1, accepted };
    });
  }
}

/**
 * The payment that takes the place of one that took nothing: of the same sum and maker, open to the same client secret. Asked
 * again, it is the same one. Throws a `Problem` if none may be made.
 */
async function payAgain(deps: GatewayDeps, record: CardRecord): Promise<CardRecord> {
  const { clientSecretSha256 } = record;
  const id = newPaymentId(record, deps.cards.tries);
  if (id === undefined || clientSecretSha256 === null) {
    throw new Problem('conflict', 'not-now', 'No new payment can be made in the place of this one.', {
      hint: 'Its backend can make one with POST /v1/card-payments, under another merchant_request_id.',
    });
  }
  const form = deps.cards.vault.formOf(record.merchantRequestId);
  const made = await claimAndStartPayment(deps, {
    input: { ...cardPaymentInput(record), merchant_request_id: id },
    form,
    card: undefined,
    clientSecretSha256,
    isMakersOwn: false,
  });
  return made.record;
}

const stored = ({ cards: { tries }, workflowUrl }: GatewayDeps, record: CardRecord): CardDocument =>
  documentOf(record, undefined, { url: workflowUrl(record.workflowId), tries });

async function shown({ cards, workflowUrl }: GatewayDeps, { record, caller }: CardAccess): Promise<CardDocument> {
  const running = record.endedAt === null ? await cards.state(record.merchantRequestId) : undefined;
  const view = typeof running === 'object' ? running : undefined;
  // Who can write to the namespace can have a workflow say that it has ended: it has once the store shows it.
  const open = view && isCardEnd(view.state) ? { ...view, state: 'processing' as const, reason: null } : view;
  const url = caller === undefined ? null : workflowUrl(record.workflowId);
  return documentOf(record, open, { url, tries: cards.tries });
}
