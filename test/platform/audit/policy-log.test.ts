import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { assertPolicyKept, keepPolicyLog } from '../../../src/platform/audit/policy-log.ts';
import { PolicyFile } from '../../../src/platform/config/policy.ts';
import { configWith } from '../../support/config-with.ts';
import { newStore } from '../../support/empty-store.ts';
import { newFolder } from '../../support/new-folder.ts';

/** Longer than other texts of an entry may be, with what looks like an account number. */
const textOf = (name: string): string =>
  JSON.stringify({
    version: 1,
    people: [{ name, roles: ['maker'], scope: { accounts: ['123456789012', 'a'.repeat(2_000)] } }],
  });

it('The audit has each policy that a process goes by once, and each file that could not be used', async () => {
  const folder = newFolder();
  const path = join(folder, 'policy.json');
  const store = await newStore();
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) });
  writeFileSync(path, textOf('alice'), { mode: 0o600 });
  const policyFile = new PolicyFile(path);
  const first = policyFile.current().hash;
  await keepPolicyLog(configWith({ policyFile }), { store, log, who: 'worker' });
  // Another process with the same one.
  await keepPolicyLog(configWith({ policyFile: new PolicyFile(path) }), { store, log, who: 'gateway' });
  writeFileSync(path, 'no policy');
  policyFile.current(performance.now() + 10_000);
  writeFileSync(path, textOf('bob'));
  const { hash: second } = policyFile.current(performance.now() + 20_000);
  await keepPolicyLog(configWith({ policyFile: undefined }), { store, log, who: 'worker' });
  const entries = (await store.auditEntriesOf('policy')).map(({ actor, action, detail }) => ({
    actor,
    action,
    ...detail,
  }));
  expect(entries).toEqual([
    { actor: 'worker', action: 'policy in force', from: 'none', to: first, policy: textOf('alice') },
    { actor: 'worker', action: 'policy refused', why: expect.stringContaining('not JSON'), inForce: first },
    { actor: 'worker', action: 'policy in force', from: first, to: second, policy: textOf('bob') },
    { actor: 'worker', action: 'policy in force', from: second, to: 'none' },
  ]);
  expect(lines.filter((line) => line.includes('cannot be used'))).toHaveLength(1);
});

it('A store that has been used under a policy is not used without one', async () => {
  const folder = newFolder();
  const path = join(folder, 'policy.json');
  writeFileSync(path, textOf('alice'), { mode: 0o600 });
  const policyFile = new PolicyFile(path);
  const store = await newStore();
  const log = pino({ level: 'silent' });
  await assertPolicyKept(configWith({ policyFile: undefined }), store);
  await keepPolicyLog(configWith({ policyFile: undefined }), { store, log, who: 'worker' });
  await assertPolicyKept(configWith({ policyFile }), store);
  await keepPolicyLog(configWith({ policyFile }), { store, log, who: 'worker' });
  await assertPolicyKept(configWith({ policyFile }), store);
  await expect(assertPolicyKept(configWith({ policyFile: undefined }), store)).rejects.toThrow(
    'PAYOUTS_POLICY: is not set',
  );
});
