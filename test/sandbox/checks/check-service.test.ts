import { expect, it, onTestFinished } from 'vitest';
import { CheckFailure, httpProvider } from '../../../src/bank/payee-checks/provider.ts';
import { SANDBOX_SECRET } from '../../../src/sandbox/start-sandbox.ts';
import { runningSandbox } from '../running-sandbox.ts';

async function sandboxProvider(secret = SANDBOX_SECRET) {
  const { sandbox } = await runningSandbox();
  const provider = httpProvider({ name: 'sandbox', url: `${sandbox.url}/checks`, secret, timeoutMs: 5_000 });
  onTestFinished(() => provider.close());
  return provider;
}

const payee = (name: string) => ({
  name,
  type: 'personal',
  country: 'US',
  currency: 'USD',
  account: { account_no: '1' },
});

it.each([
  ['Jane Roe', { verdict: 'match' }, { verdict: 'clear' }],
  ['Jane Close', { verdict: 'close-match', otherName: 'Jane Closer' }, { verdict: 'clear' }],
  ['Jane Nomatch', { verdict: 'no-match' }, { verdict: 'clear' }],
  ['Jane Unverified', { verdict: 'not-available' }, { verdict: 'clear' }],
  ['Jane Sanctioned', { verdict: 'match' }, { verdict: 'hit', caseId: 'case-sandbox-1' }],
  ['Jane Unscreened', { verdict: 'match' }, { verdict: 'not-available' }],
])('says of %s what its last word asks for', async (name, verification, screening) => {
  const provider = await sandboxProvider();
  expect(await provider.verifyPayee(payee(name))).toEqual(verification);
  const { account: _account, currency: _currency, ...party } = payee(name);
  expect(await provider.screen(party)).toEqual(screening);
});

it('gives no answer about who is NoAnswer', async () => {
  const provider = await sandboxProvider();
  await expect(provider.screen({ name: 'Jane NoAnswer' })).rejects.toThrow(new CheckFailure('HTTP 503'));
});

it('answers nobody without its secret', async () => {
  const provider = await sandboxProvider('another');
  await expect(provider.screen({ name: 'Jane Roe' })).rejects.toThrow(new CheckFailure('HTTP 401'));
});
