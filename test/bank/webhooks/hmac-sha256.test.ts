import { describe, expect, it } from 'vitest';
import { createVerifier } from '../../../src/bank/webhooks/verifier.ts';
import { BODY, bodySignature, delivery, NOW, settings, timedSignature } from './signing.ts';

const OTHER = Buffer.from('another secret');
const plain = createVerifier(settings({ scheme: 'hmac-sha256', secrets: [OTHER, settings().secrets[0] ?? OTHER] }));
const only = createVerifier(settings({ scheme: 'hmac-sha256' }));
const timed = createVerifier(settings({ scheme: 'hmac-sha256', timestampHeader: 'x-timestamp' }));
const SECONDS = `${NOW / 1_000}`;

describe('HMAC-SHA-256 over the body', () => {
  it.each([
    bodySignature(),
    bodySignature().toUpperCase(),
    `sha256=${bodySignature()}`,
    bodySignature({}, 'base64'),
    `sha256=${bodySignature({}, 'base64')}`,
    bodySignature({ secret: OTHER }),
  ])('believes %s', (signature) => {
    expect(plain.verify(delivery({ 'x-signature': signature }))).toMatchObject({
      trust: 'verified',
      receiptId: expect.stringMatching(/^hmac-sha256\/[0-9a-f]{64}$/),
    });
  });

  it('reads the header that is configured', () => {
    const own = createVerifier(settings({ scheme: 'hmac-sha256', header: 'x-acquirer' }));
    expect(own.verify(delivery({ 'x-acquirer': bodySignature() }))).toMatchObject({ trust: 'verified' });
    expect(own.verify(delivery({ 'x-signature': bodySignature() }))).toEqual({ refused: 'header-missing' });
  });

  it.each([
    ['signature-wrong', bodySignature({ secret: OTHER })],
    ['signature-wrong', bodySignature({ body: Buffer.from(JSON.stringify(JSON.parse(BODY.toString()), null, 2)) })],
    ['signature-malformed', ''],
    ['signature-malformed', 'sha256='],
    ['signature-malformed', bodySignature().slice(1)],
    ['signature-malformed', `sha512=${bodySignature()}`],
    ['signature-malformed', `${bodySignature()} `],
    ['signature-malformed', bodySignature({}, 'base64').replace('=', '')],
    ['header-repeated', [bodySignature(), bodySignature()]],
  ])('refuses with %s: %s', (reason, signature) => {
    expect(only.verify(delivery({ 'x-signature': signature }))).toEqual({ refused: reason });
  });
});

describe('HMAC-SHA-256 over the time and the body', () => {
  it.each([SECONDS, `${NOW}`, `${NOW / 1_000 - 300}`, `${NOW + 300_000}`])('believes the time %s', (timestamp) => {
    const headers = { 'x-timestamp': timestamp, 'x-signature': timedSignature({}, timestamp) };
    expect(timed.verify(delivery(headers))).toMatchObject({ trust: 'verified' });
  });

  it.each([
    ['timestamp-old', `${NOW / 1_000 - 301}`],
    ['timestamp-future', `${NOW + 300_001}`],
    ['timestamp-malformed', new Date(NOW).toISOString()],
    ['timestamp-malformed', ''],
  ])('refuses with %s: %s', (reason, timestamp) => {
    const headers = { 'x-timestamp': timestamp, 'x-signature': timedSignature({}, timestamp) };
    expect(timed.verify(delivery(headers))).toEqual({ refused: reason });
  });

  it('refuses a signature of the body alone, of another time, or without a time', () => {
    const headers = { 'x-timestamp': SECONDS, 'x-signature': bodySignature() };
    expect(timed.verify(delivery(headers))).toEqual({ refused: 'signature-wrong' });
    const moved = { 'x-timestamp': `${NOW / 1_000 + 1}`, 'x-signature': timedSignature({}, SECONDS) };
    expect(timed.verify(delivery(moved))).toEqual({ refused: 'signature-wrong' });
    expect(timed.verify(delivery({ 'x-signature': timedSignature({}, SECONDS) }))).toEqual({
      refused: 'header-missing',
    });
  });
});
