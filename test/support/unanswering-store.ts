import { isEnd } from '../../src/domain/payout-state.ts';
import type { Store } from '../../src/store/store.ts';

/** The connection breaks between the commit of a payout's end and its answer: the caller receives an error, and it is stored. */
export const silentAfterEnd = (store: Store): Store => ({
  ...store,
  changePayout: async (reference, change) => {
    const isChanged = await store.changePayout(reference, change);
    if (isChanged && isEnd(change.state)) throw new Error('Connection terminated unexpectedly');
    return isChanged;
  },
});
