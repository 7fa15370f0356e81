import type { VaultActivities } from '../domain/card-payment.ts';
import { caller, withHeartbeats } from './caller.ts';
import { createCardPayment, setUpCard, type VaultDeps } from './card-payments.ts';

/** Activities that need the card, run by the gateway process that holds it. */
export const vaultActivities = (deps: VaultDeps): VaultActivities => ({
  setUpCard: (input) => withHeartbeats(() => setUpCard(deps, input)),
  createCardPayment: (input) => withHeartbeats(() => createCardPayment(deps, caller(), input)),
  forgetCard: async ({ handle }) => deps.vault.forget(handle),
});
