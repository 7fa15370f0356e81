import {
  type Client,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { claimOf } from '../../activities/cards.ts';
import type { CardEntry, CardholderForm } from '../../bank/cards/vault.ts';
import {
  type CardHandle,
  type CardPaymentInput,
  type CardStateView,
  cardPaymentInput,
  isCardEnd,
} from '../../domain/card-payment.ts';
import { cardWorkflowId, MESSAGES } from '../../domain/names.ts';
import { Problem } from '../../domain/problem.ts';
import { GRPC, grpcStatusOf } from '../../platform/temporal/connection.ts';
import { ANSWER_MS, inTime } from '../../platform/temporal/worker-answer.ts';
import { ifThere, isOpen, startCardPayment } from '../../platform/temporal/workflow-executions.ts';
import type { CardRecord } from '../../store/card-store.ts';
import type { Gateway } from './gateway-app.ts';

/** The requested payment; the card may come later. */
interface AskedPayment {
  input: CardPaymentInput;
  /** Undefined: the page sends it with the card, which is then not here. */
  form: CardholderForm | undefined;
  card: CardEntry['card'] | undefined;
  clientSecretSha256: string;
  /** Who asks has proven who they are: the request is repeated by its maker alone. */
  isMakersOwn: boolean;
}

/**
 * Claims a card payment and starts it. Repeating the request never starts a second payment: it starts the workflow if it does not
 * run, and provides the card if one is awaited. Throws a `Problem` if the id was used for another payment, or by another maker.
 * `isNew` is false for a repeated request.
 */
export async function claimAndStartPayment(
  gateway: Gateway,
  { input, form, card, clientSecretSha256, isMakersOwn }: AskedPayment,
): Promise<{ record: CardRecord; isNew: boolean }> {
  const { store, vault } = gateway;
  assertTakesCards(gateway);
  const { merchant_request_id: merchantRequestId } = input;
  const known = await store.cards.get(merchantRequestId);
  const claim = { ...claimOf(input), clientSecretSha256, isMakersOwn, at: Date.now() };
  const { record, samePayload } = await store.cards.claim(claim);
  if (!samePayload) {
    throw new Problem('conflict', 'id-reused', 'This merchant_request_id was used for another card payment.', {
      hint: 'Another payment needs another id.',
    });
  }
  const payment = { record, isNew: known === undefined };
  if (record.endedAt !== null) return payment;
  // Kept because a card may be needed later, and the page that asks for it knows only the client secret.
  if (form !== undefined) vault.keepForm(merchantRequestId, form);
  await begin(gateway, input, payment.isNew, card === undefined || form === undefined ? undefined : { card, ...form });
  return payment;
}

function assertTakesCards({ config }: Gateway): void {
  // Who reads the bank through workers cannot send a card.
  if (config.bank.relay === undefined) return;
  throw new Problem('unreachable', 'no-cards-here', 'This gateway takes no cards: it has no key to send them with.', {
    hint: 'Ask a gateway with PAYOUTS_API_KEY_FILE and PAYOUTS_API_SECRET_FILE in the place of PAYOUTS_BANK_READS_FROM.',
  });
}

async function begin(
  gateway: Gateway,
  input: CardPaymentInput,
  isNew: boolean,
  entry: CardEntry | undefined,
): Promise<void> {
  const { client } = gateway;
  const start = (card?: CardHandle) =>
    inTime(client, () => startCardPayment(client, { ...input, ...(card && { card }) }));
  const id = input.merchant_request_id;
  const shownState = isNew ? 'not-started' : await cardState(client, id);
  if (shownState === 'not-started') {
    if (entry === undefined) return start();
    return withCard(gateway, entry, async (card) => {
      await start(card);
      return true;
    });
  }
  if (entry === undefined) return;
  // The payment may be waiting for this card; without a worker it would not get it, and nobody would know.
  if (shownState === 'unanswered') throw noWorker();
  if (isCardEnd(shownState.state) || shownState.bin !== null) return;
  await withCard(gateway, entry, async (card) => {
    const { outcome } = await updateCard(client, id, MESSAGES.provideCard, { payload: card });
    if (outcome === 'no-worker') throw noWorker();
    return outcome === 'answered';
  });
}

/** Provides the card to a payment. Throws a `Problem` if it waits for none. */
export async function giveCard(gateway: Gateway, record: CardRecord, entry: CardEntry): Promise<void> {
  const { client } = gateway;
  assertTakesCards(gateway);
  const { merchantRequestId } = record;
  await withCard(gateway, entry, async (card) => {
    const result = await updateCard(client, merchantRequestId, MESSAGES.provideCard, { payload: card });
    // Its workflow was closed without an end: start it again with the card; it first reads what was sent.
    if (result.outcome === 'not-running' && record.endedAt === null)
      await inTime(client, () => startCardPayment(client, { ...cardPaymentInput(record), card }));
    else answered(result);
    return true;
  });
}

/** The answer of an update. Throws a `Problem` if the payment refused it or does not run, or if no worker answered. */
export function answered<Answer>(result: CardAnswer<Answer>): Answer {
  if (result.outcome === 'answered') return result.answer;
  if (result.outcome === 'refused') {
    throw new Problem('conflict', 'not-now', `Not possible now: ${result.why}.`, {
      hint: 'GET /v1/card-payments/ID shows what it waits for.',
    });
  }
  if (result.outcome === 'no-worker') throw noWorker();
  throw new Problem('conflict', 'not-running', 'This card payment is not running.', {
    hint: 'GET /v1/card-payments/ID shows whether it has ended; the same POST /v1/card-payments starts it again.',
  });
}

/** Forgets the card unless it was handed on. */
async function withCard(
  { vault }: Gateway,
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

// The workflows of card payments. `id` is the merchant_request_id.

/** `why` of a refusal is the workflow's own sentence; it holds no values. */
export type CardAnswer<Answer> =
  | { outcome: 'answered'; answer: Answer }
  | { outcome: 'refused'; why: string }
  | { outcome: 'not-running' }
  /** No worker answered soon. */
  | { outcome: 'no-worker' };

/**
 * An update, by its name (`src/domain/names.ts`). Asked again under an `updateId` it has had, a run gives its first answer and does
 * nothing. `ms`: how long the answer is awaited.
 */
export async function updateCard<Answer>(
  client: Client,
  id: string,
  name: string,
  { payload, updateId, ms = ANSWER_MS }: { payload: unknown; updateId?: string; ms?: number },
): Promise<CardAnswer<Answer>> {
  const handle = client.workflow.getHandle(cardWorkflowId(id));
  try {
    const asked = () => handle.executeUpdate<Answer, [unknown]>(name, { args: [payload], updateId });
    return { outcome: 'answered', answer: await inTime(client, asked, ms) };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { outcome: 'not-running' };
    if (error instanceof WorkflowUpdateFailedError) return { outcome: 'refused', why: error.cause?.message ?? '' };
    if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return { outcome: 'no-worker' };
    throw error;
  }
}

/** Short, since a page asks every second. */
const QUERY_MS = 5_000;

/**
 * No answer within `QUERY_MS`: the server knows this deadline too, and often cancels the call before our own clock ends it. The
 * last: no worker has polled recently.
 */
const UNANSWERED: ReadonlySet<number | undefined> = new Set([
  GRPC.DEADLINE_EXCEEDED,
  GRPC.CANCELLED,
  GRPC.FAILED_PRECONDITION,
]);

/** State shown by the workflow; `unanswered` if no worker answers soon. */
export async function cardState(client: Client, id: string): Promise<CardStateView | 'not-started' | 'unanswered'> {
  const handle = client.workflow.getHandle(cardWorkflowId(id));
  try {
    // A closed workflow answers queries too, if there is a worker. Without an end in the store, it can be started again.
    const { status } = await inTime(client, () => handle.describe(), QUERY_MS);
    if (!isOpen(status)) return 'not-started';
    return await inTime(client, () => handle.query<CardStateView>(MESSAGES.state), QUERY_MS);
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'not-started';
    if (UNANSWERED.has(grpcStatusOf(error))) return 'unanswered';
    throw error;
  }
}

/** False if no such workflow is open. */
export const signalCard = (client: Client, id: string, name: string): Promise<boolean> =>
  ifThere(() => inTime(client, () => client.workflow.getHandle(cardWorkflowId(id)).signal(name)));
