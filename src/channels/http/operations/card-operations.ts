import { z } from 'zod';
import { conditionOf } from '../../../bank/errors.ts';
import { pathId as bankPathId } from '../../../bank/path.ts';
import { isoOrNull } from '../../../domain/display.ts';
import { Problem } from '../../../domain/problem.ts';
import { workflowUrl } from '../../../reports/links.ts';
import type { CardRecord, StoredCardEvent } from '../../../store/card-store.ts';
import { assertNoCardNumber, requestIdOf, unknownCard, visibleCard } from '../../find-target.ts';
import { type CardDocument, cardList, documentOf } from '../card-documents.ts';
import { cardsSeenBy, maySeeCard, seesAll } from '../may-see.ts';
import { operation, type Place, pathId } from '../operation.ts';
import type { CallerAccess } from '../route-access.ts';

export const CARD_TAG = 'cards';
const READING: CallerAccess = { roles: ['maker', 'operator', 'auditor'], scope: 'each' };
const LISTED = 100;

/** An event of a card payment as it is shown. */
type CardEventDocument = ReturnType<typeof eventDocument>;

/** What `payouts card show` shows. */
interface CardView {
  card_payment: CardDocument;
  payment_ids: string[];
  events: CardEventDocument[];
}

export const CARDS = operation({
  method: 'GET',
  path: '/v1/card-payments',
  tag: CARD_TAG,
  summary: 'The card payments that need people, then the newest',
  access: READING,
  input: z.strictObject({}),
  answer: cardList,
  async run(place): Promise<{ card_payments: CardDocument[] }> {
    const { store, caller } = place;
    const forPeople = (await store.cards.forPeople()).filter((record) => maySeeCard(caller, record));
    const ids = new Set(forPeople.map(({ merchantRequestId }) => merchantRequestId));
    const newest = await store.cards.list(LISTED, cardsSeenBy(caller));
    const records = [...forPeople, ...newest.filter(({ merchantRequestId }) => !ids.has(merchantRequestId))];
    return { card_payments: await Promise.all(records.map((record) => stored(place, record))) };
  },
});

export const CARD = operation({
  method: 'GET',
  path: '/v1/card-payments/:id/events',
  tag: CARD_TAG,
  summary: 'A card payment as it is stored, with its events',
  access: READING,
  input: z.strictObject({ id: pathId.describe('merchant_request_id, payment id or workflow id') }),
  answer: z.looseObject({ payment_ids: z.array(z.string()), events: z.array(z.looseObject({})) }),
  async run(place, { id }): Promise<CardView> {
    const record = await visibleCard(place, id);
    const { cards } = place.store;
    const { merchantRequestId } = record;
    return {
      card_payment: await stored(place, record),
      payment_ids: await cards.paymentsOf(merchantRequestId),
      events: (await cards.eventsOf(merchantRequestId)).map(eventDocument),
    };
  },
});

export const CARD_AT_ACQUIRER = operation({
  method: 'GET',
  path: '/v1/card-payments/:id/retrieved',
  tag: CARD_TAG,
  summary: 'A payment as the acquirer has it now; possible card data is masked',
  access: READING,
  input: z.strictObject({ id: pathId }),
  answer: z.looseObject({ payment: z.unknown() }),
  async run(place, { id }): Promise<{ payment: unknown }> {
    const known = await place.store.cards.find(requestIdOf(id));
    if (known === undefined ? !seesAll(place.caller) : !maySeeCard(place.caller, known)) throw unknownCard();
    const paymentId = known === undefined ? foreignId(id) : await paymentOf(place, known, id);
    const { cards } = await place.bank();
    const payment = await cards.retrieveRaw(paymentId).catch((error: unknown) => {
      throw known === undefined && conditionOf(error) === 'order-not-found' ? unknownCard() : error;
    });
    return { payment };
  },
});

/** The payment id that was named, or else the one that is followed. */
async function paymentOf({ store: { cards } }: Place, record: CardRecord, id: string): Promise<string> {
  const { merchantRequestId, paymentId, state } = record;
  if ((await cards.paymentsOf(merchantRequestId)).includes(id)) return id;
  if (paymentId !== null) return paymentId;
  throw new Problem('refused', 'no-payment-yet', `The acquirer has shown no payment for it yet; it is ${state}.`, {
    hint: `payouts card show ${merchantRequestId} shows more.`,
  });
}

/** A payment id that the store does not know; it becomes part of a URL. */
function foreignId(id: string): string {
  assertNoCardNumber(id);
  try {
    bankPathId(id);
  } catch {
    throw unknownCard();
  }
  return id;
}

const stored = async (place: Place, record: CardRecord): Promise<CardDocument> =>
  documentOf(record, undefined, {
    url: workflowUrl(await place.ui(), record.workflowId),
    tries: place.config.cards.tries,
  });

const eventDocument = ({ kind, paymentId, status, trust, receivedAt, amount, currency, effect }: StoredCardEvent) => ({
  ...{ kind, payment_id: paymentId, status, amount, currency, trust },
  received_at: isoOrNull(receivedAt) ?? '',
  effect,
});
