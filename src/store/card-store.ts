import type * as repositories from './card-repositories.ts';
import type { Repository } from './repository.ts';

export type { UndeliveredPage } from './card-events.ts';
export type { CardChange, CardClaim, CardClaimed, CardsSeenBy } from './cards.ts';
export type { CardEventEffect, CardRecord, StoredCardEvent } from './schema.ts';

export type CardStore = Repository<typeof repositories>;
