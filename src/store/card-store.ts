import { cardEventRepository } from './card-events.ts';
import { cardIdRepository } from './card-ids.ts';
import { cardInboxRepository } from './card-inbox.ts';
import { cardRepository } from './cards.ts';
import type { Repository } from './repository.ts';

export type { UndeliveredPage } from './card-events.ts';
export type { CardEventEffect, CardRecord, StoredCardEvent } from './card-schema.ts';
export type { CardChange, CardClaim, CardClaimed } from './cards.ts';

export const cardRepositories = {
  ...cardRepository,
  ...cardIdRepository,
  ...cardEventRepository,
  ...cardInboxRepository,
};

/** Card payments, their requests and their events. */
export type CardStore = Repository<typeof cardRepositories>;
