import { createPrivateKey, sign } from 'node:crypto';
import { expect, it } from 'vitest';
import { isKeyToken, keyOfToken, keyToken } from '../../../src/people/signing/key-token.ts';
import { credentialId } from '../../../src/people/signing/signing.ts';
import { signingPerson } from '../../support/people.ts';

const alice = signingPerson('alice', ['maker']);
const bob = signingPerson('bob', ['maker']);
const HERE = 'https://gateway.example';
const NOW = 1_800_000_000_000;

/** A token with these parts, signed by alice. */
function forged(header: object, claims: object): string {
  const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  const signed = `${encoded(header)}.${encoded(claims)}`;
  return `${signed}.${sign(null, Buffer.from(signed), createPrivateKey(alice.privateKey)).toString('base64url')}`;
}

const HEADER = { alg: 'EdDSA', typ: 'JWT', kid: credentialId(alice.publicKey) };
const CLAIMS = { aud: HERE, iat: NOW / 1_000, exp: NOW / 1_000 + 60 };
const counts = (token: string, now = NOW, key = alice.publicKey): boolean => isKeyToken(token, key, [HERE], now);

it('counts for its key, at the gateway it names, for a minute', () => {
  const token = keyToken(alice.privateKey, HERE, NOW);
  expect(keyOfToken(token)).toBe(credentialId(alice.publicKey));
  expect(counts(token)).toBe(true);
  expect(counts(token, NOW + 100_000)).toBe(true);
  expect(counts(token, NOW + 121_000)).toBe(false);
  expect(counts(token, NOW - 61_000)).toBe(false);
  expect(counts(token, NOW, bob.publicKey)).toBe(false);
  expect(isKeyToken(token, alice.publicKey, ['https://other.example'], NOW)).toBe(false);
  expect(isKeyToken(token, alice.publicKey, [], NOW)).toBe(false);
});

it.each([
  ['lives longer than a minute', HEADER, { ...CLAIMS, exp: CLAIMS.iat + 61 }],
  ['names no gateway', HEADER, { iat: CLAIMS.iat, exp: CLAIMS.exp }],
  ['names several', HEADER, { ...CLAIMS, aud: [HERE] }],
  ['has no end', HEADER, { aud: HERE, iat: CLAIMS.iat }],
  ['has an end in words', HEADER, { ...CLAIMS, exp: `${CLAIMS.exp}` }],
])('does not count where it %s', (_what, header, claims) => {
  expect(counts(forged(HEADER, CLAIMS))).toBe(true);
  expect(counts(forged(header, claims))).toBe(false);
});

it.each([
  ['none', { ...HEADER, alg: 'none' }],
  ['HS256', { ...HEADER, alg: 'HS256' }],
  ['no key', { alg: 'EdDSA' }],
])('is no token of a key where it says %s', (_what, header) => {
  expect(keyOfToken(forged(header, CLAIMS))).toBeUndefined();
});

it.each(['', 'token', 'a.b', 'a.b.c', '.'.repeat(40), `${'e30.'.repeat(3)}`])('%j is none', (text) => {
  expect(keyOfToken(text)).toBeUndefined();
  expect(counts(text)).toBe(false);
});

it('does not count once a part of it is another one', () => {
  const [header = '', claims = '', signature = ''] = keyToken(alice.privateKey, HERE, NOW).split('.');
  const other = Buffer.from(JSON.stringify({ ...CLAIMS, exp: CLAIMS.exp - 1 })).toString('base64url');
  expect(counts(`${header}.${other}.${signature}`)).toBe(false);
  expect(counts(`${header}.${claims}.${signature}.${signature}`)).toBe(false);
  expect(counts(`${header}.${claims}.`)).toBe(false);
});
