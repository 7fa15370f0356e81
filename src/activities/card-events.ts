import { hash } from 'node:crypto';
import type { Cards } from '../bank/cards/acquirer.ts';
import { masked } from '../bank/cards/card-mask.ts';
import { BankError } from '../bank/errors.ts';
import { isMerchantRequestId } from '../domain/card-number.ts';
import {
  type CardEvent,
  type CardPaymentView,
  cardEventKey,
  cardPaymentInput,
  isCardEnd,
  saysOfEnd,
} from '../domain/card-payment.ts';
import type { Guards } from '../domain/gates.ts';
import { pagesOf, someAtOnce } from '../domain/iterate.ts';
import type { WorkerSettings } from '../domain/settings.ts';
import type { CardEventEffect, CardRecord, CardStore, StoredCardEvent } from '../store/card-store.ts';
import type { ActivityDeps, Executions } from './deps.ts';

/**
 * A payment as workflows may see it: known fields only, and no text that holds a card number. Throws, without saying what it
 * found, if the payment id or the status holds one. One long number in ten passes the card check digit by chance, so `known`, an
 * id that was asked for or compared with the card itself, is accepted.
 */
export function viewOf(
  { paymentId, status, nextAction, amount, currency, merchantRequestId }: CardPaymentView,
  known: string,
): CardPaymentView {
  const isClean = (text: string): boolean => holdsNone(holdsNone(known) ? text : text.replaceAll(known, ' '));
  if (!isClean(paymentId) || !isClean(status)) throw new Error('the answer has no id that may be kept');
  const verifyUrl = nextAction?.verifyUrl ?? null;
  return {
    paymentId,
    status,
    nextAction:
      nextAction === null || !isClean(nextAction.type)
        ? null
        : { type: nextAction.type, verifyUrl: verifyUrl !== null && isClean(verifyUrl) ? verifyUrl : null },
    ...(amount === undefined || !isClean(amount) ? {} : { amount }),
    ...(currency === undefined || !isClean(currency) ? {} : { currency }),
    ...(merchantRequestId === undefined || !isIdOfRequest(merchantRequestId) ? {} : { merchantRequestId }),
  };
}

const holdsNone = (text: string): boolean => masked(text) === text;

/** A merchant_request_id of ours: accepted from a caller, or a UUID derived from such an id. */
const isIdOfRequest = (text: string): boolean => holdsNone(text) || isMerchantRequestId(text);

/**
 * Delivers a stored event so that it has exactly one effect. Any number of processes may try, any number of times: a workflow
 * accepts a signal once per request id, and the first stored effect stays.
 */

export interface CardEventDeps {
  store: { cards: CardStore };
  bank: { cards: Pick<Cards, 'retrieve'> };
  executions: Pick<Executions, 'cardEvent' | 'startCardPayment'>;
  settings: Pick<WorkerSettings, 'cardBackStatuses'>;
  now: () => number;
}

/** Queries about an event without an owner, or about an unverified one (`hint`) that contradicts a stored end. */
const READS_MAX = 5;
/** Grace for an event without an owner: the answer to the create, which names the owner, normally arrives within it. */
const ANSWER_MS = 5_000;
const PAGE = 100;
const AT_ONCE = 8;
/** Queries per pass: bounds what invented payment ids can cost. */
const READS_PER_PASS = 40;

/** An event stays undelivered if it has no owner, or if its workflow is not open and no end is stored. */
export async function deliverCardEvent(
  deps: CardEventDeps,
  event: CardEvent & { merchantRequestId: string | null },
): Promise<void> {
  const { cards } = deps.store;
  // Read after the event was stored: a link made in between is seen here, or the run that made it has seen the event.
  const owner = (await cards.ownerOfPayment(event.paymentId)) ?? event.merchantRequestId;
  if (owner === null) return;
  const before = await cards.get(owner);
  if (before !== undefined && isCardEnd(before.state)) return afterEnd(deps, before, event);
  if (await deps.executions.cardEvent(owner, eventOf(event), requestIdOf(event))) {
    return settle(deps, event, owner, 'delivered');
  }
  const after = await cards.get(owner);
  if (after === undefined) return;
  if (isCardEnd(after.state)) return afterEnd(deps, after, event);
  // The next pass delivers the event.
  if (event.trust === 'verified') await startAgain(deps, after);
}

/** Does nothing while its workflow is open. One that has never run is left to the gateway that has its card. */
export async function startAgain(
  { executions }: { executions: Pick<Executions, 'startCardPayment'> },
  record: CardRecord,
): Promise<void> {
  if (record.runId !== null && !isCardEnd(record.state)) await executions.startCardPayment(cardPaymentInput(record));
}

/**
 * Request id by which the server recognises a repeated signal. It differs between an unverified event and the verified one that
 * replaced it, between two arrivals of an unverified event, and between two sums.
 */
function requestIdOf(event: CardEvent): string {
  const { trust, receivedAt, amount, currency } = event;
  const facts = [trust, ...(trust === 'verified' ? [] : [receivedAt]), amount, currency].filter((it) => it != null);
  return hash('sha256', [cardEventKey(event), ...facts].join('/'));
}

const settle = ({ store, now }: CardEventDeps, event: CardEvent, merchantRequestId: string, effect: CardEventEffect) =>
  store.cards.recordEventEffect(event, { merchantRequestId, effect, at: now() });

async function afterEnd(deps: CardEventDeps, record: CardRecord, event: CardEvent): Promise<void> {
  const { merchantRequestId } = record;
  const saysOf = (shown: CardPaymentView | CardEvent) => saysOfEnd(record, shown, deps.settings.cardBackStatuses);
  const says = event.kind === 'completion' ? undefined : saysOf(event);
  if (says !== 'contradicts' || event.trust === 'verified') {
    return settle(deps, event, merchantRequestId, says ?? 'after-end');
  }
  const retrieved = await readPaymentOf(deps, event);
  const shown = retrieved?.owner === merchantRequestId ? saysOf(retrieved.payment) : undefined;
  if (shown === undefined) return deps.store.cards.countRetrieve(event);
  return settle(deps, event, merchantRequestId, shown);
}

/**
 * Delivers all owned events without an effect, and asks the acquirer about those without an owner; for these each pass continues
 * where the last one stopped, so that an event the acquirer never answers about delays no other. A failure is passed to `failed`
 * and stops no other event. Run one pass at a time.
 */
export function cardEventPass(
  deps: CardEventDeps,
  failed: (error: unknown, event: CardEvent) => void,
): () => Promise<void> {
  let after: StoredCardEvent | undefined;
  return async () => {
    const { cards } = deps.store;
    for await (const page of pagesOf<StoredCardEvent>(PAGE, (last) => cards.undelivered(true, PAGE, { after: last }))) {
      const due = page.filter(({ trust, reads }) => trust === 'verified' || reads < READS_MAX);
      await someAtOnce(due, AT_ONCE, (event) => deliverCardEvent(deps, event).catch((error) => failed(error, event)));
    }
    const found = await deps.store.cards.undelivered(false, READS_PER_PASS, { after, readsBelow: READS_MAX });
    const due = found.filter(({ receivedAt }) => receivedAt <= deps.now() - ANSWER_MS);
    after = due.length === READS_PER_PASS ? due.at(-1) : undefined;
    await someAtOnce(due, AT_ONCE, (event) => findOwner(deps, event).catch((error) => failed(error, event)));
  };
}

/** Only the acquirer knows the owner. It counts as a query only if it has answered. */
async function findOwner(deps: CardEventDeps, event: StoredCardEvent): Promise<void> {
  const { cards } = deps.store;
  const owner = event.paymentId === '' ? undefined : (await readPaymentOf(deps, event))?.owner;
  if (owner === undefined) return cards.countRetrieve(event);
  await cards.linkPayment(event.paymentId, owner, deps.now());
  await deliverCardEvent(deps, event);
}

/** What the acquirer shows, and the owner by its merchant_request_id; undefined if it shows no such payment. */
export async function readPaymentOf(
  { bank, store: { cards } }: CardEventDeps,
  { paymentId }: Pick<CardEvent, 'paymentId'>,
): Promise<{ payment: CardPaymentView; owner: string | undefined } | undefined> {
  try {
    const payment = viewOf(await bank.cards.retrieve(paymentId), paymentId);
    const { merchantRequestId } = payment;
    const byRequest = merchantRequestId === undefined ? undefined : await cards.ownerOfRequest(merchantRequestId);
    return { payment, owner: byRequest ?? (await cards.ownerOfPayment(paymentId)) };
  } catch (error) {
    if (error instanceof BankError && !error.retryable) return undefined;
    throw error;
  }
}

/**
 * Events that came after an older copy of the store was made are not sent again: what the acquirer shows counts as one, once for
 * each status. Needed only for an end that is in the copy.
 */
export async function readAfterRestore(deps: ActivityDeps, record: CardRecord): Promise<void> {
  const { merchantRequestId, paymentId, endedAt } = record;
  const restored = await deps.store.restored();
  if (restored === undefined || paymentId === null || endedAt === null || endedAt > restored.at) return;
  const shown = (await readPaymentOf(deps, { paymentId }))?.payment;
  if (shown === undefined) return;
  const event = eventOfShown(shown, merchantRequestId, deps.now());
  if ((await deps.store.cards.receive(event)) === 'new') await deliverCardEvent(deps, event);
}

/** What the acquirer shows of a payment, as an event; one for each status. */
export const eventOfShown = (
  { paymentId, status, amount, currency }: CardPaymentView,
  merchantRequestId: string,
  receivedAt: number,
) => {
  const receiptId = `retrieved/${paymentId}/${status}`;
  const facts = { kind: 'status', trust: 'verified', paymentId, status, amount, currency } as const;
  return { ...facts, receiptId, merchantRequestId, receivedAt };
};

/** The event alone, as workflows receive it. */
export function eventOf({ kind, paymentId, status, trust, receivedAt, amount, currency }: CardEvent): CardEvent {
  const sum = { ...(amount != null && { amount }), ...(currency != null && { currency }) };
  return { kind, paymentId, status, trust, receivedAt, ...sum };
}

/**
 * What payouts that depend on a card payment go by. An unknown one counts as open: it may still be created. People must resolve a
 * contradiction first.
 */
export function cardPaymentState(record: CardRecord | undefined): NonNullable<Guards['cardPayment']> {
  if (record === undefined || !isCardEnd(record.state)) return 'open';
  if (record.contradictedAt !== null) return 'contradicted';
  return record.state === 'succeeded' ? 'succeeded' : 'unpaid';
}
