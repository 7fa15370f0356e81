import { fileURLToPath } from 'node:url';
import { StoreUrlError } from './errors.ts';

/** `path` is `:memory:` for a store private to this process. */
export type StoreLocation = { kind: 'postgres' } | { kind: 'file'; path: string };

export type StoreKind = StoreLocation['kind'];

/**
 * Where a store is kept.
 *
 * @param url `file:/abs/path.sqlite`, `file:relative/path.sqlite`, `file::memory:` or `postgres://user:password@host/database`
 * @throws StoreUrlError for any other form
 */
export function storeLocation(url: string): StoreLocation {
  if (url.startsWith('postgres://') || url.startsWith('postgresql://')) return { kind: 'postgres' };
  const path = url.startsWith('file://') ? fileURLToPath(url) : url.slice('file:'.length);
  if (!url.startsWith('file:') || path === '') throw new StoreUrlError();
  return { kind: 'file', path };
}
