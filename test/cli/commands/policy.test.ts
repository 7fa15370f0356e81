import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkPolicy } from '../../../src/cli/policies.ts';
import type { Session } from '../../../src/cli/session.ts';
import { newKey } from '../../../src/people/signing/signing.ts';
import type { OpenIdSettings } from '../../../src/platform/config/sign-in.ts';
import { fakeSession } from '../../support/fake-session.ts';
import { folderOfFile } from '../../support/new-folder.ts';

const folder = folderOfFile();
async function checked(policy: object, openId?: Partial<OpenIdSettings>): Promise<{ text: string; document: unknown }> {
  const file = join(folder, 'policy.json');
  writeFileSync(
    file,
    JSON.stringify({ version: 1, people: [{ name: 'alice', roles: ['maker'], scope: {} }], ...policy }),
  );
  const printed = { text: '', document: {} as unknown };
  const output = { result: (document: unknown, text: string) => Object.assign(printed, { document, text }) };
  await checkPolicy({ output, config: { signIn: { openId } } } as unknown as Session, file);
  return printed;
}

it('warns of what has no rule or no limit, and of what a maker alone can pay', async () => {
  const limits = [{ per: 'day', currency: 'EUR', amount: '250000' }];
  const people = [
    { name: 'alice', roles: ['maker'], scope: { currencies: ['EUR'] } },
    { name: 'bob', roles: ['approver'], scope: {}, keys: [newKey().publicKey] },
  ];
  const { text, document } = await checked({ limits });
  expect(document).toMatchObject({ lacking: [{ currency: 'EUR', isLimited: true }, { isLimited: false }] });
  expect(text).toContain('Warning: for these no rule asks for an approval');
  expect(text).toContain('A maker alone can pay any sum of some.');
  const limited = await checked({ people, limits });
  expect(limited.text).toContain('Warning');
  expect(limited.text).not.toContain('A maker alone');
  expect((await checked({ people, limits, approvals: [{ approvals: 1 }] })).text).not.toContain('Warning');
});

it('says whose payouts need no signature, and whose can have none', async () => {
  const tokens = (letter: string) => [{ sha256: letter.repeat(64), expires: '2099-01-01' }];
  const { text } = await checked({
    people: [
      { name: 'alice', roles: ['maker'], scope: {}, keys: [newKey().publicKey] },
      { name: 'erp', roles: ['maker'], scope: {}, unsigned: true, tokens: tokens('a') },
      { name: 'shop', roles: ['maker'], scope: {}, tokens: tokens('b') },
      { name: 'bob', roles: ['approver'], scope: {} },
    ],
  });
  expect(text).toContain('Payouts of erp need no signature of erp');
  expect(text.match(/\S+ has no key that signs payouts/g)).toEqual(['shop has no key that signs payouts']);
});

it('says who can sign in to the pages, and which identities and groups name nobody', async () => {
  const policy = {
    origin: 'https://payouts.example.com',
    people: [
      { name: 'alice', roles: ['maker'], scope: {}, identities: ['alice@example.com'] },
      { name: 'bob', roles: ['auditor'], scope: {}, identities: ['0b2c'] },
      { name: 'carol', roles: ['auditor'], scope: {} },
    ],
    readers: [{ group: 'treasury', scope: { currencies: ['EUR'] } }],
  };
  const { text } = await checked(policy);
  expect(text).toMatch(/^alice .* alice@example\.com$/m);
  expect(text).toMatch(/^carol .* no: neither passkey nor identity$/m);
  expect(text).toMatch(/^treasury +currency EUR$/m);
  expect(text).toContain('count only for gateways with PAYOUTS_OIDC_ISSUER');
  const byMail = (await checked(policy, { claim: 'email' })).text;
  expect(byMail.match(/the identity .* names nobody/g)).toEqual(['the identity 0b2c of bob names nobody']);
  expect(byMail).toContain('PAYOUTS_OIDC_GROUPS_CLAIM is not set');
  expect((await checked(policy, { claim: 'sub', groupsClaim: 'groups' })).text).not.toMatch(
    /names nobody|reads by one/,
  );
});

it('says of the policy of a gateway where what is known of it is shown', async () => {
  const session = fakeSession({ gateway: {}, output: {} });
  await expect(checkPolicy(session, undefined)).rejects.toMatchObject({
    code: 'file-missing',
    hint: expect.stringMatching(/^payouts doctor shows/),
  });
});
