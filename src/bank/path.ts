/** Request targets. Ids come from files or from the bank and must never change which route is called. */

import { PATH_ID } from '../domain/text.ts';

/** Every fixed segment of the interface's routes (section 4); as an id it would name another route. */
const FIXED_SEGMENTS: ReadonlySet<string> = new Set(
  'v1 banking accounts users beneficiaries required-details transactions payment transfer fx fee quote approve reject auth api acq 3ds setup'.split(
    ' ',
  ),
);

/** Whether an id can be asked for at all. */
export const isPathId = (value: string): boolean =>
  PATH_ID.test(value) && value !== '.' && value !== '..' && !FIXED_SEGMENTS.has(value.toLowerCase());

/** An id as one path segment, percent-encoded. Throws a RangeError (without the value) for anything else. */
export function pathId(value: string): string {
  if (!isPathId(value)) {
    throw new RangeError(
      'an id in the path is empty, too long, a route name, or contains characters that ids cannot have',
    );
  }
  return encodeURIComponent(value);
}

export type QueryValues = Readonly<Record<string, string | number | undefined>>;

/**
 * Fills a route template (`/v1/banking/accounts/{account_id}`) with ids and appends the query without undefined values. Throws a
 * RangeError if an id is missing or refused by `pathId`.
 */
export function requestTarget(
  template: string,
  ids: Readonly<Record<string, string>> = {},
  query: QueryValues = {},
): string {
  const path = template.replace(/\{(\w+)\}/g, (_placeholder, name: string) => pathId(ids[name] ?? ''));
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  return parameters.size === 0 ? path : `${path}?${parameters}`;
}
