import { type CardHandle, type CardPaymentInput, cardPaymentInput } from '../domain/card-payment.ts';
import { cardWorkflowId, MESSAGES } from '../domain/names.ts';
import { Problem } from '../domain/problem.ts';
import { cardDigest } from '../identity.ts';
import type { CardRecord } from '../store/card-store.ts';
import { type CardEntry, type CardVault, VaultFullError } from '../vault/card-vault.ts';
import { newClientSecret } from './card-access.ts';
import { amountOf, type CardBody, type CreateBody, cardOf, formOf } from './card-requests.ts';
import type { CardAnswer, GatewayDeps } from './gateway-deps.ts';
import { returnUrlOf } from './return-url.ts';

export interface TakenPayment {
  record: CardRecord;
  clientSecret: string;
  /** False: it was asked for before. */
  isNew: boolean;
}

/**
 * Claims a card payment and starts it. The same request again finds it, starts it where it does not run, and gives it the
 * card where it waits for one; it never begins a second payment. Throws a `Problem` for an id that was used for another
 * payment.
 */
export async function takePayment(deps: GatewayDeps, body: CreateBody, by?: string): Promise<TakenPayment> {
  const { store, cards } = deps;
  const { merchant_request_id: merchantRequestId, currency, payment_type: paymentType, three_ds: threeDs } = body;
  const amount = amountOf(body.amount, currency);
  const form = { ...formOf(body), returnUrl: returnUrlOf(body.return_url, cards) };
  const entry = body.card === undefined ? undefined : { card: cardOf(body.card, Date.now()), ...form };
  const { secret, sha256 } = newClientSecret();
  const known = await store.cards.get(merchantRequestId);
  const { record, samePayload } = await store.cards.claim({
    merchantRequestId,
    workflowId: cardWorkflowId(merchantRequestId),
    amount,
    currency,
    paymentType,
    digest: cardDigest({ merchant_request_id: merchantRequestId, amount, currency, payment_type: paymentType }),
    by: by ?? null,
    clientSecretSha256: sha256,
    at: Date.now(),
  });
  if (!samePayload) throw idReused();
  const taken = { record, clientSecret: secret, isNew: known === undefined };
  if (record.endedAt !== null) return taken;
  const input: CardPaymentInput = {
    merchant_request_id: merchantRequestId,
    amount,
    currency,
    payment_type: paymentType,
    three_ds: threeDs,
    ...(by === undefined ? {} : { by }),
  };
  // A card may be needed once more: its page knows the client secret alone.
  cards.vault.keepForm(merchantRequestId, form);
  await begin(deps, input, entry, taken.isNew);
  return taken;
}

async function begin(
  deps: GatewayDeps,
  input: CardPaymentInput,
  entry: CardEntry | undefined,
  isNew: boolean,
): Promise<void> {
  const { cards } = deps;
  const id = input.merchant_request_id;
  const stands = isNew ? 'not-started' : await cards.state(id);
  if (stands === 'not-started') {
    if (entry === undefined) return cards.start(input);
    return withCard(deps, entry, async (card) => {
      await cards.start({ ...input, card });
      return true;
    });
  }
  if (entry === undefined) return;
  // A payment that waits for its card would not get it, and nobody would know.
  if (stands === 'silent') throw noWorker();
  if (stands.state !== 'awaiting-card') return;
  await withCard(deps, entry, async (card) => {
    const { outcome } = await cards.update(id, MESSAGES.provideCard, card);
    if (outcome === 'no-worker') throw noWorker();
    return outcome === 'answered';
  });
}

/** Gives a payment its card. Throws a `Problem` when it waits for none. */
export async function giveCard(deps: GatewayDeps, record: CardRecord, body: CardBody): Promise<void> {
  const { cards } = deps;
  const { merchantRequestId } = record;
  const form = formOf(body, cards.vault.formOf(merchantRequestId));
  const returnUrl = returnUrlOf(form.returnUrl, cards);
  const entry = { card: cardOf(body.card, Date.now()), ...form, returnUrl };
  await withCard(deps, entry, async (card) => {
    const told = await cards.update(merchantRequestId, MESSAGES.provideCard, card);
    // Its workflow was closed without an end: with a card it goes on, once it has looked at what was sent.
    if (told.outcome === 'not-running' && record.endedAt === null)
      await cards.start({ ...cardPaymentInput(record), card });
    else answered(told);
    return true;
  });
}

/** The answer of an update. Throws a `Problem` when the payment refused it or does not run, or no worker answered. */
export function answered<Answer>(told: CardAnswer<Answer>): Answer {
  if (told.outcome === 'answered') return told.answer;
  if (told.outcome === 'refused') {
    throw new Problem('conflict', 'not-now', `Not now: ${told.why}.`, {
      hint: 'GET /v1/card-payments/ID shows what it waits for.',
    });
  }
  if (told.outcome === 'no-worker') throw noWorker();
  throw new Problem('conflict', 'not-running', 'This card payment does not run.', {
    hint: 'GET /v1/card-payments/ID shows whether it has ended; the same POST /v1/card-payments starts it again.',
  });
}

/** A card that nobody took is not kept. */
async function withCard(
  { cards: { vault } }: GatewayDeps,
  entry: CardEntry,
  handOn: (card: CardHandle) => Promise<boolean>,
): Promise<void> {
  const card = put(vault, entry);
  try {
    if (!(await handOn(card))) vault.forget(card.handle);
  } catch (error) {
    vault.forget(card.handle);
    throw error;
  }
}

function put(vault: CardVault, entry: CardEntry): CardHandle {
  try {
    return vault.put(entry);
  } catch (error) {
    if (!(error instanceof VaultFullError)) throw error;
    throw new Problem('unreachable', 'vault-full', 'No further card can be kept now.', {
      hint: 'The same request can be sent again in a minute.',
      retryAfterS: 60,
    });
  }
}

function noWorker(): Problem {
  return new Problem('unreachable', 'no-worker', 'No worker answers.', {
    hint: 'Start one: payouts worker. The same request can be sent again.',
  });
}

function idReused(): Problem {
  return new Problem('conflict', 'id-reused', 'This merchant_request_id was used for another card payment.', {
    hint: 'Another payment needs another id.',
  });
}
