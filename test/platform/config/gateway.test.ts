import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { gatewayTokens } from '../../../src/platform/config/gateway.ts';
import { loadConfig } from '../../../src/platform/config.ts';

const [ONE, TWO, THREE] = [16, 24, 32].map((bytes) => randomBytes(bytes).toString('hex'));

it.each([
  [`${ONE}`, [{ name: undefined, token: ONE }]],
  [`alice:${ONE}`, [{ name: 'alice', token: ONE }]],
  [
    `alice:${ONE}, erp@corp:a:${TWO},${THREE}`,
    [
      { name: 'alice', token: ONE },
      { name: 'erp@corp', token: `a:${TWO}` },
      { name: undefined, token: THREE },
    ],
  ],
])('%s', (text, tokens) => {
  expect(gatewayTokens.parse(text)).toEqual(tokens);
});

it.each(['', `alice:${ONE},`, 'two words', 'alice: ', 'alice:', 'al ice:x', 'a\tb'])(
  '%j is refused, and not repeated',
  (text) => {
    const { error } = gatewayTokens.safeParse(text);
    expect(error?.issues[0]?.message).toBe(
      'is not a list of TOKEN or name:TOKEN; a token has no spaces, and no colon unless it has a name',
    );
  },
);

it.each([
  'a',
  `alice:${ONE?.slice(1)}`,
  'a'.repeat(64),
  'password'.repeat(8),
  '0123456789abcdef'.repeat(2),
  `${ONE},x`,
])('a token that can be guessed is refused, with the command that makes one: %s', (text) => {
  expect(() => loadConfig({ PAYOUTS_GATEWAY_TOKEN: text })).toThrow(
    /^PAYOUTS_GATEWAY_TOKEN: has a token that can be guessed: .* openssl rand -hex 32$/,
  );
});

it.each(['0.0.0.0/0', '::/0', '192.0.2.7,0.0.0.0/1', '8.0.0.0/7', '2000::/3'])('%s is no list of proxies', (text) => {
  expect(() => loadConfig({ PAYOUTS_GATEWAY_TRUSTED_PROXY: text })).toThrow(
    /^PAYOUTS_GATEWAY_TRUSTED_PROXY: takes in whole parts of the internet/,
  );
});

it.each(['192.0.2.7', '10.0.0.0/8', 'fc00::/7', '2001:db8::/32,192.0.2.0/24'])('%s are proxies', (text) => {
  expect(loadConfig({ PAYOUTS_GATEWAY_TRUSTED_PROXY: text }).gateway.proxies).toEqual(text.split(','));
});
