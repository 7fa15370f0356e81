import { describe, expect, it } from 'vitest';
import { isDecision, type Policy, type SignedDecision, type Statement } from '../../../src/domain/authority.ts';
import { isSigned } from '../../../src/people/signing/signing.ts';
import { type AssertedAt, signedByPasskey, softwarePasskey } from '../../support/software-passkey.ts';
import { STATEMENT as SAMPLE } from './sample-statement.ts';

const ORIGIN = 'https://payouts.example.com';
const bob = softwarePasskey();
const mallory = softwarePasskey();
const POLICY: Policy = {
  hash: 'h',
  text: '',
  origin: ORIGIN,
  people: [{ name: 'bob', roles: ['approver'], scope: {}, credentials: [bob.credential], tokens: [] }],
  approvals: [],
  approvalTtlMs: 3_600_000,
  limits: [],
};
const STATEMENT: Statement = { ...SAMPLE, remark: 'as agreed' };

describe('a decision signed by a passkey', () => {
  const signed = signedByPasskey(bob, STATEMENT, { origin: ORIGIN });

  it('is what its person has signed', async () => {
    expect(isDecision(signed)).toBe(true);
    expect(await isSigned(POLICY, signed)).toBe(true);
  });

  it.each(Object.keys(STATEMENT) as (keyof Statement)[])('is void once its "%s" is another one', async (member) => {
    const value = STATEMENT[member];
    const other = typeof value === 'number' ? value + 1 : `${value}x`;
    expect(await isSigned(POLICY, { ...signed, [member]: other } as SignedDecision)).toBe(false);
  });

  it.each<[string, AssertedAt]>([
    ['on a page of another origin', { origin: 'https://payouts.example.org', rpId: 'payouts.example.com' }],
    ['for another relying party', { origin: ORIGIN, rpId: 'example.com' }],
    ['without its holder being verified', { origin: ORIGIN, flags: 1 }],
    ['without its holder being there', { origin: ORIGIN, flags: 4 }],
    ['as it was made, and not as it is used', { origin: ORIGIN, type: 'webauthn.create' }],
  ])('is nothing when it was signed %s', async (_what, at) => {
    expect(await isSigned(POLICY, signedByPasskey(bob, STATEMENT, at))).toBe(false);
  });

  it('is nothing when another passkey has signed it, under any id', async () => {
    const forged = signedByPasskey(mallory, STATEMENT, { origin: ORIGIN });
    expect(await isSigned(POLICY, forged)).toBe(false);
    expect(await isSigned(POLICY, { ...forged, credential: signed.credential })).toBe(false);
  });

  it.each(['', 'AAAA', 'a.b.c', '..', '!.!.!'])('is nothing with the signature "%s"', async (signature) => {
    expect(await isSigned(POLICY, { ...signed, signature })).toBe(false);
  });

  it('is nothing under a policy that names no origin', async () => {
    const { origin: _, ...policy } = POLICY;
    expect(await isSigned(policy, signed)).toBe(false);
  });
});
