import type { VaultActivities } from '../domain/card-sending.ts';
import { caller } from './caller.ts';
import { createCardPayment, setUpCard, type VaultDeps } from './cards/use-card.ts';
import { withHeartbeats } from './heartbeats.ts';

/** Activities that need the card, run by the gateway process that holds it. */
export const vaultActivities = (deps: VaultDeps): VaultActivities => ({
  setUpCard: (input) => withHeartbeats(() => setUpCard(deps, input)),
  createCardPayment: (input) => withHeartbeats(() => createCardPayment(deps, caller(), input)),
  forgetCard: async ({ handle }) => deps.vault.forget(handle),
});
