import { expect, it, onTestFinished } from 'vitest';
import type { Policy } from '../../src/domain/authority.ts';
import { type Config, loadConfig } from '../../src/platform/config.ts';
import { payeeChecks } from '../../src/platform/open-bank.ts';
import { policyOf, signingPerson } from '../support/people.ts';

const SANDBOX = 'http://127.0.0.1:9';
const bob = signingPerson('bob', ['approver']);
const grace = signingPerson('grace', ['compliance']);

function checksUnder(policy: Policy | undefined, env: Record<string, string> = { PAYOUTS_CHECKS: 'sandbox' }) {
  const config = loadConfig(env);
  const checks = payeeChecks({ ...config, settings: { ...config.settings, policy } } as Config, SANDBOX);
  onTestFinished(async () => checks?.provider.close());
  return checks;
}

it('nobody is asked as delivered', () => {
  expect(checksUnder(undefined, {})).toBeUndefined();
});

it('verdicts are kept under the name of who gave them', () => {
  expect(checksUnder(undefined)?.provider.name).toBe('sandbox');
  const env = { PAYOUTS_CHECKS: 'http', PAYOUTS_CHECKS_URL: 'https://checks.example/v1', PAYOUTS_CHECKS_SECRET: 's' };
  expect(checksUnder(undefined, env)?.provider.name).toBe('checks.example');
});

it('no payee is screened where nobody could clear a hit', () => {
  expect(checksUnder(policyOf([bob, grace]))).toBeDefined();
  expect(() => checksUnder(policyOf([bob]))).toThrow(/nobody with a key the role compliance/);
});
