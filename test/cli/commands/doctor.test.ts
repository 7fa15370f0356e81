import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { doctor } from '../../../src/cli/doctor.ts';
import type { Session } from '../../../src/cli/session.ts';
import { newKey } from '../../../src/people/signing/signing.ts';
import type { Process } from '../../../src/platform/config/holdings.ts';
import { loadConfig } from '../../../src/platform/config.ts';
import { fileMark, thisProcess } from '../../../src/platform/this-sender.ts';
import { openStore } from '../../../src/store/open.ts';
import { newFolder } from '../../support/new-folder.ts';

interface Shown {
  checks: { name: string; verdict: string; detail: string }[];
}

/** What it shows by name, of a session whose stack does not come up. */
async function examined(
  env: Record<string, string>,
  as?: Process,
): Promise<{ exit: number; checks: Map<string, string> }> {
  const config = loadConfig(env);
  const store = () => openStore(config.storeUrl.reveal());
  const shown: Shown['checks'] = [];
  const output = { result: ({ checks }: Shown) => void shown.push(...checks) };
  const noStack = () => Promise.reject(new Error('no stack'));
  const ask = async () => ({ name: 'alice', person: { roles: ['maker', 'auditor'], scope: { currencies: ['EUR'] } } });
  const session = { config, output, store, ask, assertStoreFits: store, stack: noStack } as unknown as Session;
  const exit = await doctor(session, { as });
  return { exit, checks: new Map(shown.map(({ name, verdict, detail }) => [name, `${verdict}: ${detail}`])) };
}

it.each([
  [[], 'warning: a maker alone can pay any sum of something; payouts policy check shows what'],
  [[{ approvals: 1 }], 'ok: everything needs an approval or has a limit'],
])('says whether a policy with the rules %j leaves something to a maker alone', async (approvals, said) => {
  const folder = newFolder();
  const people = [
    { name: 'alice', roles: ['maker'], scope: {} },
    { name: 'bob', roles: ['approver'], scope: {}, keys: [newKey().publicKey] },
  ];
  const path = join(folder, 'policy.json');
  writeFileSync(path, JSON.stringify({ version: 1, people, approvals }), { mode: 0o600 });
  const { checks } = await examined({ PAYOUTS_HOME: folder, PAYOUTS_POLICY: path });
  expect(checks.get('policy')).toBe(said);
});

it('says of a home that cannot be used what is wrong with it, check by check', async () => {
  const folder = newFolder();
  const home = join(folder, 'file', 'home');
  writeFileSync(join(folder, 'file'), '');
  const { exit, checks } = await examined({ PAYOUTS_HOME: home });
  expect(exit).toBe(1);
  for (const name of ['home', 'store']) {
    expect(checks.get(name)).toMatch(
      /^failed: .* cannot be used: .*no folder \(ENOTDIR\)\. Check the path\. .* PAYOUTS_HOME\.$/,
    );
  }
  // What needs the store would only say the same again; the others are looked at all the same.
  expect([checks.has('payloads'), checks.has('Temporal CLI')]).toEqual([false, true]);
});

it('passes the oldest Node of the package, and ends what failed with a full stop before the hint', async () => {
  const folder = newFolder();
  const { node } = process.versions;
  Object.defineProperty(process.versions, 'node', { value: '22.12.0' });
  onTestFinished(() => void Object.defineProperty(process.versions, 'node', { value: node }));
  writeFileSync(join(folder, 'codec-keys'), 'home-1:short\n');
  const { checks } = await examined({ PAYOUTS_HOME: folder });
  expect(checks.get('Node')).toBe('ok: 22.12.0');
  expect(checks.get('payloads')).toMatch(/^failed: .*\. Restore it from a copy/);
});

it.each([
  ['gives again a token that it has refused', 401, {}, /^failed: .*\/v1\/auth answers again the token/],
  ['answers from a cache', 200, { age: '60' }, /^warning: .* a cache answers its balances/],
  ['answers', 200, {}, /^ok: /],
])('says of a bank on another machine that it %s', async (_what, status, headers, said) => {
  const folder = newFolder();
  const account = { uid: 'u', account_id: 'a', currency: 'USD', balance: '5.00' };
  const bank = createServer(({ url }, response) => {
    const isAuth = url === '/v1/auth';
    const data = isAuth ? { access_token: 'old', expired_in: 3_600 } : [account];
    response.writeHead(isAuth ? 200 : status, headers);
    response.end(JSON.stringify(status === 200 || isAuth ? { code: 0, msg: 'Ok', data } : { code: 1001 }));
  });
  bank.listen(0, '127.0.0.1');
  await once(bank, 'listening');
  onTestFinished(() => void bank.close());
  const url = `http://127.0.0.1:${(bank.address() as AddressInfo).port}`;
  const keys = { PAYOUTS_API_KEY: 'key', PAYOUTS_API_SECRET: 'secret' };
  const { checks } = await examined({ PAYOUTS_HOME: folder, PAYOUTS_API_URL: url, ...keys });
  expect(checks.get('bank')).toMatch(said);
});

it('warns of a setting that has no effect', async () => {
  const folder = newFolder();
  const env = { PAYOUTS_HOME: folder };
  expect((await examined(env)).checks.get('settings')).toBe('ok: all known');
  const { checks } = await examined({ ...env, PAYOUTS_REFERENCE_DEDUP: 'none' });
  expect(checks.get('settings')).toMatch(
    /^warning: PAYOUTS_REFERENCE_DEDUP is no setting .* PAYOUTS_REFERENCE_DEDUPE\?$/,
  );
});

const CLUSTER = {
  TEMPORAL_ADDRESS: '127.0.0.1:7233',
  PAYOUTS_API_URL: 'http://127.0.0.1:1',
  PAYOUTS_ONE_MACHINE: 'true',
  PAYOUTS_SIGNING_KEY: 'a secret',
};

it('names the secrets that a process does not need, and none of their values', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'token'), randomBytes(32).toString('hex'));
  const env = { ...CLUSTER, PAYOUTS_HOME: folder, HOME: folder };
  const held = async (more: Record<string, string>, as?: Process): Promise<string | undefined> =>
    (await examined({ ...env, ...more }, as)).checks.get('secrets');
  const others = { PAYOUTS_GATEWAY_TOKEN_FILE: join(folder, 'token'), PAYOUTS_API_SECRET: 'a secret' };
  expect(await held(others)).toBe(
    'warning: a worker does not need PAYOUTS_GATEWAY_TOKEN, PAYOUTS_SIGNING_KEY: unset them here (docs/production.md, "Who holds what")',
  );
  expect(await held(others, 'gateway')).toMatch(
    /^warning: a gateway does not need PAYOUTS_API_SECRET, PAYOUTS_SIGNING_KEY: /,
  );
  expect(await held(others, 'card-gateway')).toMatch(/ cards does not need PAYOUTS_SIGNING_KEY: /);
  expect(await held({ ...others, PAYOUTS_SIGNING_KEY: '' }, 'card-gateway')).toBe(
    'ok: none that a gateway that takes cards does not need',
  );
});

it("reads no more than the settings of a person's command, which has nothing else", async () => {
  const folder = newFolder();
  const env = { PAYOUTS_HOME: folder, PAYOUTS_GATEWAY_URL: 'https://gateway.example.com', PAYOUTS_SIGNING_KEY: 'mine' };
  const { exit, checks } = await examined({ ...env, PAYOUTS_API_SECRET: 'a secret' });
  expect(exit).toBe(0);
  expect([...checks.keys()]).toEqual(['Node', 'settings', 'secrets', 'gateway']);
  expect(checks.get('gateway')).toBe(
    'ok: https://gateway.example.com: it knows you as alice (maker, auditor; scope: currency EUR)',
  );
  expect(checks.get('secrets')).toMatch(/^warning: a person's command does not need PAYOUTS_API_SECRET: /);
});

it('says who used the store last, and warns where it may have known less than was sent', async () => {
  const folder = newFolder();
  const env = { PAYOUTS_HOME: folder, HOME: folder };
  const used = async (): Promise<string | undefined> => (await examined(env)).checks.get('store used');
  expect(await used()).toBe('ok: nothing was sent from it yet');
  const file = join(folder, 'store.sqlite');
  const store = await openStore(`file:${file}`);
  onTestFinished(() => store.close());
  const now = Date.now();
  await store.recordResumption({ at: now - 2, from: 0, why: 'new', detail: {} });
  const place = { place: file, placeMark: fileMark(file) };
  const process = { ...thisProcess(), ...place, pid: 7, pulses: 0, aliveAt: Date.UTC(2026, 10, 27, 18, 2) };
  await store.registerSender({ senderId: 'one', ...process });
  expect(await used()).toMatch(
    /^ok: last used 2026-11-27 18:02 UTC by process 7 on this machine; resumed .* because it was new$/,
  );
  await store.recordRestore({ at: now - 1, from: 0, by: 'worker', why: 'rolled-back', detail: {} });
  await store.registerSender({ ...process, senderId: 'two', machine: '1a2b3c', aliveAt: process.aliveAt + 60_000 });
  await store.recordResumption({ at: now, from: 0, why: 'restart', detail: {} });
  expect(await used()).toMatch(
    /^warning: last used 2026-11-27 18:03 UTC by process 7 on machine 1a2b3c; resumed .* because it had gone back in time; orders/,
  );
});

it('warns where nothing can note outside of the store how far it is', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'state'), '');
  const { checks } = await examined({ PAYOUTS_HOME: folder, XDG_STATE_HOME: join(folder, 'state') });
  expect(checks.get('store used')).toMatch(/^warning: nothing was sent .*state\/durable-payouts cannot be written: /);
});

it('names a store of the bank in the working directory that is not the one in use', async () => {
  const folder = newFolder();
  const before = process.cwd();
  onTestFinished(() => process.chdir(before));
  process.chdir(folder);
  const url = 'http://127.0.0.1:9';
  const here = await openStore(`file:${join(folder, '.payouts', 'store.sqlite')}`);
  await here.identify({ bank: 'http://127.0.0.1:8' });
  const env = { PAYOUTS_API_URL: url, HOME: folder };
  expect((await examined(env)).checks.get('store used')).toMatch(/^ok: /);
  await here.forgetIdentity({ parts: ['bank'], by: 'olga', at: 1 });
  await here.identify({ bank: url });
  await here.close();
  expect((await examined(env)).checks.get('store used')).toMatch(
    /^warning: .*\.payouts holds another store of this bank: PAYOUTS_HOME names the one to use$/,
  );
});
