import type { Client } from '@temporalio/client';
import type { z } from 'zod';
import type { Bank } from '../../../bank/bank.ts';
import type { App, TemporalUi } from '../../../platform/app.ts';
import type { Config } from '../../../platform/config.ts';
import { ANSWER_MS } from '../../../platform/temporal/worker-answer.ts';
import type { Store } from '../../../store/store.ts';
import type { Caller } from '../callers.ts';
import type { Gateway } from '../gateway-app.ts';
import type { Operation } from '../operation.ts';

/**
 * Where an operation is carried out: in the gateway, for the caller of a request, or by a command in place, whose caller has no
 * person and may see everything. Bank and Temporal are opened when first asked for.
 */
export interface Place {
  config: Config;
  settings: Config['settings'];
  store: Store;
  caller: Caller;
  now(): number;
  client(): Promise<Client>;
  bank(): Promise<Bank>;
  /** A bank to read from before anything is confirmed; nothing is started for it. */
  readingBank<T>(use: (bank: Bank) => Promise<T>): Promise<T>;
  /** The bank, if it can be asked without starting anything; otherwise undefined. */
  liveBank(): Promise<Bank | undefined>;
  /** Where links point. */
  ui(): Promise<TemporalUi>;
  /** The same, if it can be expected to answer; otherwise undefined. */
  liveUi(): Promise<TemporalUi | undefined>;
  /** The process that takes payouts in one step; a command in place asks in between. */
  app(): Promise<App>;
  /** How long an answer of a worker is awaited, ms. */
  answerMs: number;
  /** Waits until workflows have done what they can, where they end with this process; elsewhere it returns at once. */
  carriedOut(workflowIds: readonly string[]): Promise<void>;
}

/** For the caller of a request to the gateway; bank and Temporal are open. */
export const placeOf = (gateway: Gateway, caller: Caller): Place => ({
  config: gateway.config,
  settings: gateway.settings,
  store: gateway.store,
  caller,
  now: () => gateway.now(),
  client: async () => gateway.client,
  bank: async () => gateway.bank,
  readingBank: (use) => use(gateway.bank),
  liveBank: async () => gateway.bank,
  ui: async () => gateway.ui,
  liveUi: async () => gateway.ui,
  app: async () => gateway,
  answerMs: ANSWER_MS,
  carriedOut: async () => {},
});

export type OperationHere<Input extends z.ZodObject = z.ZodObject, Answer extends object = object> = Operation<
  Place,
  Input,
  Answer
>;

/** Keeps the types of input and answer for whoever asks. */
export const operation = <Input extends z.ZodObject, Answer extends object>(
  it: OperationHere<Input, Answer>,
): OperationHere<Input, Answer> => it;
