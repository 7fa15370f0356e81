import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createVerifier } from '../../../src/bank/webhooks/verifier.ts';
import { BODY, bodySignature, delivery, settings, standardHeaders, timedSignature } from './signing.ts';

const IPS = ['192.0.2.0/24', '198.51.100.7', '2001:db8::/32'];
const SCHEMES = [
  ['standard-webhooks', settings(), standardHeaders()],
  ['hmac-sha256', settings({ scheme: 'hmac-sha256' }), { 'x-signature': bodySignature() }],
  [
    'hmac-sha256 with a time',
    settings({ scheme: 'hmac-sha256', timestampHeader: 'x-time' }),
    { 'x-time': '1700000000', 'x-signature': timedSignature({}, '1700000000') },
  ],
] as const;

describe('Addresses', () => {
  const listed = createVerifier(settings({ scheme: 'ip', secrets: [], ips: IPS }));

  it.each(['192.0.2.7', '::ffff:192.0.2.7', '198.51.100.7', '2001:db8::1', '2001:0db8:ffff::'])(
    'hint at a webhook of %s',
    (remoteAddress) => {
      expect(listed.verify(delivery({}, { remoteAddress }))).toMatchObject({
        trust: 'hint',
        receiptId: expect.stringMatching(/^ip\/[0-9a-f]{64}$/),
      });
    },
  );

  it.each(['192.0.3.7', '::ffff:192.0.3.7', '198.51.100.8', '2001:db9::1', '::1', '', 'localhost', '192.0.2.7.8'])(
    'refuse %s, despite any header',
    (remoteAddress) => {
      const headers = { 'x-forwarded-for': '192.0.2.7', forwarded: 'for=192.0.2.7', 'x-real-ip': '192.0.2.7' };
      expect(listed.verify(delivery(headers, { remoteAddress }))).toEqual({ refused: 'sender-not-listed' });
    },
  );

  it('are checked before a signature and no substitute for it', () => {
    const both = createVerifier(settings({ ips: IPS }));
    expect(both.verify(delivery(standardHeaders()))).toMatchObject({ trust: 'verified' });
    expect(both.verify(delivery(standardHeaders(), { remoteAddress: '203.0.113.1' }))).toEqual({
      refused: 'sender-not-listed',
    });
    expect(both.verify(delivery({}))).toEqual({ refused: 'header-missing' });
  });
});

describe('A verifier', () => {
  it.each(SCHEMES)(
    'refuses everything for %s without a secret, even from a listed address',
    (_name, given, headers) => {
      for (const ips of [[], IPS]) {
        const verifier = createVerifier({ ...given, secrets: [], ips });
        expect(verifier.verify(delivery(headers))).toEqual({ refused: 'unconfigured' });
      }
    },
  );

  it('refuses everything for ip without a list, with any secret', () => {
    expect(createVerifier(settings({ scheme: 'ip' })).verify(delivery({}))).toEqual({ refused: 'unconfigured' });
  });

  it.each(SCHEMES)('believes no other body under a signature of %s', (_name, given, headers) => {
    const verifier = createVerifier(given);
    expect(verifier.verify(delivery(headers))).toMatchObject({ trust: 'verified' });
    const bodies = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
      fc.tuple(fc.nat(BODY.length - 1), fc.integer({ min: 1, max: 255 })).map(([at, mask]) => {
        const body = Buffer.from(BODY);
        body.writeUInt8(body.readUInt8(at) ^ mask, at);
        return body;
      }),
      fc.nat(BODY.length - 1).map((end) => BODY.subarray(0, end)),
      fc.uint8Array({ minLength: 1, maxLength: 20 }).map((tail) => Buffer.concat([BODY, tail])),
    );
    fc.assert(
      fc.property(bodies, (body) => {
        fc.pre(!body.equals(BODY));
        expect(verifier.verify(delivery(headers, { body }))).toHaveProperty('refused');
      }),
      { numRuns: 1_000 },
    );
  });

  it('believes a signature in base64 in one spelling alone: the last character has two bits that no byte needs', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
    const { 'webhook-signature': good, ...rest } = standardHeaders();
    const [, before = '', last = ''] = /^(.*)(.)=$/.exec(good) ?? [];
    const verifier = createVerifier(settings());
    const spellings = [1, 2, 3].map((bits) => alphabet[alphabet.indexOf(last) + bits]);
    for (const other of spellings) {
      const bytes = [good, `${before}${other}=`].map((text) => Buffer.from(text.slice(3), 'base64').toString('hex'));
      expect(bytes[1]).toBe(bytes[0]);
      expect(verifier.verify(delivery({ ...rest, 'webhook-signature': `${before}${other}=` }))).toEqual({
        refused: 'signature-malformed',
      });
    }
  });

  it.each(SCHEMES)('believes no other value of a header of %s, and never fails over one', (_name, given, headers) => {
    const verifier = createVerifier(given);
    const entries = Object.entries(headers);
    const changed = fc
      .tuple(fc.nat(entries.length - 1), fc.nat(300), fc.string({ unit: 'binary-ascii', maxLength: 4 }), fc.nat(4))
      .map(([which, at, text, cut]) => {
        const [name = '', value = ''] = entries[which] ?? [];
        const place = at % (value.length + 1);
        return [name, value.slice(0, place) + text + value.slice(place + cut)] as const;
      });
    fc.assert(
      fc.property(changed, ([name, value]) => {
        fc.pre(!isSame(name, value, (headers as Record<string, string>)[name] ?? ''));
        expect(verifier.verify(delivery({ ...headers, [name]: value }))).toHaveProperty('refused');
      }),
      { numRuns: 2_000 },
    );
  });
});

/** Other spellings of the same: hex in capitals, another signature beside the good one, spaces at either end. */
function isSame(name: string, value: string, good: string): boolean {
  if (value.toLowerCase() === good.toLowerCase() && name === 'x-signature') return true;
  return value === good || (name === 'webhook-signature' && value.split(' ').includes(good));
}
