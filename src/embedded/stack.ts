import type { TemporalAddress } from '../temporal/connection.ts';
import type { StackPorts } from './ports.ts';

/** What a command works with: a Temporal service and a bank, embedded or not. */
export interface Stack extends StackAddresses {
  /** Base URL of the gateway that was started with the stack; null without one. */
  gatewayUrl: string | null;
  /** True when this process keeps the embedded parts up. */
  owner: boolean;
  /** Resolves with the reason when an embedded part of this process ends by itself; never rejects. */
  failure: Promise<Error>;
  /**
   * Leaves the stack. Its owner first waits for every process that joined, then ends the worker before what it works
   * with; `abandonFollowers` does not wait.
   */
  close(options?: { abandonFollowers?: boolean }): Promise<void>;
}

export interface StackAddresses extends TemporalAddress {
  /** Web UI for links; null when a cluster's is not known (PAYOUTS_UI_URL). */
  uiUrl: string | null;
  /** Base URL of the bank. */
  apiUrl: string;
}

export interface Part {
  close(): Promise<void>;
  /** Resolves when the part ends by itself. */
  failure?: Promise<Error>;
}

type StartSandbox = (options: { file: string; port: number }) => Promise<Part & { url: string }>;

type StartWorker = (addresses: StackAddresses) => Promise<Part>;

/** `port`: one that is free, for a gateway whose port nobody has named. */
export type StartGateway = (addresses: StackAddresses, port?: number) => Promise<Part & { url: string }>;

/**
 * `serve`: keep one up, never join (`dev`). `join-or-boot`: use the one that is up, else boot one. `join-only`: never
 * boot (`run --detach`).
 */
export type StackMode = 'serve' | 'join-or-boot' | 'join-only';

export interface StackOptions {
  mode: StackMode;
  startSandbox: StartSandbox;
  /** Called for the embedded server only: with a cluster, `payouts worker` runs the workers. */
  startWorker: StartWorker;
  /** Absent: the stack is booted without a gateway. */
  startGateway?: StartGateway;
  ports?: StackPorts;
  /** How long to wait while another process boots or ends the home's stack; default 60 s. */
  busyPatienceMs?: number;
}
