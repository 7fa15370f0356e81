import {
  type CardHandle,
  type CardPaymentInput,
  type CardStateView,
  cardPaymentInput,
} from '../../domain/card-payment.ts';
import { cardWorkflowId, MESSAGES } from '../../domain/names.ts';
import { Problem } from '../../domain/problem.ts';
import { cardDigest } from '../../identity.ts';
import type { CardRecord } from '../../store/card-store.ts';
import type { Store } from '../../store/store.ts';
import type { CardEntry, CardholderForm, CardVault } from '../../vault/card-vault.ts';

/** Where cards wait, and the workflows of card payments. `id`: the merchant_request_id. */
export interface CardExecutions {
  vault: CardVault;
  /** Starts the workflow unless it runs or has run. */
  start(input: CardPaymentInput): Promise<void>;
  /** What its workflow shows; `silent` when no worker answers soon. */
  state(id: string): Promise<CardStateView | 'not-started' | 'silent'>;
  /**
   * An update on its workflow, by its name (`src/domain/names.ts`). Asked again under an `updateId` it has had, a run gives its
   * first answer and does nothing.
   */
  update<Answer>(id: string, name: string, payload: unknown, updateId?: string): Promise<CardAnswer<Answer>>;
}

/** `refused`: `why` is the workflow's own sentence, without values. */
export type CardAnswer<Answer> =
  | { outcome: 'answered'; answer: Answer }
  | { outcome: 'refused'; why: string }
  | { outcome: 'not-running' }
  /** No worker answered soon. */
  | { outcome: 'no-worker' };

interface Deps {
  store: Pick<Store, 'cards'>;
  cards: CardExecutions;
}

/** What is asked for; the card may come later. */
interface AskedPayment {
  input: CardPaymentInput;
  form: CardholderForm;
  card: CardEntry['card'] | undefined;
  clientSecretSha256: string;
}

/**
 * Claims a card payment and starts it. The same request again finds it, starts it where it does not run, and gives it the
 * card where it waits for one; it never begins a second payment. Throws a `Problem` for an id that was used for another
 * payment. `isNew` false: it was asked for before.
 */
export async function takePayment(
  deps: Deps,
  { input, form, card, clientSecretSha256 }: AskedPayment,
): Promise<{ record: CardRecord; isNew: boolean }> {
  const { store, cards } = deps;
  const { merchant_request_id: merchantRequestId, amount, currency, payment_type: paymentType, by = null } = input;
  const known = await store.cards.get(merchantRequestId);
  const { record, samePayload } = await store.cards.claim({
    merchantRequestId,
    workflowId: cardWorkflowId(merchantRequestId),
    amount,
    currency,
    paymentType,
    digest: cardDigest({ merchant_request_id: merchantRequestId, amount, currency, payment_type: paymentType }),
    by,
    clientSecretSha256,
    at: Date.now(),
  });
  if (!samePayload) throw idReused();
  const taken = { record, isNew: known === undefined };
  if (record.endedAt !== null) return taken;
  // A card may be needed once more: its page knows the client secret alone.
  cards.vault.keepForm(merchantRequestId, form);
  await begin(deps, { input, record, isNew: taken.isNew }, card === undefined ? undefined : { card, ...form });
  return taken;
}

interface Begun {
  input: CardPaymentInput;
  record: CardRecord;
  isNew: boolean;
}

async function begin(deps: Deps, { input, record, isNew }: Begun, entry: CardEntry | undefined): Promise<void> {
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
  // The same request, whose answer was lost perhaps: a card that was declined is tried again only where somebody gives it.
  if (stands.reason?.code === 'another-card-needed' && isShownAs(record, entry)) return;
  await withCard(deps, entry, async (card) => {
    const { outcome } = await cards.update(id, MESSAGES.provideCard, card);
    if (outcome === 'no-worker') throw noWorker();
    return outcome === 'answered';
  });
}

/** By the digits that are kept of the last card. */
const isShownAs = ({ bin, lastFour }: CardRecord, { card: { number } }: CardEntry): boolean =>
  bin === number.slice(0, 6) && lastFour === number.slice(-4);

/** Gives a payment its card. Throws a `Problem` when it waits for none. */
export async function giveCard(deps: Deps, record: CardRecord, entry: CardEntry): Promise<void> {
  const { cards } = deps;
  const { merchantRequestId } = record;
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
    throw new Problem('conflict', 'not-now', `Not possible now: ${told.why}.`, {
      hint: 'GET /v1/card-payments/ID shows what it waits for.',
    });
  }
  if (told.outcome === 'no-worker') throw noWorker();
  throw new Problem('conflict', 'not-running', 'This card payment is not running.', {
    hint: 'GET /v1/card-payments/ID shows whether it has ended; the same POST /v1/card-payments starts it again.',
  });
}

/** A card that nobody took is not kept. */
async function withCard(
  { cards: { vault } }: Deps,
  entry: CardEntry,
  handOn: (card: CardHandle) => Promise<boolean>,
): Promise<void> {
  const card = vault.put(entry);
  try {
    if (!(await handOn(card))) vault.forget(card.handle);
  } catch (error) {
    vault.forget(card.handle);
    throw error;
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
