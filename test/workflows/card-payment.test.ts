import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import type { Position } from '../../src/workflows/card/position.ts';
import { type CardProduct, startCardProduct } from '../support/card-product.ts';
import { CARD_ROUTES, type CardRoute } from '../support/card-routes.ts';
import { recordHistory } from '../support/record-history.ts';

/** Every route of a card payment on a real Temporal server, through the gateway, at the sandbox's acquirer. */

async function travels(product: CardProduct, { name, travel, ends, because, captured }: CardRoute): Promise<void> {
  const handle = await travel(product, name);
  const result = await handle.result();
  await recordHistory(handle, 'cardPayment', name);
  expect(result).toMatchObject({ ...ends, merchant_request_id: name });
  expect(result.reason?.code).toBe(because);
  const payments = await product.paymentsOf(name);
  expect(payments.filter(({ status }) => status === 'SUCCEEDED')).toHaveLength(captured);
  const record = await product.store.cards.get(name);
  expect(record).toMatchObject({ state: result.state, paymentId: result.payment_id, contradictedAt: null });
}

/** As JSON can hold it; a member that JSON cannot hold becomes `never`. */
type Plain<T> = unknown extends T
  ? T
  : T extends ((...args: never) => unknown) | ReadonlyMap<unknown, unknown> | ReadonlySet<unknown> | Date | bigint
    ? never
    : { [Member in keyof T]: Plain<T[Member]> };

describe('a card payment', () => {
  it('in flight is one position of plain values, checked by the compiler', () => {
    expectTypeOf<Plain<Position>>().toEqualTypeOf<Position>();
  });

  let product: CardProduct;
  beforeAll(async () => {
    product = await startCardProduct();
  });
  afterAll(() => product[Symbol.asyncDispose]());

  it.concurrent.each(CARD_ROUTES.filter(({ env }) => env === undefined))('takes the route $name', (route) =>
    travels(product, route),
  );
});

describe('a card payment with a product of its own', () => {
  it.concurrent.each(CARD_ROUTES.filter(({ env }) => env !== undefined))('takes the route $name', async (route) => {
    await using product = await startCardProduct(route.env);
    await travels(product, route);
  });
});
