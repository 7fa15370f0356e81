import type { CardRecord } from '../../store/card-store.ts';
import type { ActivityDeps } from '../deps.ts';
import { deliverCardEvent, eventOfShown, readPaymentOf } from './deliver.ts';

/**
 * Events that came after an older copy of the store was made are not sent again: what the acquirer shows counts as one, once for each
 * status. Needed only for an end that is in the copy.
 */
export async function hearAfterRestore(deps: ActivityDeps, record: CardRecord): Promise<void> {
  const { merchantRequestId, paymentId, endedAt } = record;
  const restored = await deps.store.restored();
  if (restored === undefined || paymentId === null || endedAt === null || endedAt > restored.at) return;
  const shown = (await readPaymentOf(deps, { paymentId }))?.payment;
  if (shown === undefined) return;
  const event = eventOfShown(shown, merchantRequestId, deps.now());
  if ((await deps.store.cards.receive(event)) === 'new') await deliverCardEvent(deps, event);
}
