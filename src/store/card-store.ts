import { cardEventRepository } from './card-events.ts';
import { cardIdRepository } from './card-ids.ts';
import { CardInbox, type ReceivedCardEvent } from './card-inbox.ts';
import { cardRepository } from './cards.ts';
import type { Database } from './database.ts';
import { type Repository, repository } from './repository.ts';

export type { UndeliveredPage } from './card-events.ts';
export type { CardEventEffect, CardRecord, StoredCardEvent } from './card-schema.ts';
export type { CardChange, CardClaim, CardClaimed } from './cards.ts';

/** Card payments, their requests and their events. */
export interface CardStore
  extends Repository<typeof cardRepository>,
    Repository<typeof cardIdRepository>,
    Repository<typeof cardEventRepository> {
  /**
   * Stores an event durably before it resolves. `known`: the same receipt or the same event (kind, payment, status) is there
   * already and nothing was stored, except that a verified one takes the place of a hint, and that a hint is taken again once
   * the one before had its effect (`new`).
   */
  receive(event: ReceivedCardEvent): Promise<'new' | 'known'>;
}

export function createCardStore(db: Database): CardStore {
  const inbox = new CardInbox(db);
  return {
    ...repository(db, cardRepository),
    ...repository(db, cardIdRepository),
    ...repository(db, cardEventRepository),
    receive: (event) => inbox.receive(event),
  };
}
