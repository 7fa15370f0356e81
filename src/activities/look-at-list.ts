import type { Bank, OrderScan } from '../bank/bank.ts';
import type { LookDoubt } from '../domain/absence.ts';
import type { WorkerSettings } from '../domain/settings.ts';
import type { Store, WatchKey } from '../store/store.ts';

/** Dependencies of whatever looks at the bank's lists. */
export interface LookDeps {
  store: Store;
  bank: Bank;
  settings: Pick<WorkerSettings, 'terms' | 'clockSkewMs' | 'pageSize'>;
  now: () => number;
}

export interface LookRequest extends WatchKey {
  /** Epoch ms of our clock: the orders sent since then are looked for. */
  since: number;
  /** When lists show the first of them, epoch ms of the bank's clock; 0: the whole list is read. */
  from: number;
  /** Whether the list is to prove that an order is absent: it is read from earlier on, and its orders are noted in the store. */
  toProve: boolean;
}

/** A list as it was read. */
export interface SeenList extends Omit<OrderScan, 'doubt'> {
  /** When the reading began, epoch ms of our clock. */
  beganAt: number;
  /** Why it proves nothing; undefined: it does. */
  doubt: LookDoubt | undefined;
}

export type LookAtList = (request: LookRequest) => Promise<SeenList>;
