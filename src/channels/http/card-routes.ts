import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { cardPaymentInput, isCardEnd } from '../../domain/card-payment.ts';
import { MESSAGES } from '../../domain/names.ts';
import { newPaymentId } from '../../domain/new-card-payment.ts';
import { Problem } from '../../domain/problem.ts';
import { workflowUrl } from '../../reports/links.ts';
import type { CardRecord } from '../../store/card-store.ts';
import { type CallerKey, limitConcurrency } from './admission.ts';
import { makerOf } from './callers.ts';
import { admitToCard, type CardAccess, CHECKOUT_ORIGINS, newClientSecret } from './card-access.ts';
import { acceptedDocument, type CardDocument, cardDocument, createdDocument, documentOf } from './card-documents.ts';
import { cardState, signalCard } from './card-executions.ts';
import { askedPayment, cardBody, createBody, givenCard } from './card-requests.ts';
import { allowOrigin, type Cors, preflight } from './cors.ts';
import { errorAnswers } from './documents.ts';
import { checkoutOriginsOf, checkoutUrlOf, type Gateway } from './gateway-app.ts';
import { assertMayControlCard, assertMayMakeCard } from './may-see.ts';
import { accessOf, type CallerAccess, OPEN } from './route-access.ts';
import { answerSchemas, jsonSchema } from './schemas.ts';
import { takeJsonOnly } from './small-body.ts';
import { claimAndStartPayment, giveCard } from './take-payment.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** For routes that the payment's page may use. */
    cardAccess: CardAccess;
  }
}

const TAGS = ['card payments'];
const MAKING: CallerAccess = { roles: ['maker'], scope: 'each' };
const READING: CallerAccess = { roles: ['maker', 'operator', 'auditor'], scope: 'each' };
/** Its maker, and an operator whose scope holds it. */
const CONTROL: CallerAccess = { roles: ['maker', 'operator'], scope: 'each' };
const byId = jsonSchema(z.object({ id: z.string().describe('merchant_request_id') }));

export function cardRoutes(app: FastifyInstance, gateway: Gateway): void {
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
    const asked = askedPayment(request.body, (by) => makerOf(request.caller, by), gateway);
    assertMayMakeCard(request.caller, asked.input);
    const isMakersOwn = request.caller.person !== undefined;
    const { secret, sha256 } = newClientSecret();
    const payment = { ...asked, isMakersOwn, clientSecretSha256: sha256 };
    const { record, isNew } = await claimAndStartPayment(gateway, payment);
    const document = {
      schemaVersion: 1,
      card_payment: stored(gateway, record),
      client_secret: secret,
      checkout_url: checkoutUrlOf(gateway) ?? null,
    };
    return reply.code(isNew ? 202 : 200).send(document);
  });
}

/** The token's name or, with a client secret, the page of the payment. */
export const pageKey: CallerKey = ({ caller, params }) => caller?.name ?? `page/${(params as { id: string }).id}`;

/** A browser needs one or two signals, and each is an event in the workflow's history, which is limited. */
const SIGNALS_A_MINUTE = 30;

/** Routes that the payment's page needs too: it authenticates by the client secret instead of a token. */
export function cardPageRoutes(app: FastifyInstance, gateway: Gateway): void {
  takeJsonOnly(app);
  app.decorateRequest('cardAccess');
  const origins = checkoutOriginsOf(gateway);
  const { atOnce, perMinute } = gateway.config.gateway;
  app.addHook('onRequest', async (request, reply) => {
    if (request.method === 'OPTIONS') return;
    allowOrigin(request, reply, origins);
    request.cardAccess = await admitToCard(request, gateway);
    const { caller, record } = request.cardAccess;
    if (caller === undefined) return;
    if (request.method !== 'GET') assertMayControlCard(caller, record);
  });
  limitConcurrency(app, atOnce, pageKey);
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
    origins,
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
    async ({ cardAccess }) => ({ schemaVersion: 1, card_payment: await shown(gateway, cardAccess) }),
  );
  app.post(
    `${base}/card`,
    {
      schema: described('Give the card', [acceptedDocument, 'taken'], [408, 409, 413, 415, 422, 503], cardBody),
      ...byPage,
    },
    async (request) => {
      const { record } = request.cardAccess;
      await giveCard(gateway, record, givenCard(request.body, record.merchantRequestId, gateway));
      return { schemaVersion: 1, accepted: true };
    },
  );
  const again = described('A new payment after one that took nothing', [cardDocument, 'the new payment'], [409, 503]);
  app.post(`${base}/again`, { schema: again, ...accessOf({ ...MAKING, or: 'client-secret' }) }, async (request) => {
    const { record, caller } = request.cardAccess;
    const made = await payAgain(gateway, record);
    return { schemaVersion: 1, card_payment: await shown(gateway, { record: made, caller }) };
  });
  const signals = {
    fingerprint: [MESSAGES.fingerprintDone, 'The device fingerprint is collected'],
    returned: [MESSAGES.cardholderReturned, 'The cardholder has returned from the confirmation'],
  } as const;
  const rateLimit = {
    max: Math.min(perMinute, SIGNALS_A_MINUTE),
    keyGenerator: ({ params }: FastifyRequest) => (params as { id: string }).id,
  };
  for (const [name, [signal, summary]] of Object.entries(signals)) {
    const route = {
      schema: described(summary, [acceptedDocument, 'told'], [408, 413, 415, 503]),
      config: { ...byPage.config, rateLimit },
    };
    app.post(`${base}/${name}`, route, async ({ cardAccess }) => {
      const accepted = await signalCard(gateway.client, cardAccess.record.merchantRequestId, signal);
      return { schemaVersion: 1, accepted };
    });
  }
}

/**
 * The payment that takes the place of one that took nothing: of the same sum and maker, open to the same client secret. Asked
 * again, it is the same one. Throws a `Problem` if none may be made.
 */
async function payAgain(gateway: Gateway, record: CardRecord): Promise<CardRecord> {
  const { clientSecretSha256 } = record;
  const id = newPaymentId(record, gateway.config.cards.tries);
  if (id === undefined || clientSecretSha256 === null) {
    throw new Problem('conflict', 'not-now', 'No new payment can be made in the place of this one.', {
      hint: 'Its backend can make one with POST /v1/card-payments, under another merchant_request_id.',
    });
  }
  const form = gateway.vault.formOf(record.merchantRequestId);
  const made = await claimAndStartPayment(gateway, {
    input: { ...cardPaymentInput(record), merchant_request_id: id },
    form,
    card: undefined,
    clientSecretSha256,
    isMakersOwn: false,
  });
  return made.record;
}

const stored = ({ config: { cards }, ui }: Gateway, record: CardRecord): CardDocument =>
  documentOf(record, undefined, { url: workflowUrl(ui, record.workflowId), tries: cards.tries });

async function shown({ client, config, ui }: Gateway, { record, caller }: CardAccess): Promise<CardDocument> {
  const running = record.endedAt === null ? await cardState(client, record.merchantRequestId) : undefined;
  const view = typeof running === 'object' ? running : undefined;
  // Who can write to the namespace can have a workflow say that it has ended: it has once the store shows it.
  const open = view && isCardEnd(view.state) ? { ...view, state: 'processing' as const, reason: null } : view;
  const url = caller === undefined ? null : workflowUrl(ui, record.workflowId);
  return documentOf(record, open, { url, tries: config.cards.tries });
}
