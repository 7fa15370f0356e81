import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { ConfigError } from '../../../src/platform/config/key.ts';
import { loadConfig } from '../../../src/platform/config.ts';

const HTTP = {
  PAYOUTS_CHECKS: 'http',
  PAYOUTS_CHECKS_URL: 'https://checks.example/v1/',
  PAYOUTS_CHECKS_SECRET: 'token-of-the-provider',
};
const BANK = { PAYOUTS_API_URL: 'https://bank.example', PAYOUTS_API_KEY: 'k', PAYOUTS_API_SECRET: 's' };

function errorOf(env: Record<string, string>): string {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('the configuration was accepted');
}

it('nobody is asked about payees as delivered', () => {
  expect(loadConfig({}).checks).toBeUndefined();
});

it('a provider has a time limit, an age of its verdicts and every currency, and shows its secret to nobody', () => {
  const { checks } = loadConfig(HTTP);
  expect(checks).toMatchObject({
    timeoutMs: 3_000,
    maxAgeMs: 86_400_000,
    verifiedCurrencies: undefined,
    provider: { kind: 'http', url: 'https://checks.example/v1' },
  });
  expect(inspect(checks, { depth: 9 })).not.toContain(HTTP.PAYOUTS_CHECKS_SECRET);
  expect(loadConfig({ ...HTTP, PAYOUTS_CHECKS_VERIFY: 'EUR,GBP' }).checks?.verifiedCurrencies).toEqual(['EUR', 'GBP']);
  expect(loadConfig({ ...HTTP, PAYOUTS_TIME_SCALE: '0.01' }).checks?.maxAgeMs).toBe(86_400_000);
});

it.each([
  ['PAYOUTS_CHECKS_URL', { ...HTTP, PAYOUTS_CHECKS_URL: '' }],
  ['PAYOUTS_CHECKS_SECRET', { ...HTTP, PAYOUTS_CHECKS_SECRET: '' }],
  ['clear text', { ...HTTP, PAYOUTS_CHECKS_URL: 'http://checks.example' }],
  ['PAYOUTS_CHECKS_TIMEOUT', { ...HTTP, PAYOUTS_CHECKS_TIMEOUT: '6s' }],
  ['PAYOUTS_CHECKS_VERIFY', { ...HTTP, PAYOUTS_CHECKS_VERIFY: 'EUR, GBP' }],
  ['invented', { PAYOUTS_CHECKS: 'sandbox', ...BANK }],
])('what lacks or is wrong is named: %s', (named, env) => {
  expect(errorOf(env)).toContain(named);
});

it('a provider on this machine may be asked in clear text', () => {
  expect(loadConfig({ ...HTTP, PAYOUTS_CHECKS_URL: 'http://127.0.0.1:9' }).checks).toBeDefined();
});
