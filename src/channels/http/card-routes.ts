import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { isMerchantRequestId } from '../../domain/card-number.ts';
import { cardPaymentInput, isCardEnd } from '../../domain/card-payment.ts';
import { leadsHere } from '../../domain/loopback.ts';
import { MESSAGES } from '../../domain/names.ts';
import { newPaymentId } from '../../domain/new-card-payment.ts';
import { Problem } from '../../domain/problem.ts';
import { workflowUrl } from '../../reports/links.ts';
import type { CardRecord } from '../../store/card-store.ts';
import type { Store } from '../../store/store.ts';
import { type CallerKey, limitConcurrency } from './admission.ts';
import { takeJsonOnly } from './bodies.ts';
import { bearerOf, type Caller, callerOf, digest, makerOf, tokenSha256 } from './callers.ts';
import { acceptedDocument, type CardDocument, cardDocument, createdDocument, documentOf } from './card-documents.ts';
import { askedPayment, cardBody, createBody, givenCard } from './card-requests.ts';
import { answerSchemas, errorAnswers, jsonSchema } from './documents.ts';
import { checkoutOriginsOf, checkoutUrlOf, type Gateway, tokenAccess } from './gateway-app.ts';
import { assertMayControlCard, assertMayMakeCard, maySeeCard } from './may-see.ts';
import {
  accessOf,
  allowOrigin,
  assertMayUse,
  type CallerAccess,
  type Cors,
  OPEN,
  originRefused,
  preflight,
} from './route-access.ts';
import { cardState, claimAndStartPayment, giveCard, signalCard } from './take-payment.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** For routes that the payment's page may use. */
    cardAccess: CardAccess;
  }
}

const TAGS = ['cards'];
const MAKING: CallerAccess = { roles: ['maker'], scope: 'each' };
const READING: CallerAccess = { roles: ['maker', 'operator', 'auditor'], scope: 'each' };
/** Its maker, and an operator whose scope holds it. */
const CONTROL: CallerAccess = { roles: ['maker', 'operator'], scope: 'each' };
const byId = jsonSchema(z.object({ id: z.string() }));

export function cardRoutes(app: FastifyInstance, gateway: Gateway): void {
  takeJsonOnly(app);
  const createSchema = {
    operationId: 'createCardPayment',
    tags: TAGS,
    summary: 'Take money from a card',
    description:
      'The same merchant_request_id finds the payment and makes a new client_secret. The card, and what is given with ' +
      'it, stay in the memory of this process until the acquirer has decided, for 15 minutes at most.',
    body: jsonSchema(createBody),
    response: answerSchemas({
      200: [createdDocument, 'known before (200), or claimed and started (202)'],
      202: [createdDocument, 'known before (200), or claimed and started (202)'],
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
  app.addHook('onRequest', async (request, reply) => {
    if (request.method === 'OPTIONS') return;
    allowOrigin(request, reply, origins);
    request.cardAccess = await admitToCard(request, gateway);
    const { caller, record } = request.cardAccess;
    if (caller === undefined) return;
    if (request.method !== 'GET') assertMayControlCard(caller, record);
  });
  limitConcurrency(app, gateway.config.gateway.atOnce, pageKey);
  allowPreflights(app, origins);
  app.get(
    BASE,
    {
      schema: described('getCardPayment', 'The state of a card payment', [cardDocument, 'the payment'], []),
      ...accessOf({ ...READING, or: 'client-secret' }),
    },
    async ({ cardAccess }) => ({ schemaVersion: 1, card_payment: await shown(gateway, cardAccess) }),
  );
  app.post(
    `${BASE}/card`,
    {
      schema: described(
        'giveCard',
        'Give the card',
        [acceptedDocument, 'taken'],
        [408, 409, 413, 415, 422, 503],
        cardBody,
      ),
      ...BY_PAGE,
    },
    async (request) => {
      const { record } = request.cardAccess;
      await giveCard(gateway, record, givenCard(request.body, record.merchantRequestId, gateway));
      return { schemaVersion: 1, accepted: true };
    },
  );
  const again = described(
    'payAgain',
    'A new payment after one that took nothing',
    [cardDocument, 'the new payment'],
    [409, 503],
  );
  app.post(`${BASE}/again`, { schema: again, ...accessOf({ ...MAKING, or: 'client-secret' }) }, async (request) => {
    const { record, caller } = request.cardAccess;
    const made = await payAgain(gateway, record);
    return { schemaVersion: 1, card_payment: await shown(gateway, { record: made, caller }) };
  });
  signalRoutes(app, gateway);
}

const BASE = '/v1/card-payments/:id';
const BY_PAGE = accessOf({ ...CONTROL, or: 'client-secret' });

/** A route of the payment's page, as the OpenAPI document describes it. */
const described = (
  operationId: string,
  summary: string,
  [document, says]: [z.ZodType, string],
  others: Parameters<typeof errorAnswers>,
  body?: z.ZodType,
) => ({
  operationId,
  tags: TAGS,
  summary,
  security: [{ token: [] }, { clientSecret: [] }] as Record<string, string[]>[],
  params: byId,
  ...(body === undefined ? {} : { body: jsonSchema(body) }),
  response: answerSchemas({ 200: [document, says], ...errorAnswers(404, ...others) }),
});

function allowPreflights(app: FastifyInstance, origins: readonly string[]): void {
  const cors: Cors = {
    origins,
    methods: 'GET, POST',
    headers: 'authorization, content-type',
  };
  for (const path of [BASE, `${BASE}/again`, `${BASE}/card`, `${BASE}/fingerprint`, `${BASE}/returned`]) {
    // Preflights have no secret, and many browsers may share an address.
    app.options(path, { schema: { hide: true }, config: { ...OPEN.config, rateLimit: false } }, (request, reply) =>
      preflight(request, reply, cors),
    );
  }
}

/** What the payment's page sends to its workflow. */
function signalRoutes(app: FastifyInstance, gateway: Gateway): void {
  const signals = {
    fingerprint: ['reportFingerprint', MESSAGES.fingerprintDone, 'The device fingerprint is collected'],
    returned: ['reportReturn', MESSAGES.cardholderReturned, 'The cardholder has returned from the confirmation'],
  } as const;
  const rateLimit = {
    max: Math.min(gateway.config.gateway.perMinute, SIGNALS_A_MINUTE),
    keyGenerator: ({ params }: FastifyRequest) => (params as { id: string }).id,
  };
  for (const [name, [id, signal, summary]] of Object.entries(signals)) {
    const route = {
      schema: described(id, summary, [acceptedDocument, 'passed on'], [408, 413, 415, 503]),
      config: { ...BY_PAGE.config, rateLimit },
    };
    app.post(`${BASE}/${name}`, route, async ({ cardAccess }) => {
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

interface CardAccess {
  record: CardRecord;
  /** Undefined for a client secret: the caller is the cardholder's page. */
  caller: Caller | undefined;
}

/** Setting that names the origins of payment pages. */

const SECRET_BYTES = 32;
/** In base64url. */
const SECRET = /^[\w-]{43}$/;

/** A client secret, and its hash to store. */
function newClientSecret(): { secret: string; sha256: string } {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  return { secret, sha256: tokenSha256(secret) };
}

/**
 * Admits a caller of the gateway, or a holder of the client secret of the payment in the path. Otherwise throws a `Problem`. The
 * store is asked only for a caller whose role allows it, or about what may be a secret; that is checked before it can be learned
 * whether the payment exists.
 */
async function admitToCard(request: FastifyRequest, gateway: Gateway): Promise<CardAccess> {
  const bearer = bearerOf(request);
  const caller = tokenHolder(request, gateway);
  if (caller !== undefined) {
    request.caller = caller;
    assertMayUse(request);
    return { record: seenBy(caller, await recordOf(request, gateway.store)), caller };
  }
  const { attempts } = request.server;
  await attempts.assertRoom(request);
  const record = SECRET.test(bearer ?? '') ? await recordOf(request, gateway.store) : undefined;
  if (bearer === undefined || !opens(record, bearer)) {
    await attempts.failed(request);
    throw secretRefused();
  }
  assertOrigin(request, checkoutOriginsOf(gateway));
  return { record, caller: undefined };
}

/** Undefined if what the request bears is no token, but may be a client secret. */
function tokenHolder(request: FastifyRequest, { config, now }: Gateway): Caller | undefined {
  const { tokens, needsToken } = tokenAccess(config);
  const bears = bearerOf(request) !== undefined;
  if (bears && tokens.length === 0 && !needsToken) return undefined;
  try {
    return callerOf(request, tokenAccess(config), now());
  } catch (error) {
    if (bears && error instanceof Problem && error.kind === 'unauthenticated') return undefined;
    throw error;
  }
}

/** The payment in the path. The store is not asked about an impossible id, over which it might fail. */
async function recordOf({ params }: FastifyRequest, { cards }: Store): Promise<CardRecord | undefined> {
  const { id } = params as { id: string };
  return isMerchantRequestId(id) ? cards.get(id) : undefined;
}

/** Throws a `Problem` if there is no such payment, or the caller may not see it. */
function seenBy(caller: Caller, record: CardRecord | undefined): CardRecord {
  if (record !== undefined && maySeeCard(caller, record)) return record;
  throw new Problem('not-found', 'unknown-id', 'There is no card payment with this id.', {
    hint: 'GET /v1/card-payments lists them.',
  });
}

function opens(record: CardRecord | undefined, secret: string): record is CardRecord {
  const stored = Buffer.from(record?.clientSecretSha256 ?? '', 'hex');
  const given = digest(secret);
  return stored.length === given.length && timingSafeEqual(stored, given);
}

/**
 * A leaked secret is useless to another page. A host name can be made to resolve here, so only names of this machine count as our
 * own.
 */
function assertOrigin({ headers: { origin }, host }: FastifyRequest, origins: readonly string[]): void {
  const isOwn = origin === `http://${host}` && leadsHere(origin);
  if (origin === undefined || isOwn || origins.includes(origin)) return;
  throw originRefused();
}

function secretRefused(): Problem {
  return new Problem(
    'unauthenticated',
    'token-refused',
    'This is neither a token nor the client secret of this card payment.',
    {
      hint: 'Send the client_secret of its latest POST /v1/card-payments.',
    },
  );
}
