import type { Client } from '@temporalio/client';
import { z } from 'zod';
import type { Bank } from '../../bank/bank.ts';
import { Problem } from '../../domain/problem.ts';
import type { App, StoreReader, TemporalUi } from '../../platform/app.ts';
import { ANSWER_MS } from '../../platform/temporal/worker-answer.ts';
import type { BatchRecord, PayoutRecord } from '../../store/store.ts';
import { unknownId } from '../find-target.ts';
import type { Caller } from './callers.ts';
import { hasControls } from './documents.ts';
import { maySee, maySeePayout } from './may-see.ts';
import type { CallerAccess } from './route-access.ts';
import { asTheyAre, type Words } from './words.ts';

/**
 * One thing that people read or decide: a route under `/v1`, and what a command does in place. Every answer is plain JSON.
 *
 * @template Place where it is carried out: store, bank, Temporal and the caller
 */
export interface Operation<Place, Input extends z.ZodObject = z.ZodObject, Answer extends object = object> {
  method: 'GET' | 'POST';
  /** Members of the input named `:name` in the path are taken from there; the others from the query, for POST from the body. */
  path: `/v1/${string}`;
  tag: string;
  summary: string;
  description?: string;
  access: CallerAccess;
  input: Input;
  /** For the OpenAPI page. */
  answer: z.ZodType;
  /** Media type of an answer that is text in pieces (an `AsyncIterable<string>`); absent: it is JSON. */
  type?: string;
  /** For the command only, which needs it to show the answers of other operations; not in the OpenAPI document. */
  hide?: true;
  /** Takes the header Idempotency-Key. */
  keyed?: true;
  /** @param key of a request that may come again: the same for its caller and Idempotency-Key */
  run(place: Place, input: z.output<Input>, key?: string): Promise<Answer>;
}

/** Names of the members of the input that are in the path. */
export const namesInPath = (path: string): string[] => [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);

export const JSON_LINES = 'application/jsonl; charset=utf-8';

export async function* jsonLines(lines: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const line of lines) yield `${JSON.stringify(line)}\n`;
}

/** The objects of `jsonLines`, however the text was cut. Throws a `Problem` for anything else: a gateway chooses what it answers. */
export async function* linesOf<Line extends object>(pieces: AsyncIterable<string>): AsyncGenerator<Line, void> {
  let held = '';
  for await (const piece of pieces) {
    const [first = '', ...others] = piece.split('\n');
    held += first;
    for (const other of others) {
      yield lineIn(held);
      held = other;
    }
  }
  if (held !== '') throw noGateway();
}

function lineIn<Line extends object>(text: string): Line {
  try {
    const line: unknown = JSON.parse(text);
    if (typeof line === 'object' && line !== null) return line as Line;
  } catch {}
  throw noGateway();
}

/** What answers at the address of a gateway is not one. */
export const noGateway = (): Problem =>
  new Problem('usage', 'no-gateway', 'What answers there does not send what was asked for.', {
    hint: 'Check PAYOUTS_GATEWAY_URL, and that the gateway is of the version of this command.',
  });

/**
 * Where an operation is carried out: in the gateway, for the caller of a request, or by a command in place, whose caller has no
 * person and may see everything. Bank and Temporal are opened when first asked for.
 */
export interface Place extends StoreReader {
  caller: Caller;
  client(): Promise<Client>;
  bank(): Promise<Bank>;
  /** A bank only to read from; nothing is started for it. */
  readingBank<T>(use: (bank: Bank) => Promise<T>): Promise<T>;
  /** The bank, if it can be asked without starting anything; otherwise undefined. */
  liveBank(): Promise<Bank | undefined>;
  /** Where links point. */
  ui(): Promise<TemporalUi>;
  /** The same, if it can be expected to answer; otherwise undefined. */
  liveUi(): Promise<TemporalUi | undefined>;
  /** The process that takes payouts in one step; a command in place asks in between. */
  app(): Promise<App>;
  /** Addresses of the reports of a batch; absent: their paths. */
  linkOf?: (batchId: string) => (file: string) => string;
  /** In whose words texts for people are said; absent: those of the command. */
  words?: Words;
  /** How long an answer of a worker is awaited, ms. */
  answerMs: number;
  /** Waits until workflows have done what they can, where they end with this process; elsewhere it returns at once. */
  carriedOut(workflowIds: readonly string[]): Promise<void>;
}

/** For the caller of a request to the gateway; bank and Temporal are open. */
export const placeOf = (gateway: App, caller: Caller, words: Words = asTheyAre): Place => ({
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
  linkOf: reportLink,
  words,
});

/** Of a report of a batch, relative to the gateway. */
export const reportLink = (batchId: string) => (file: string) =>
  `/v1/batches/${encodeURIComponent(batchId)}/reports/${file}`;

export type OperationHere<Input extends z.ZodObject = z.ZodObject, Answer extends object = object> = Operation<
  Place,
  Input,
  Answer
>;

/** Keeps the types of input and answer for the caller. */
export const operation = <Input extends z.ZodObject, Answer extends object>(
  it: OperationHere<Input, Answer>,
): OperationHere<Input, Answer> => it;

// Of a query everything is text; a command in place gives the values themselves.

/** An id or a part of one. PostgreSQL allows no NUL in texts. */
export const pathId = z
  .string()
  .min(1)
  .max(1_000)
  .refine((text) => !hasControls(text), 'must not contain control characters');

const yesOrNo = z.union([z.boolean(), z.stringbool()], { error: 'must be true or false' });
export const flag = yesOrNo.default(false);

/** Comma-separated. */
export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.preprocess((given) => (typeof given === 'string' ? given.split(',') : given), z.array(item));

export const wholeNumber = (least: number, most: number) => z.coerce.number().int().min(least).max(most);

/** Absent is not the same as false. */
export const optionalFlag = yesOrNo.optional();

export const shortText = pathId.max(200);

/** Throws a `Problem` if there is no such batch, or the caller may not see it. */
export async function visibleBatch({ store, caller }: Place, batchId: string): Promise<BatchRecord> {
  const batch = await store.batch(batchId);
  if (batch !== undefined && (await maySee(caller, store, batch))) return batch;
  throw unknownId(batchId);
}

/** Throws a `Problem` if there is no such payout, or the caller may not see it. */
export async function visiblePayout({ store, caller }: Place, reference: string): Promise<PayoutRecord> {
  const payout = await store.payout(reference);
  if (payout !== undefined && maySeePayout(caller, payout)) return payout;
  throw unknownId(reference);
}
