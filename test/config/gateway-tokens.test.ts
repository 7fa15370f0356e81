import { expect, it } from 'vitest';
import { gatewayTokens } from '../../src/config/gateway-tokens.ts';

const [ONE, TWO, THREE] = ['1', '2', '3'].map((digit) => digit.repeat(24)) as [string, string, string];

it.each([
  [ONE, [{ name: undefined, token: ONE }]],
  [`alice:${ONE}`, [{ name: 'alice', token: ONE }]],
  [
    `alice:${ONE}, erp@corp:${TWO}:${THREE},${THREE}`,
    [
      { name: 'alice', token: ONE },
      { name: 'erp@corp', token: `${TWO}:${THREE}` },
      { name: undefined, token: THREE },
    ],
  ],
])('%s', (text, tokens) => {
  expect(gatewayTokens.parse(text)).toEqual(tokens);
});

it.each(['', 'alice:one,', 'two words', 'alice: ', 'alice:', 'al ice:x', 'a\tb'])(
  '%j is refused, and not repeated',
  (text) => {
    const { error } = gatewayTokens.safeParse(text);
    expect(error?.issues[0]?.message).toBe(
      'is not a list of TOKEN or name:TOKEN; a token has no spaces, and no colon unless it has a name',
    );
  },
);

it.each(['short', `alice:${ONE},bob:${TWO.slice(1)}`])('%j has a token that can be guessed', (text) => {
  const { error } = gatewayTokens.safeParse(text);
  expect(error?.issues[0]?.message).toBe('has a token of fewer than 24 characters (openssl rand -hex 24)');
});
