import type { z } from 'zod';
import { Problem } from '../../domain/problem.ts';
import type { CallerAccess } from './route-access.ts';

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

/** What answers at the address of a gateway is none. */
export const noGateway = (): Problem =>
  new Problem('usage', 'no-gateway', 'What answers there does not send what was asked for.', {
    hint: 'Check PAYOUTS_GATEWAY_URL, and that the gateway is of the version of this command.',
  });
