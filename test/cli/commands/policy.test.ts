import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkPolicy } from '../../../src/cli/commands/policy.ts';
import type { Session } from '../../../src/cli/session.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'payouts-policy-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function checked(policy: object): Promise<{ text: string; document: unknown }> {
  const file = join(folder, 'policy.json');
  writeFileSync(
    file,
    JSON.stringify({ version: 1, people: [{ name: 'alice', roles: ['maker'], scope: {} }], ...policy }),
  );
  const told = { text: '', document: {} as unknown };
  const output = { result: (document: unknown, text: string) => Object.assign(told, { document, text }) };
  await checkPolicy({ output } as unknown as Session, file);
  return told;
}

it('warns of what a policy leaves to a maker alone', async () => {
  const limits = [{ per: 'day', currency: 'EUR', amount: '250000' }];
  const { text, document } = await checked({ limits });
  expect(document).toMatchObject({ open: [{ kinds: ['payout', 'transfer', 'exchange'] }] });
  expect(text).toContain('Warning: nobody has to approve these, and no limit per day or account adds them up:');
  expect(
    (await checked({ people: [{ name: 'alice', roles: ['maker'], scope: { currencies: ['EUR'] } }], limits })).text,
  ).not.toContain('Warning');
});
