import { fileURLToPath } from 'node:url';
import { Problem } from '../../domain/problem.ts';

/** `path` is `:memory:` for a store private to this process. */
export type StoreLocation = { kind: 'postgres' } | { kind: 'file'; path: string };

export type StoreKind = StoreLocation['kind'];

/**
 * Where a store is kept.
 *
 * @param url `file:/abs/path.sqlite`, `file:relative/path.sqlite`, `file::memory:` or `postgres://user:password@host/database`
 * @throws Problem `store-url` for any other form
 */
export function storeLocation(url: string): StoreLocation {
  if (url.startsWith('postgres://') || url.startsWith('postgresql://')) return { kind: 'postgres' };
  const path = url.startsWith('file://') ? fileURLToPath(url) : url.slice('file:'.length);
  if (!url.startsWith('file:') || path === '') {
    // It is not repeated, as it may hold a password.
    const message = 'the store URL must be "file:<path>", "file::memory:" or "postgres://..." (PAYOUTS_STORE_URL)';
    throw new Problem('set-up', 'store-url', message, { hint: 'Correct PAYOUTS_STORE_URL.' });
  }
  return { kind: 'file', path };
}
