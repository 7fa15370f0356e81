import { expect, it, onTestFinished } from 'vitest';
import type { Books } from '../../../src/sandbox/bank/books.ts';
import { openBooks } from '../../../src/sandbox/bank/open-books.ts';
import { listOrders } from '../../../src/sandbox/bank/order-list.ts';
import type { Profile } from '../../../src/sandbox/bank/profile.ts';
import type { Parameters } from '../../../src/sandbox/sandbox-database.ts';

const ADD = `
  WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :count)
  INSERT INTO orders (order_id, uid, reference, type, direct, status, payment_type, account_id, currency, amount, fee,
    needs_audit, outcome, money, created_at, updated_at)
  SELECT :name || i, 'u-1001', :name || i, 'PAYMENT', 'OUT', 'SUBMITTED', 'local', 'acc-u1001-usd', 'USD', 100, 0,
    0, 'complete', 'held', i / 7, 0 FROM n`;

/** Several orders have the same time. */
function booksOf(count: number, profile: Partial<Profile> = {}): Books & { add(name: string, count?: number): void } {
  const books = openBooks({ file: ':memory:', profile }, () => 1_000_000);
  onTestFinished(() => books.db.close());
  const add = (name: string, many = 1): void => void books.db.run(ADD, { name, count: many });
  add('first-', count);
  return { ...books, add };
}

const page = (books: Books, number: number, size = 20) =>
  listOrders(books, { uid: 'u-1001', currency: 'USD', page: `${number}`, page_size: `${size}` });

const idsOf = (books: Books, number: number, size?: number): string[] =>
  page(books, number, size).records.map(({ order_id }) => order_id);

it.each(['newest', 'oldest'] as const)('pages read one after the other join to the whole, %s first', (pageOrder) => {
  const books = booksOf(95, { pageOrder, pageCap: 100 });
  const pages = [1, 2, 3, 4, 5].flatMap((number) => idsOf(books, number));
  expect(pages).toHaveLength(95);
  expect(pages).toEqual(idsOf(books, 1, 100));
  // Asked for in another order, nothing is found from where a page ended.
  expect([3, 1, 5, 2, 4].flatMap((number) => idsOf(books, number)).sort()).toEqual([...pages].sort());
});

it('an order that comes between two pages moves the others, and counts', () => {
  const books = booksOf(60, { pageCap: 100 });
  const first = idsOf(books, 1);
  books.add('late-');
  books.db.run('UPDATE orders SET created_at = 500 WHERE order_id = :id', { id: 'late-1' });
  const second = page(books, 2);
  expect(second.total).toBe(61);
  expect(second.records[0]?.order_id).toBe(first.at(-1));
  expect(page(books, 1).records[0]?.order_id).toBe('late-1');
});

it('skips no orders to find the page behind the one before, and counts each once', () => {
  const books = booksOf(500, { pageCap: 100 });
  const asked: { sql: string; parameters: Parameters | undefined }[] = [];
  for (const name of ['one', 'all'] as const) {
    const call = books.db[name].bind(books.db) as (sql: string, parameters?: Parameters) => never;
    books.db[name] = ((sql: string, parameters?: Parameters) => {
      asked.push({ sql, parameters });
      return call(sql, parameters);
    }) as never;
  }
  for (let number = 1; number <= 25; number += 1) page(books, number);
  expect(asked.filter(({ parameters }) => 'offset' in (parameters ?? {}) && parameters?.offset !== 0)).toEqual([]);
  expect(asked.filter(({ sql }) => sql.includes('COUNT(*)'))).toHaveLength(1);
});
