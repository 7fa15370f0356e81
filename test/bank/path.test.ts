import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pathId, requestTarget } from '../../src/bank/path.ts';

const HOST = 'https://bank.test';
const FIXED = ['payment', 'fee', 'required-details', 'transfer', 'fx', 'quote', 'approve', 'reject', 'Payment', 'v1'];
const id = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('.', '..', '%2e%2e', '..%2f', 'a/b', 'a\\b', 'a?b', 'a#b', 'a;b', 'a b', '', ...FIXED),
  fc.stringMatching(/^[A-Za-z0-9._:-]{1,40}$/),
);

/** The target as a server sees it, after its URL parser removed dot segments. */
const segmentsOf = (target: string): string[] =>
  new URL(HOST + target).pathname.split('/').slice(1).map(decodeURIComponent);

test('an id never changes the route: it is refused, or it is exactly one segment of the route meant', () => {
  fc.assert(
    fc.property(id, (value) => {
      let target: string;
      try {
        target = requestTarget('/v1/banking/transactions/{order_id}/approve', { order_id: value }, { page: 1 });
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
        return;
      }
      expect(segmentsOf(target)).toEqual(['v1', 'banking', 'transactions', value, 'approve']);
      expect(FIXED.map((name) => name.toLowerCase())).not.toContain(value.toLowerCase());
      expect(new URL(HOST + target).search).toBe('?page=1');
    }),
    { numRuns: 1_000 },
  );
});

test('a query value never adds a parameter', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (uid, currency) => {
      const { searchParams, pathname } = new URL(
        HOST + requestTarget('/v1/banking/transactions', {}, { uid, currency }),
      );
      expect(pathname).toBe('/v1/banking/transactions');
      expect([...searchParams]).toEqual([
        ['uid', uid.toWellFormed()],
        ['currency', currency.toWellFormed()],
      ]);
    }),
  );
});

test.each(['ord_01HZX', '2f6e0c1d-5b94', 'a.b', '...', 'acc:usd', 'user@corp', 'bGlr+ZQ=='])(
  'takes the id %s',
  (value) => {
    expect(decodeURIComponent(pathId(value))).toBe(value);
  },
);

test.each(['', '.', '..', 'a/b', 'required-details', 'APPROVE', 'x'.repeat(129), 'é', 'a\n'])(
  'refuses the id %j',
  (value) => {
    expect(() => pathId(value)).toThrow(RangeError);
  },
);

test('what is undefined is left out of the query', () => {
  expect(requestTarget('/v1/banking/accounts', {}, { page: undefined })).toBe('/v1/banking/accounts');
});
