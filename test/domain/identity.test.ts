import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { payloadDigest, referenceOf } from '../../src/domain/identity.ts';
import type { PayoutInstruction } from '../../src/domain/instruction.ts';

const base: PayoutInstruction = {
  id: 'INV-1',
  uid: 'u-1',
  account_id: 'a',
  amount: '10.50',
  currency: 'USD',
  beneficiary_id: 'b',
};

describe('a reference', () => {
  it('is the contracted UUIDv5, so that anybody can compute it', () => {
    // python3: uuid.uuid5(uuid.UUID('6b1f4a3e-8d52-4c0b-9a77-2f6e0c1d5b94'), 'u-1/INV-1/payment/0')
    expect(referenceOf('u-1', 'INV-1')).toBe('ee8a3637-6c08-5c79-9669-d8648b546ceb');
  });

  it('differs by uid, id, kind and generation', () => {
    const all = [
      referenceOf('u-1', 'INV-1'),
      referenceOf('u-2', 'INV-1'),
      referenceOf('u-1', 'INV-2'),
      referenceOf('u-1', 'INV-1', 'exchange'),
      referenceOf('u-1', 'INV-1', 'payment', 1),
    ];
    expect(new Set(all).size).toBe(all.length);
  });
});

describe('the payload digest', () => {
  it('does not depend on the order of the columns, on blanks or on how the amount is written', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(Object.entries(base), { minLength: Object.keys(base).length }), (entries) => {
        expect(payloadDigest(Object.fromEntries(entries) as PayoutInstruction)).toBe(payloadDigest(base));
      }),
    );
    expect(payloadDigest({ ...base, amount: '10.5', note: '' })).toBe(payloadDigest(base));
  });

  it('changes with every other field, and not with the identity', () => {
    expect(payloadDigest({ ...base, amount: '10.51' })).not.toBe(payloadDigest(base));
    expect(payloadDigest({ ...base, note: 'x' })).not.toBe(payloadDigest(base));
    expect(payloadDigest({ ...base, id: 'INV-2', uid: 'u-9' })).toBe(payloadDigest(base));
  });
});
