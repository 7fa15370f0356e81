import { expect, it } from 'vitest';
import { holdsCardNumber, isCardNumber, isMerchantRequestId } from '../../src/domain/card-number.ts';
import { cardRequestId, referenceOf } from '../../src/domain/identity.ts';
import { growth } from '../support/growth.ts';

it.each([
  ['4012888888881881', true],
  ['378282246310005', true],
  ['4012888888881882', false],
  ['4012 8888 8888 1881', false],
  ['18', false],
  ['0'.repeat(20), false],
])('%s is a card number: %s', (text, is) => {
  expect(isCardNumber(text)).toBe(is);
});

it.each([
  ['4012888888881881', true],
  ['the card 4012 8888 8888 1881, 03/39', true],
  ['4012 - 8888 - 8888 - 1881', true],
  ['3782.822463.10005', true],
  ['Kevin4012888888881881x', true],
  ['order 4711 4012-8888-8888-1881 123', true],
  ['4012\u20118888\u20118888\u20111881', true],
  ['5555555555554444', true],
  ['2223003122003222', true],
  ['6011000990139424', true],
  ['4222222222222', true],
  ['2720990000000007', true],
  ['2721000000000004', false],
  ['2220990000000004', false],
  ['1000000000008', false],
  ['4012888888881882', false],
  ['40128888 / 88881881', false],
  ['40128888888818814012888888881881', false],
  ['401288888885', false],
  ['paid on 2026-03-31T17:00:00Z, call 020 7946 0958', false],
  ['40128888-8888-1881-9000-000000000000', false],
  ['a4012888888881881b00000000000000', false],
  ['a4012888888881881b0000000000000g', true],
  ['', false],
])('"%s" holds a card number: %s', (text, holds) => {
  expect(holdsCardNumber(text)).toBe(holds);
});

it.each(['1 ', '0', '4000 '])('a text of many "%s" is searched in work that grows with it', (piece) => {
  // Eight times for eight times the text; a search of the rest from every place would take sixty-four.
  const search = (pieces: number) => expect(holdsCardNumber(piece.repeat(pieces))).toBe(false);
  expect(growth(search, 100, 800)).toBeLessThan(24);
});

it.each([
  ['order-4711', true],
  ['A.b_c~1', true],
  ['x'.repeat(64), true],
  ['4012888888881882', true],
  ['0199f3a1-4012-7888-8888-188100000000', true],
  // What is sent for a payout is recorded under its reference, and for a card payment under its id.
  [referenceOf('u-1001', 'INV-7'), false],
  [cardRequestId('order-4711', 'create', 1), false],
  ['', false],
  ['x'.repeat(65), false],
  ['a/b', false],
  ['a b', false],
  ['a\u0000', false],
  ['..', false],
  ['4012888888881881', false],
  ['order-4012888888881881', false],
  ['4012_8888_8888_1881', false],
  ['order~4012-8888-8888-1881', false],
])('%s is a merchant_request_id: %s', (text, is) => {
  expect(isMerchantRequestId(text)).toBe(is);
});
