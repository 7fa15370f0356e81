import { expect, it } from 'vitest';
import { createVerifier } from '../../../src/bank/webhooks/verifier.ts';
import { signatureHeaders } from '../../../src/sandbox/acquirer/webhook-sender.ts';
import { BODY, delivery, NOW, SECRET, settings } from './signing.ts';

it.each(['standard-webhooks', 'hmac-sha256'] as const)(
  'what the sandbox signs by %s is believed, and what it forges is not',
  (scheme) => {
    const endpoint = {
      secret: `whsec_${SECRET.toString('base64')}`,
      scheme,
    };
    const webhook = { eventId: 'evt-1', body: BODY, at: NOW };
    const verifier = createVerifier(settings({ scheme }));
    const signed = signatureHeaders(endpoint, { ...webhook, forged: false });
    expect(verifier.verify(delivery(signed))).toMatchObject({ trust: 'verified' });
    const forged = signatureHeaders(endpoint, { ...webhook, forged: true });
    expect(verifier.verify(delivery(forged))).toEqual({ refused: 'signature-wrong' });
  },
);
