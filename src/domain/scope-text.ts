import type { Scope } from './authority.ts';

/** A scope in words, by its members. */
export function scopeText({ kinds, uids, accounts, currencies }: Scope): string {
  const parts = [
    ['kind', kinds],
    ['uid', uids],
    ['account', accounts],
    ['currency', currencies],
  ] as const;
  return (
    parts.flatMap(([what, list]) => (list === undefined ? [] : [`${what} ${list.join(' ')}`])).join('; ') ||
    'everything'
  );
}
