import type { GatewayToken } from '../config/gateway-tokens.ts';
import type { BatchControl } from '../domain/payout-state.ts';
import type { BatchReport } from '../erp/report/batch-report.ts';
import type { Door } from '../intake/take-file.ts';
import type { Log } from '../log.ts';
import type { BatchRecord, Store } from '../store/store.ts';

/** What the gateway works with. */
export interface GatewayParts {
  store: Store;
  /** Opened for each file: what completes bank messages may have changed. */
  door(): Promise<Door>;
  /** The document of a batch, its files written. Throws for an unknown id. */
  report(batchId: string): Promise<BatchReport>;
  /** The document of `list`. */
  list(): Promise<object>;
  /** An update on the workflow of a batch, by its name (`src/domain/names.ts`). Throws when no worker answers soon. */
  control(batch: BatchRecord, update: string, by: string): Promise<{ control: BatchControl }>;
  /** Each rejects when its part cannot be worked with now. */
  ready: Readonly<Record<'store' | 'temporal' | 'bank', () => Promise<unknown>>>;
  tokens: readonly GatewayToken[];
  /** Folder of bodies on their way. */
  uploads: string;
  log: Log;
}
