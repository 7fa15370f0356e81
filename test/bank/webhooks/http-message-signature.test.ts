import { describe, expect, it } from 'vitest';
import { createVerifier } from '../../../src/bank/webhooks/verifier.ts';
import {
  BODY,
  contentDigest,
  delivery,
  type Given,
  messageHeaders,
  messageSignature,
  NOW,
  SECRET,
  settings,
} from './signing.ts';

const OTHER = Buffer.from('another secret');
const SECONDS = NOW / 1_000;
const verifier = createVerifier(settings({ scheme: 'rfc9421', secrets: [OTHER, SECRET] }));
const verdict = (headers: Given, change = {}) => verifier.verify(delivery(headers, change));

/** Signed over what a test names, whatever it is worth. */
function signed(
  components: readonly (readonly [name: string, value: string])[],
  more: Given & { params?: string } = {},
) {
  const { params = `;created=${SECONDS}`, ...headers } = more;
  const parameters = `(${components.map(([name]) => `"${name}"`).join(' ')})${params}`;
  const lines = components.map(([name, value]) => `"${name}": ${value}`);
  return {
    'content-digest': contentDigest(BODY),
    ...headers,
    'signature-input': `s=${parameters}`,
    signature: `s=:${messageSignature(SECRET, lines, parameters)}:`,
  };
}

const DIGEST = ['content-digest', contentDigest(BODY)] as const;
const METHOD = ['@method', 'POST'] as const;

describe('HTTP Message Signatures', () => {
  it('sign as RFC 9421 shows (B.2.5)', () => {
    const secret = Buffer.from(
      'uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ==',
      'base64',
    );
    const lines = [
      '"date": Tue, 20 Apr 2021 02:07:55 GMT',
      '"@authority": example.com',
      '"content-type": application/json',
    ];
    const parameters = '("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret"';
    expect(messageSignature(secret, lines, parameters)).toBe('pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=');
  });

  it('believe a message signed over its method, its path and its digest, by every secret in force', () => {
    const believed = { trust: 'verified', receiptId: expect.stringMatching(/^rfc9421\/[0-9a-f]{64}$/) };
    expect(verdict(messageHeaders())).toEqual(believed);
    expect(verdict(messageHeaders({ secret: OTHER }))).toEqual(believed);
    expect(verdict(messageHeaders({ extra: `;expires=${SECONDS};nonce="n\\"1";tag="t"` }))).toEqual(believed);
  });

  it.each([
    [[METHOD, DIGEST]],
    [[['@target-uri', 'https://gateway.example/v1/webhooks/cards?x=1'], DIGEST]],
    [[['@target-uri', 'http://gateway.example/v1/webhooks/cards?x=1'], DIGEST]],
    [[['@path', '/v1/webhooks/cards'], ['@query', '?x=1'], DIGEST]],
    [[METHOD, ['@authority', 'gateway.example'], ['@scheme', 'https'], DIGEST]],
    [[METHOD, ['@request-target', '/v1/webhooks/cards?x=1'], ['x-twice', 'a, b'], DIGEST]],
  ] as const)('believe %j', (components) => {
    const headers = signed(components, { 'x-twice': [' a', 'b '] });
    expect(verdict(headers, { path: '/v1/webhooks/cards?x=1' })).toMatchObject({ trust: 'verified' });
  });

  it('take the query of a path without one as "?", and the authority without its own port', () => {
    const headers = signed([METHOD, ['@query', '?'], ['@authority', 'gateway.example'], DIGEST], {
      host: 'Gateway.Example:443',
    });
    expect(verdict(headers)).toMatchObject({ trust: 'verified' });
  });

  it('believe one good signature among others', () => {
    const good = messageHeaders();
    const headers = {
      ...good,
      'signature-input': `other=("@method");created=${SECONDS}, ${good['signature-input']}`,
      signature: `other=:AAAA:,${good.signature}`,
    };
    expect(verdict(headers)).toMatchObject({ trust: 'verified' });
  });

  it('compare every digest they know and need one', () => {
    const both = `${contentDigest(BODY, 'sha-512')}, ${contentDigest(BODY)}`;
    expect(verdict(signed([METHOD, ['content-digest', both]], { 'content-digest': both }))).toMatchObject({
      trust: 'verified',
    });
    const half = `${contentDigest(Buffer.from('x'), 'sha-512')}, ${contentDigest(BODY)}`;
    expect(verdict(signed([METHOD, ['content-digest', half]], { 'content-digest': half }))).toEqual({
      refused: 'digest-wrong',
    });
    const md5 = 'md5=:AAAA:';
    expect(verdict(signed([METHOD, ['content-digest', md5]], { 'content-digest': md5 }))).toEqual({
      refused: 'digest-unsupported',
    });
  });

  it.each<[string, Given]>([
    ['digest-not-signed', signed([METHOD])],
    ['target-not-signed', signed([DIGEST])],
    ['target-not-signed', signed([['@authority', 'gateway.example'], DIGEST])],
    ['timestamp-missing', signed([METHOD, DIGEST], { params: '' })],
    ['timestamp-missing', signed([METHOD, DIGEST], { params: `;created="${SECONDS}"` })],
    ['timestamp-old', messageHeaders({ at: SECONDS - 301 })],
    ['timestamp-future', messageHeaders({ at: SECONDS + 301 })],
    ['signature-expired', messageHeaders({ extra: `;expires=${SECONDS - 1}` })],
    ['algorithm-unsupported', signed([METHOD, DIGEST], { params: `;created=${SECONDS};alg="ed25519"` })],
    ['component-missing', signed([METHOD, DIGEST, ['x-absent', '']])],
    ['component-missing', signed([METHOD, DIGEST, ['@status', '200']])],
    ['signature-wrong', messageHeaders({ secret: Buffer.from('a third') })],
    ['signature-wrong', signed([['@method', 'GET'], DIGEST])],
    ['signature-wrong', signed([['@path', '/v1/webhooks'], DIGEST])],
    ['signature-missing', { ...messageHeaders(), signature: 'another=:AAAA:' }],
  ])('refuse with %s', (reason, headers) => {
    expect(verdict(headers)).toEqual({ refused: reason });
  });

  it('refuse another body, whoever computes its digest anew', () => {
    const body = Buffer.from(`${BODY} `);
    expect(verdict(messageHeaders(), { body })).toEqual({ refused: 'digest-wrong' });
    expect(verdict({ ...messageHeaders(), 'content-digest': contentDigest(body) }, { body })).toEqual({
      refused: 'signature-wrong',
    });
  });

  it.each(['content-digest', 'signature-input', 'signature'] as const)('refuse without %s, or with two', (name) => {
    const { [name]: value, ...rest } = messageHeaders();
    expect(verdict(rest)).toEqual({ refused: 'header-missing' });
    expect(verdict({ ...rest, [name]: [value, value] })).toEqual({ refused: 'header-repeated' });
  });

  it.each([
    ['', 'header-malformed'],
    ['sig1', 'header-malformed'],
    ['sig1=', 'header-malformed'],
    ['sig1=(', 'header-malformed'],
    ['sig1=()x', 'header-malformed'],
    ['sig1=("@method"  "content-digest")', 'header-malformed'],
    ['sig1=("@method" "@method")', 'header-malformed'],
    ['sig1=("@method");created=1;created=2', 'header-malformed'],
    ['sig1=("@method");created=01', 'header-malformed'],
    ['sig1=("@method");created=1.5', 'header-malformed'],
    ['sig1=("@method"), sig1=("@method")', 'header-malformed'],
    ['sig1=("@method"),', 'header-malformed'],
    ['sig1=("@method" @path)', 'header-malformed'],
    ['sig1=("@method" path)', 'header-malformed'],
    ['sig1=("@method");created=1.0', 'header-malformed'],
    ['sig1=("@method");tag=token', 'header-malformed'],
    ['sig1=("@method"); created=1', 'header-malformed'],
    ['sig1=("content-digest";sf)', 'component-unsupported'],
    ['a=(), b=(), c=(), d=(), e=()', 'header-malformed'],
    [`sig1=(${Array.from({ length: 33 }, (_, n) => `"x-${n}"`).join(' ')})`, 'header-malformed'],
  ])('refuse the input %s with %s', (input, reason) => {
    expect(verdict({ ...messageHeaders(), 'signature-input': input })).toEqual({ refused: reason });
  });

  it.each(['sig1=:AAA:', 'sig1=:AAAB=:', 'sig1=:AA A:', 'sig1=AAAA', 'sig1=:AAAA:;x=1', 'sig1=:AAAA:, sig1=:BBBB:'])(
    'refuse the signature %s',
    (signature) => {
      expect(verdict({ ...messageHeaders(), signature })).toEqual({ refused: 'header-malformed' });
    },
  );
});
