import { z } from 'zod';
import { Problem } from '../../domain/problem.ts';
import { PAGE_MAX } from './documents.ts';
import { shortText, wholeNumber } from './operation.ts';

/** Entries of a page, unless more are asked for. */
export const LIMIT = 100;

/** Members of the input of every list that is read page by page. */
export const page = {
  limit: wholeNumber(1, PAGE_MAX).default(LIMIT).describe('a page may hold fewer'),
  after: shortText.optional().describe('`next` of the page before'),
};

export const next = z
  .string()
  .nullable()
  .meta({ id: 'Next', description: '`after` of the next page; null: this is the last one' });

export const encoded = (cursor: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(cursor)).toString('base64url');

/** Throws a `Problem` for what is no cursor. */
export function decoded(text: string): unknown[] {
  try {
    const cursor: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (Array.isArray(cursor)) return cursor;
  } catch {}
  throw noCursor();
}

/** Of a list that is ordered by a time and an id. Throws a `Problem` for another cursor. */
export function placeIn(text: string): [at: number, id: string] {
  const [at, id, ...more] = decoded(text);
  if (Number.isSafeInteger(at) && typeof id === 'string' && more.length === 0) return [Number(at), id];
  throw noCursor();
}

export const noCursor = (): Problem =>
  new Problem('usage', 'cursor-refused', 'This is no place in this list.', {
    hint: 'Send `next` of the page before as `after`, with the same order.',
  });
