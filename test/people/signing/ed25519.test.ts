import { describe, expect, it } from 'vitest';
import {
  type Policy,
  refusalOfStatement,
  type SignedDecision,
  type Statement,
  scopeFactsOf,
} from '../../../src/domain/authority.ts';
import { credentialId, isSigned, newKey, publicKeyOf, signStatement } from '../../../src/people/signing/signing.ts';
import { AT, STATEMENT } from './sample-statement.ts';

const bob = newKey();
const mallory = newKey();
const POLICY: Policy = {
  hash: 'h',
  text: '',
  people: [
    {
      name: 'bob',
      roles: ['approver'],
      scope: { currencies: ['EUR'] },
      credentials: [{ id: credentialId(bob.publicKey), type: 'ed25519', publicKey: bob.publicKey }],
      tokens: [],
    },
  ],
  approvals: [],
  approvalTtlMs: 3_600_000,
  limits: [],
};
const ROW = { id: 'i', uid: 'u', account_id: 'a', amount: '1.00', currency: 'EUR' };
const HERE = { storeId: 'store-1', now: AT + 1, touches: scopeFactsOf('payout', ROW) };

describe('a signed decision', () => {
  const signed = signStatement(STATEMENT, bob.privateKey);

  it('is what its person has signed', async () => {
    expect(publicKeyOf(bob.privateKey)).toBe(bob.publicKey);
    expect(await isSigned(POLICY, signed)).toBe(true);
    expect(refusalOfStatement(POLICY, signed, HERE)).toBeUndefined();
  });

  it.each(Object.keys(STATEMENT) as (keyof Statement)[])('is void once its "%s" is another one', async (member) => {
    const value = STATEMENT[member];
    const other = typeof value === 'number' ? value + 1 : `${value}x`;
    expect(await isSigned(POLICY, { ...signed, [member]: other } as SignedDecision)).toBe(false);
  });

  it('is nothing when somebody else has signed it, under any credential', async () => {
    const forged = signStatement(STATEMENT, mallory.privateKey);
    expect(await isSigned(POLICY, forged)).toBe(false);
    expect(await isSigned(POLICY, { ...forged, credential: signed.credential })).toBe(false);
    expect(await isSigned(POLICY, { ...signed, signature: '' })).toBe(false);
    expect(await isSigned(POLICY, { ...signed, signature: 'AAAA' })).toBe(false);
  });

  it.each<[string, Partial<Statement>, Partial<typeof HERE>, string]>([
    ['a person whom the policy does not name', { subject: 'mallory' }, {}, 'the policy names no such person'],
    ['a role that the person has not', { question: 'resolve' }, {}, 'this needs the role "operator"'],
    [
      'a payout outside the scope',
      {},
      { touches: scopeFactsOf('payout', { ...ROW, currency: 'USD' }) },
      'it is outside the scope that the policy gives this person',
    ],
    ['another store', {}, { storeId: 'store-2' }, 'it was signed for another store'],
    ['a time to come', {}, { now: AT - 60_001 }, 'it was signed in the future'],
    ['a time that is over', {}, { now: AT + 3_600_000 }, 'it has expired'],
    ['a longer life than the policy gives', { expiresAt: AT + 3_600_001 }, {}, 'it has expired'],
    ['a rejection without a remark', { decision: 'reject' }, {}, 'a rejection needs a remark'],
  ])('counts for nothing with %s', (_what, change, here, refusal) => {
    const other = signStatement({ ...STATEMENT, ...change }, bob.privateKey);
    expect(refusalOfStatement(POLICY, other, { ...HERE, ...here })).toBe(refusal);
  });
});
