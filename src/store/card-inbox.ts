import type { CardEvent } from '../domain/card-payment.ts';
import type { Database } from './database.ts';

export type ReceivedCardEvent = CardEvent & { receiptId: string; merchantRequestId: string | null };
type Taking = 'new' | 'known';

interface Waiting {
  event: ReceivedCardEvent;
  taken: PromiseWithResolvers<Taking>;
}

/** In one statement: 8 columns of 500 events stay under the parameter limits of both databases. */
const EVENTS_AT_ONCE = 500;

/**
 * Takes events that come in the same turn of the event loop with one statement, and so with one commit: a flood does not
 * wait for the disk event by event.
 */
export class CardInbox {
  readonly #db: Database;
  #waiting: Waiting[] = [];

  constructor(db: Database) {
    this.#db = db;
  }

  receive(event: ReceivedCardEvent): Promise<Taking> {
    const taken = Promise.withResolvers<Taking>();
    if (this.#waiting.push({ event, taken }) === 1) setImmediate(() => this.#takeAll());
    return taken.promise;
  }

  #takeAll(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (let from = 0; from < waiting.length; from += EVENTS_AT_ONCE) {
      void this.#take(waiting.slice(from, from + EVENTS_AT_ONCE));
    }
  }

  async #take(some: readonly Waiting[]): Promise<void> {
    try {
      const isNew = await insert(
        this.#db,
        some.map(({ event }) => event),
      );
      for (const { event, taken } of some) {
        if (isNew.delete(event.receiptId)) taken.resolve('new');
        else taken.resolve((await takeAgain(this.#db, event)) ? 'new' : 'known');
      }
    } catch (error) {
      // Those that were answered stay answered.
      for (const { taken } of some) taken.reject(error);
    }
  }
}

/** Receipts of the events that were not there before; of two with the same receipt only one is inserted. */
async function insert(db: Database, events: readonly ReceivedCardEvent[]): Promise<Set<string>> {
  const rows = await db
    .insertInto('cardEvents')
    .values(
      // In one order: of two statements at once that share events neither waits for the other in turn.
      events.toSorted(byKey).map(({ kind, paymentId, status, trust, receiptId, merchantRequestId, receivedAt }) => ({
        kind,
        paymentId,
        status,
        trust,
        receiptId,
        merchantRequestId,
        receivedAt,
        looks: 0,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning('receiptId')
    .execute();
  return new Set(rows.map(({ receiptId }) => receiptId));
}

/**
 * A hint is to be believed from now on, or is said again after it had its effect: then it may be true by now. It has its effect
 * again.
 */
async function takeAgain(db: Database, event: ReceivedCardEvent): Promise<boolean> {
  const sameReceipt = db.selectFrom('cardEvents').select('receiptId').where('receiptId', '=', event.receiptId);
  let query = db
    .updateTable('cardEvents')
    .set({
      trust: event.trust,
      receivedAt: event.receivedAt,
      effect: null,
      deliveredAt: null,
      looks: 0,
    })
    .where((row) => row.and({ kind: event.kind, paymentId: event.paymentId, status: event.status }))
    .where('trust', '=', 'hint');
  if (event.trust === 'verified') {
    query = query
      .set({ receiptId: event.receiptId, merchantRequestId: event.merchantRequestId })
      .where((row) => row.not(row.exists(sameReceipt)));
  } else {
    // One that has had no effect yet is still to be looked at.
    query = query.where('effect', 'is not', null).where('receivedAt', '<', event.receivedAt);
  }
  const { numUpdatedRows } = await query.executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

function byKey(a: ReceivedCardEvent, b: ReceivedCardEvent): number {
  const [one, other] = [keyOf(a), keyOf(b)];
  return one < other ? -1 : one > other ? 1 : 0;
}

const keyOf = ({ paymentId, kind, status }: CardEvent): string => `${paymentId}\n${kind}\n${status}`;
