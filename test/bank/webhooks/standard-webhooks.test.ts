import { describe, expect, it } from 'vitest';
import { createVerifier } from '../../../src/bank/webhooks/verifier.ts';
import { BODY, delivery, NOW, SECRET, settings, standardHeaders } from './signing.ts';

const OTHER = Buffer.from('another secret');
const SECONDS = NOW / 1_000;
const verifier = createVerifier(settings());
const verdict = (headers: Record<string, string | string[]>, change = {}) => verifier.verify(delivery(headers, change));

describe('Standard Webhooks', () => {
  it('believe a webhook signed over its id, its time and its bytes', () => {
    expect(verdict(standardHeaders())).toMatchObject({
      trust: 'verified',
      receiptId: expect.stringMatching(/^standard-webhooks\/msg_1\/[0-9a-f]{64}$/),
    });
  });

  it('believe what their specification shows', () => {
    const secret = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
    const headers = {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    };
    const shown = delivery(headers, { body: Buffer.from('{"test": 2432232314}'), now: 1_614_265_330_000 });
    expect(createVerifier(settings({ secrets: [secret] })).verify(shown)).toMatchObject({ trust: 'verified' });
  });

  it('give the same webhook the same receipt, and another body under the same id another one', () => {
    const body = Buffer.from('{}');
    const receipts = [
      verdict(standardHeaders()),
      verdict(standardHeaders({ at: SECONDS + 60 })),
      verdict(standardHeaders({ body }), { body }),
    ].map((it) => ('receiptId' in it ? it.receiptId : it.refused));
    expect(receipts[0]).toBe(receipts[1]);
    expect(receipts[2]).not.toBe(receipts[0]);
  });

  it('believe every secret in force and every signature that came', () => {
    const rotating = createVerifier(settings({ secrets: [OTHER, SECRET] }));
    expect(rotating.verify(delivery(standardHeaders()))).toMatchObject({ trust: 'verified' });
    expect(rotating.verify(delivery(standardHeaders({ secret: OTHER })))).toMatchObject({ trust: 'verified' });
    const { 'webhook-signature': good, ...rest } = standardHeaders();
    const { 'webhook-signature': wrong } = standardHeaders({ secret: OTHER });
    const several = { ...rest, 'webhook-signature': `v1a,AAAA ${wrong} ${good}` };
    expect(verdict(several)).toMatchObject({ trust: 'verified' });
    expect(verdict({ ...rest, 'webhook-signature': `${good} ${good}` })).toMatchObject({ trust: 'verified' });
  });

  it.each([-300, 300])('believe one that is %s s off', (off) => {
    expect(verdict(standardHeaders({ at: SECONDS + off }))).toMatchObject({ trust: 'verified' });
  });

  it.each([
    ['timestamp-old', standardHeaders({ at: SECONDS - 301 })],
    ['timestamp-future', standardHeaders({ at: SECONDS + 301 })],
    ['timestamp-malformed', { ...standardHeaders(), 'webhook-timestamp': `${NOW}` }],
    ['timestamp-malformed', { ...standardHeaders(), 'webhook-timestamp': ` ${SECONDS}` }],
    ['signature-wrong', { ...standardHeaders(), 'webhook-timestamp': `${SECONDS + 1}` }],
    ['signature-wrong', { ...standardHeaders(), 'webhook-id': 'msg_2' }],
    ['signature-wrong', standardHeaders({ secret: OTHER })],
    ['signature-malformed', { ...standardHeaders(), 'webhook-signature': '' }],
    ['signature-malformed', { ...standardHeaders(), 'webhook-signature': 'v1,' }],
    [
      'signature-malformed',
      { ...standardHeaders(), 'webhook-signature': standardHeaders()['webhook-signature'].slice(3) },
    ],
    [
      'signature-malformed',
      { ...standardHeaders(), 'webhook-signature': `${standardHeaders()['webhook-signature']}=` },
    ],
    ['signatures-too-many', { ...standardHeaders(), 'webhook-signature': 'v1,x '.repeat(17).trim() }],
    ['message-id-malformed', { ...standardHeaders(), 'webhook-id': 'x'.repeat(129) }],
    ['message-id-malformed', { ...standardHeaders(), 'webhook-id': '' }],
  ])('refuse with %s', (reason, headers) => {
    expect(verdict(headers)).toEqual({ refused: reason });
  });

  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const)(
    'refuse without %s, or with two',
    (name) => {
      const { [name]: value, ...rest } = standardHeaders();
      expect(verdict(rest)).toEqual({ refused: 'header-missing' });
      expect(verdict({ ...rest, [name]: [value, value] })).toEqual({ refused: 'header-repeated' });
    },
  );

  it('refuse a body that was written anew', () => {
    const body = Buffer.from(JSON.stringify(JSON.parse(BODY.toString()), null, 1));
    expect(verdict(standardHeaders(), { body })).toEqual({ refused: 'signature-wrong' });
  });

  it('refuse each flipped bit of the body', () => {
    for (let bit = 0; bit < BODY.length * 8; bit += 1) {
      const body = Buffer.from(BODY);
      body.writeUInt8(body.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(verdict(standardHeaders(), { body })).toEqual({ refused: 'signature-wrong' });
    }
  });
});
