import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { isMerchantRequestId } from '../../domain/card-number.ts';
import { leadsHere } from '../../domain/loopback.ts';
import { Problem } from '../../domain/problem.ts';
import type { CardRecord } from '../../store/card-store.ts';
import type { Store } from '../../store/store.ts';
import { bearerOf, type Caller, callerOf, digest, tokenSha256 } from './callers.ts';
import { originRefused } from './cors.ts';
import { accessOf, checkoutOriginsOf, type Gateway } from './gateway-app.ts';
import { maySeeCard } from './may-see.ts';
import { assertMayUse } from './route-access.ts';

export interface CardAccess {
  record: CardRecord;
  /** Undefined for a client secret: the caller is the cardholder's page. */
  caller: Caller | undefined;
}

/** Setting that names the origins of payment pages. */
export const CHECKOUT_ORIGINS = 'PAYOUTS_CHECKOUT_ORIGINS';

const SECRET_BYTES = 32;
/** In base64url. */
const SECRET = /^[\w-]{43}$/;

/** A client secret, and its hash to store. */
export function newClientSecret(): { secret: string; sha256: string } {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  return { secret, sha256: tokenSha256(secret) };
}

/**
 * Admits a caller of the gateway, or whoever has the client secret of the payment in the path. Otherwise throws a `Problem`. The
 * store is asked only for a caller whose role allows it, or about what may be a secret; that is checked before it can be learned
 * whether the payment exists.
 */
export async function admitToCard(request: FastifyRequest, gateway: Gateway): Promise<CardAccess> {
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
  const { tokens, needsToken } = accessOf(config);
  const bears = bearerOf(request) !== undefined;
  if (bears && tokens.length === 0 && !needsToken) return undefined;
  try {
    return callerOf(request, accessOf(config), now());
  } catch (error) {
    if (bears && error instanceof Problem && error.kind === 'unauthenticated') return undefined;
    throw error;
  }
}

/** The payment in the path. The store is not asked about an impossible id, over which it might fail. */
export async function recordOf({ params }: FastifyRequest, { cards }: Store): Promise<CardRecord | undefined> {
  const { id } = params as { id: string };
  return isMerchantRequestId(id) ? cards.get(id) : undefined;
}

/** Throws a `Problem` if there is no such payment, or the caller may not see it. */
export function seenBy(caller: Caller, record: CardRecord | undefined): CardRecord {
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
  throw originRefused({ setting: CHECKOUT_ORIGINS });
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
