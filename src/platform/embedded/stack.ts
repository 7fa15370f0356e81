import type { Log } from '../../domain/settings.ts';
import type { TemporalAddress } from '../temporal/connection.ts';
import type { StackPorts } from './ports.ts';
import type { KeepLimits } from './server.ts';

/** What a command works with: Temporal and a bank, embedded or not. */
export interface Stack extends StackAddresses {
  /** Base URL of the gateway started with the stack; null without one. */
  gatewayUrl: string | null;
  /** Whether this process keeps the embedded parts up. */
  owner: boolean;
  /** Resolves with the reason if an embedded part of this process ends by itself; never rejects. */
  failure: Promise<Error>;
  /**
   * Leaves the stack. Its owner first waits for every process that joined (unless `abandonFollowers`), then ends the worker
   * before the parts it uses.
   */
  close(options?: { abandonFollowers?: boolean }): Promise<void>;
}

export interface StackAddresses extends TemporalAddress {
  /** Web UI for links; null for a cluster without PAYOUTS_UI_URL. */
  uiUrl: string | null;
  /** Base URL of the bank. */
  apiUrl: string;
}

export interface Part {
  close(): Promise<void>;
  /** Resolves if the part ends by itself. */
  failure?: Promise<Error>;
}

/**
 * `serve`: keep one up, never join (`dev`). `join-or-boot`: use the one that is up, else boot one. `join-only`: never boot.
 * `join-staying`: nor use one that ends with the command that booted it (`run --detach`).
 */
export type StackMode = 'serve' | 'join-or-boot' | 'join-only' | 'join-staying';

export interface StackOptions {
  mode: StackMode;
  startSandbox: (options: { file: string; port: number }) => Promise<Part & { url: string }>;
  /** Called only for the embedded server: with a cluster, workers are run by `payouts worker`. */
  startWorker: (addresses: StackAddresses) => Promise<Part>;
  /** Absent: the stack is booted without a gateway. `port`: a free one, for a gateway with no configured port. */
  startGateway?: (addresses: StackAddresses, port?: number) => Promise<Part & { url: string }>;
  ports?: StackPorts;
  /** Whether a stack that is booted stays up until it is interrupted; with `serve` it does. */
  stays?: boolean;
  /** Called when the embedded server is replaced. */
  log: Log;
  /** When the embedded server is replaced, for tests. */
  keepLimits?: Partial<KeepLimits>;
  /** How long to wait while another process boots or ends the home's stack; 60 s by default. */
  busyPatienceMs?: number;
}
