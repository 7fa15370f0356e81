import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ORDER_STATUSES } from '../../../src/bank/schemas/order-status.ts';
import type { Books } from '../../../src/sandbox/bank/books.ts';
import { checkConservation, deposit } from '../../../src/sandbox/bank/ledger.ts';
import { openBooks } from '../../../src/sandbox/bank/open-books.ts';
import {
  allOrders,
  approveOrder,
  enterStatus,
  refundOrder,
  rejectOrder,
  takeDueSteps,
} from '../../../src/sandbox/bank/order-book.ts';
import { exchange, pay, transfer } from '../../../src/sandbox/bank/place-orders.ts';
import { Refusal } from '../../../src/sandbox/requests.ts';
import { SandboxClock } from '../../../src/sandbox/sandbox.ts';
import { START } from '../running-sandbox.ts';

const USERS = ['u1001', 'u1002'] as const;
const CURRENCIES = ['usd', 'eur', 'jpy'] as const;
const NOTES = [null, 'sandbox:fail', 'sandbox:close', 'sandbox:stuck', 'sandbox:refund', 'sandbox:audit'] as const;

/** Small and huge amounts, so that both plenty and shortage come up. */
const amount = fc
  .oneof(fc.integer({ min: 1, max: 20_000 }), fc.integer({ min: 500_000, max: 100_000_000 }))
  .map(String);
const user = fc.constantFrom(...USERS);
const currency = fc.constantFrom(...CURRENCIES);
const options = fc.record({ note: fc.constantFrom(...NOTES), expires: fc.boolean() });
const pick = fc.nat({ max: 30 });

const step = fc.oneof(
  fc.record({ kind: fc.constant('pay' as const), user, currency, amount, options }),
  fc.record({ kind: fc.constant('transfer' as const), user, to: user, currency, amount, options }),
  fc.record({ kind: fc.constant('exchange' as const), user, currency, buy: currency, amount, options }),
  fc.record({ kind: fc.constant('advance' as const), ms: fc.integer({ min: 0, max: 3_000 }) }),
  fc.record({ kind: fc.constant('decide' as const), pick, approve: fc.boolean() }),
  fc.record({ kind: fc.constant('status' as const), pick, status: fc.constantFrom(...ORDER_STATUSES, 'ODD') }),
  fc.record({ kind: fc.constant('refund' as const), pick, amount: fc.bigInt({ min: 1n, max: 50_000n }) }),
  fc.record({ kind: fc.constant('deposit' as const), user, currency, amount: fc.bigInt({ min: 1n, max: 1_000_000n }) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

describe('the books', () => {
  test('keep every law over any sequence of operations', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const clock = new SandboxClock(() => START);
        const books = openBooks({ file: ':memory:' }, clock.now);
        try {
          for (const [index, current] of steps.entries()) {
            takeDueSteps(books);
            unlessRefused(books, () => take(books, clock, current, `reference-${index}`));
            expect(checkConservation(books.db).problems).toEqual([]);
          }
          clock.advance(86_400_000);
          takeDueSteps(books);
          expect(checkConservation(books.db).problems).toEqual([]);
        } finally {
          books.db.close();
        }
      }),
      { numRuns: 60 },
    );
  });

  test('a balance that was tampered with is found', () => {
    const books = openBooks({ file: ':memory:' }, () => START);
    books.db.run(`UPDATE accounts SET available = available + 1 WHERE account_id = 'acc-u1001-usd'`);
    expect(checkConservation(books.db)).toMatchObject({
      ok: false,
      problems: [
        'broken: a balance is the sum of its postings (acc-u1001-usd)',
        'broken: all money of a currency sums to zero (USD)',
      ],
    });
    books.db.close();
  });
});

/** A refusal is an answer like any other; every other error is a bug. */
function unlessRefused(books: Books, work: () => void): void {
  try {
    books.db.transaction(work);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}

function take(books: Books, clock: SandboxClock, current: Step, reference: string): void {
  if (current.kind === 'advance') clock.advance(current.ms);
  else if (current.kind === 'deposit') depositInto(books, current);
  else if (current.kind === 'decide' || current.kind === 'status' || current.kind === 'refund') change(books, current);
  else place(books, current, reference);
}

function depositInto(books: Books, { user, currency, amount }: Extract<Step, { kind: 'deposit' }>): void {
  const account = { accountId: `acc-${user}-${currency}`, currency: currency.toUpperCase() };
  deposit(books.db, { ...account, amount, at: books.now() });
}

function change(books: Books, current: Extract<Step, { kind: 'decide' | 'status' | 'refund' }>): void {
  const order = allOrders(books.db)[current.pick];
  if (order === undefined) return;
  if (current.kind === 'status') enterStatus(books, order, current.status, books.now());
  else if (current.kind === 'refund') refundOrder(books, order, current.amount, books.now());
  else if (current.approve) approveOrder(books, order.order_id);
  else rejectOrder(books, order.order_id, 'no');
}

function place(
  books: Books,
  current: Extract<Step, { kind: 'pay' | 'transfer' | 'exchange' }>,
  reference: string,
): void {
  const { user, currency, amount, options } = current;
  const account = `acc-${user}-${currency}`;
  const expired_at = options.expires ? books.now() + 1_000 : null;
  const request = { reference, amount, note: options.note, reason: null, expired_at };
  if (current.kind === 'pay') {
    const uid = `u-${user.slice(1)}`;
    const terms = {
      uid,
      account_id: account,
      beneficiary_id: `ben-${user}-${currency}-local`,
      currency: currency.toUpperCase(),
    };
    pay(books, { ...request, ...terms });
  } else if (current.kind === 'transfer') {
    transfer(books, {
      ...request,
      source_account_id: account,
      destination_account_id: `acc-${current.to}-${currency}`,
    });
  } else {
    const buy_account = `acc-${user}-${current.buy}`;
    exchange(books, { ...request, sell_account: account, buy_account, currency: currency.toUpperCase() });
  }
}
