import { expect, it } from 'vitest';
import { isCardNumber, isMerchantRequestId } from '../../src/domain/card-number.ts';

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
  ['order-4711', true],
  ['A.b_c~1', true],
  ['x'.repeat(64), true],
  ['4012888888881882', true],
  ['', false],
  ['x'.repeat(65), false],
  ['a/b', false],
  ['a b', false],
  ['..', false],
  ['4012888888881881', false],
])('%s is a merchant_request_id: %s', (text, is) => {
  expect(isMerchantRequestId(text)).toBe(is);
});
