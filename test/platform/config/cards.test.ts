import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../src/platform/config/key.ts';
import { loadConfig } from '../../../src/platform/config.ts';

function errorOf(env: Record<string, string>): ConfigError {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('the configuration was accepted');
}

describe('card payments', () => {
  it('have cautious defaults', () => {
    expect(loadConfig({}).cards).toEqual({
      fields: {},
      returnHosts: undefined,
      verifyHosts: undefined,
      checkoutOrigins: [],
      lifeMs: 900_000,
      refusalStatuses: [],
      tries: 3,
    });
    expect(loadConfig({}).settings.cardTerms).toMatchObject({
      fingerprintWaitMs: 10_000,
      deadlineMs: 1_800_000,
      patienceMs: 300_000,
      repeatWindowMs: 72_000_000,
      completion: 'notice-or-return',
    });
  });

  it('take lists with commas between', () => {
    const { cards } = loadConfig({
      PAYOUTS_CARD_RETURN_HOSTS: 'Shop.example, pay.example:8443,[::1]',
      PAYOUTS_CARD_VERIFY_HOSTS: 'acs.example',
      PAYOUTS_CHECKOUT_ORIGINS: 'https://shop.example,http://localhost:3000/',
      PAYOUTS_CARD_REFUSAL_STATUSES: '400,422',
    });
    expect(cards).toMatchObject({
      returnHosts: ['shop.example', 'pay.example:8443', '[::1]'],
      verifyHosts: ['acs.example'],
      checkoutOrigins: ['https://shop.example', 'http://localhost:3000'],
      refusalStatuses: [400, 422],
    });
  });

  it.each([
    ['PAYOUTS_CARD_LIFE', '15m1s'],
    ['PAYOUTS_CARD_LIFE', '16m'],
    ['PAYOUTS_CARD_LIFE', '0s'],
    ['PAYOUTS_CARD_REPEAT_WINDOW', '24h'],
    ['PAYOUTS_CARD_COMPLETION', 'return'],
    ['PAYOUTS_CARD_RETURN_HOSTS', 'https://shop.example'],
    ['PAYOUTS_CARD_RETURN_HOSTS', 'shop.example/path'],
    ['PAYOUTS_CARD_RETURN_HOSTS', 'shop.example,'],
    ['PAYOUTS_CARD_VERIFY_HOSTS', '*.example'],
    ['PAYOUTS_CARD_VERIFY_HOSTS', 'user@acs.example'],
    ['PAYOUTS_CHECKOUT_ORIGINS', 'shop.example'],
    ['PAYOUTS_CHECKOUT_ORIGINS', 'https://shop.example/checkout'],
    ['PAYOUTS_CHECKOUT_ORIGINS', '*'],
    ['PAYOUTS_CHECKOUT_ORIGINS', 'null'],
    ['PAYOUTS_CARD_REFUSAL_STATUSES', '500'],
    ['PAYOUTS_CARD_REFUSAL_STATUSES', '409'],
    ['PAYOUTS_CARD_REFUSAL_STATUSES', '400;422'],
    ['PAYOUTS_CARD_FIELDS', '{"amount":1}'],
    ['PAYOUTS_CARD_FIELDS', 'amount'],
  ])('refuse %s=%s', (key, value) => {
    expect(errorOf({ [key]: value }).key).toBe(key);
  });

  it('name the field that was probably meant', () => {
    const error = errorOf({ PAYOUTS_CARD_FIELDS: '{"payment.paymentId":"id","amuont":"sum"}' });
    expect(error.rule).toContain('payment.paymentId is not a card field. Did you mean payment.payment_id?');
    expect(errorOf({ PAYOUTS_CARD_FIELDS: '{"amuont":"sum"}' }).rule).toContain('Did you mean amount?');
    expect(errorOf({ PAYOUTS_CARD_FIELDS: '{"payment_status":""}' }).rule).toContain('cannot be left out');
  });
});

describe('webhooks', () => {
  it('have secrets as bytes, several while they rotate', () => {
    const bytes = Buffer.alloc(25, Buffer.from([0, 1, 255]));
    const whole = `whsec_${bytes.toString('base64')}`;
    const plain = 'a secret of 24 bytes ...';
    const { webhook } = loadConfig({ PAYOUTS_WEBHOOK_SECRET: `${whole},${plain}, ${whole.slice(0, -2)}` });
    expect(webhook.secrets.reveal()).toEqual([bytes, Buffer.from(plain), bytes]);
    expect(loadConfig({}).webhook.secrets.reveal()).toEqual([]);
  });

  it.each([
    'whsec_',
    'whsec_a-b',
    'whsec_!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!',
    'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
    'a secret of 23 bytes ..',
    'a secret of 24 bytes ...,,a secret of 24 bytes ...',
    'a secret of 24 bytes ...,short',
    ',',
  ])('refuse the secret "%s" and do not say it', (secret) => {
    const error = errorOf({ PAYOUTS_WEBHOOK_SECRET: secret });
    expect(error.key).toBe('PAYOUTS_WEBHOOK_SECRET');
    if (secret.length > 6) expect(inspect(error)).not.toContain(secret.slice(6));
  });

  it.each(['3601s', '1d', '0s'])('refuse a tolerance of %s', (tolerance) => {
    const { key, rule } = errorOf({ PAYOUTS_WEBHOOK_TOLERANCE: tolerance });
    expect({ key, rule }).toEqual({ key: 'PAYOUTS_WEBHOOK_TOLERANCE', rule: 'is not a duration up to 1h' });
    expect(loadConfig({ PAYOUTS_WEBHOOK_TOLERANCE: '1h' }).webhook.toleranceMs).toBe(3_600_000);
  });

  it('have header names in lower case and a scheme of the list', () => {
    const env = { PAYOUTS_WEBHOOK_SCHEME: 'hmac-sha256', PAYOUTS_WEBHOOK_TIMESTAMP_HEADER: 'X-Time' };
    expect(loadConfig(env).webhook).toMatchObject({
      scheme: 'hmac-sha256',
      header: 'x-signature',
      timestampHeader: 'x-time',
      toleranceMs: 300_000,
    });
    expect(errorOf({ PAYOUTS_WEBHOOK_SCHEME: 'none' }).key).toBe('PAYOUTS_WEBHOOK_SCHEME');
    expect(errorOf({ PAYOUTS_WEBHOOK_HEADER: 'x signature' }).key).toBe('PAYOUTS_WEBHOOK_HEADER');
  });

  it('known by address alone need addresses', () => {
    expect(errorOf({ PAYOUTS_WEBHOOK_SCHEME: 'ip' }).key).toBe('PAYOUTS_WEBHOOK_IPS');
    const ips = ['192.0.2.7', '198.51.100.0/24', '2001:db8::/32'];
    expect(loadConfig({ PAYOUTS_WEBHOOK_SCHEME: 'ip', PAYOUTS_WEBHOOK_IPS: ips.join(', ') }).webhook.ips).toEqual(ips);
  });

  it.each(['192.0.2.0/33', '192.0.2', '2001:db8::/129', 'bank.example', '192.0.2.0/', '192.0.2.0/24/1', ','])(
    'refuse the network "%s"',
    (ips) => {
      expect(errorOf({ PAYOUTS_WEBHOOK_IPS: ips }).key).toBe('PAYOUTS_WEBHOOK_IPS');
    },
  );
});
