import { expect, it } from 'vitest';
import { gatewayTokens } from '../../src/config/gateway.ts';

it.each([
  ['secret', [{ name: undefined, token: 'secret' }]],
  ['alice:secret', [{ name: 'alice', token: 'secret' }]],
  [
    'alice:one, erp@corp:two:three,four',
    [
      { name: 'alice', token: 'one' },
      { name: 'erp@corp', token: 'two:three' },
      { name: undefined, token: 'four' },
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
