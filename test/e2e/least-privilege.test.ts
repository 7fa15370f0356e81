import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { Client } from 'pg';
import { expect, inject, it, onTestFinished } from 'vitest';
import { startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { type CommandHome, openCommandHome, QUICK } from '../support/command.ts';
import { createDatabase, dropDatabase, migrated } from '../support/databases.ts';
import { newFolder } from '../support/new-folder.ts';
import { ownPort } from '../support/own-port.ts';
import { type SigningPerson, signingPerson } from '../support/people.ts';
import { registerNamespace } from '../support/product.ts';
import { until } from '../support/until.ts';
import { batchOf } from './documents.ts';
import { csvOf } from './payout-files.ts';

/**
 * A worker, a gateway and laptops of people as production has them, on PostgreSQL: each holds what it needs and nothing else.
 * `PAYOUTS_TEST_POSTGRES_URL` names a server on which roles and databases may be made.
 */
const POSTGRES = process.env.PAYOUTS_TEST_POSTGRES_URL;
const BANK = { PAYOUTS_API_KEY: 'own-key', PAYOUTS_API_SECRET: 'own-secret' };
const alice = signingPerson('alice', ['maker']);
const bob = signingPerson('bob', ['approver', 'auditor']);

const secret = (): string => randomBytes(32).toString('base64');

async function ownNamespace(): Promise<string> {
  const namespace = `least-${process.pid}-${Date.now()}`;
  const connection = await Connection.connect({ address: inject('temporalAddress') });
  onTestFinished(() => connection.close());
  await registerNamespace(connection, namespace);
  return namespace;
}

async function rolesOf(admin: string): Promise<{ owner: string; writer: string; reader: string }> {
  const name = `payouts_least_${process.pid}`;
  const owner = await createDatabase(admin, name);
  onTestFinished(() => dropDatabase(admin, name));
  return { owner, ...(await migrated(admin, owner)) };
}

/** A home of one process, or of the laptop of a person. */
function homeOf(env: Readonly<Record<string, string>>): CommandHome {
  const home = openCommandHome(env, { pays: false });
  onTestFinished(() => home.close());
  return home;
}

async function startCluster(admin: string) {
  const folder = newFolder();
  const policy = {
    version: 1,
    people: [alice, bob].map(({ name, roles, publicKey }) => ({ name, roles, scope: {}, keys: [publicKey] })),
    approvals: [
      { currency: 'USD', amountAtLeast: '10', approvals: 1 },
      { currency: 'EUR', approvals: 1 },
    ],
  };
  writeFileSync(join(folder, 'policy.json'), JSON.stringify(policy), { mode: 0o600 });
  const bank = await startSandbox({ file: ':memory:', apiKey: 'own-key', apiSecret: 'own-secret' });
  onTestFinished(() => bank.close());
  const { owner, writer, reader } = await rolesOf(admin);
  const port = await ownPort();
  const services = {
    ...QUICK,
    ...{ TEMPORAL_ADDRESS: inject('temporalAddress'), TEMPORAL_NAMESPACE: await ownNamespace() },
    ...{ PAYOUTS_ONE_MACHINE: 'true', PAYOUTS_API_URL: bank.url, PAYOUTS_POLICY: join(folder, 'policy.json') },
    ...{ PAYOUTS_STORE_URL: writer, PAYOUTS_CODEC_KEYS: `k1:${secret()}`, PAYOUTS_BANK_READS_KEY: secret() },
  };
  const worker = homeOf({ ...services, ...BANK, PAYOUTS_BANK_READS_ADDRESS: `${port}` });
  await worker.start('worker').says(/Worker on/);
  const gateway = homeOf({ ...services, PAYOUTS_BANK_READS_FROM: `127.0.0.1:${port}` });
  const serving = gateway.start('gateway', '--json');
  await serving.says(/gatewayUrl/);
  const { gatewayUrl } = JSON.parse(serving.printed()) as { gatewayUrl: string };
  const laptop = ({ name, privateKey }: SigningPerson): CommandHome => {
    const key = join(folder, `${name}.pem`);
    writeFileSync(key, privateKey, { mode: 0o600 });
    return homeOf({ PAYOUTS_GATEWAY_URL: gatewayUrl, PAYOUTS_SIGNING_KEY_FILE: key });
  };
  return { owner, writer, reader, services, worker, gateway, bank, alices: laptop(alice), bobs: laptop(bob) };
}

const codeOf = async (url: string, statement: string): Promise<string> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  return client
    .query(statement)
    .then(
      () => 'done',
      ({ code }: { code: string }) => code,
    )
    .finally(() => client.end());
};

const DENIED = '42501';

/** What doctor says of a check. */
async function doctorSays(home: CommandHome, name: string, ...args: string[]): Promise<string> {
  const { checks } = JSON.parse((await home.payouts('doctor', '--json', ...args)).stdout) as {
    checks: { name: string; verdict: string; detail: string }[];
  };
  const { verdict, detail } = checks.find((check) => check.name === name) ?? { verdict: 'none', detail: '' };
  return `${verdict}: ${detail}`;
}

const FX = { account_id: 'acc-u1001-eur' };

it.runIf(POSTGRES !== undefined)(
  'pays what people sign on their laptops, with roles of the store that can do no more than they need',
  async () => {
    const cluster = await startCluster(POSTGRES ?? '');
    const { alices, bobs, writer, reader } = cluster;
    const rows = [{ id: 'SMALL' }, { id: 'SMALL-FX', ...FX }, { id: 'LARGE' }].map((row) => ({
      ...row,
      amount: row.id === 'LARGE' ? '12.50' : '5.00',
    }));
    const submitted = await alices.payouts(
      'run',
      alices.file('payroll.csv', csvOf(rows)),
      '--yes',
      '--json',
      '--detach',
    );
    expect([submitted.code, submitted.stderr]).toEqual([
      0,
      expect.stringMatching(/at most 4\.\d\d EUR is sold for 5\.00 USD/),
    ]);
    const { batchId } = batchOf(submitted);
    const statesNow = async () => {
      const { payouts } = batchOf(await bobs.payouts('status', batchId, '--json'));
      return Object.fromEntries(payouts.map(({ id, state }) => [id, state]));
    };
    // What its maker has signed needs nobody else, with its exchange too.
    const waiting = { SMALL: 'completed', 'SMALL-FX': 'completed', LARGE: 'awaiting-approval' };
    await until(async () => JSON.stringify(await statesNow()) === JSON.stringify(waiting));
    expect((await bobs.payouts('approve', 'LARGE', '--yes')).code).toBe(0);
    await until(async () => (await statesNow()).LARGE === 'completed');

    const audited = JSON.parse((await bobs.payouts('audit', 'verify', '--json')).stdout);
    expect(audited.audit).toMatchObject({ ok: true });
    expect(await codeOf(writer, 'select count(*) from payouts')).toBe('done');
    for (const statement of ['alter table payouts add column mine text', 'delete from audit_log', 'truncate audit_log'])
      expect([statement, await codeOf(writer, statement)]).toEqual([statement, DENIED]);
    expect(await codeOf(reader, 'select count(*) from audit_log')).toBe('done');
    expect(await codeOf(reader, "update payouts set state = 'completed'")).toBe(DENIED);
  },
);

it.runIf(POSTGRES !== undefined)('doctor says what each process holds that it does not need', async () => {
  const { owner, worker, gateway, services, alices } = await startCluster(POSTGRES ?? '');
  const check = 'secrets';
  expect(await doctorSays(worker, check)).toMatch(/^ok: /);
  expect(await doctorSays(gateway, check)).toMatch(/^ok: /);
  expect(await doctorSays(worker, check, '--as', 'gateway')).toMatch(/^warning: .*PAYOUTS_API_KEY, PAYOUTS_API_SECRET/);
  const key = { PAYOUTS_SIGNING_KEY: bob.privateKey };
  expect(await doctorSays(homeOf({ ...services, ...BANK, ...key }), check)).toMatch(/^warning: .*PAYOUTS_SIGNING_KEY/);
  expect(await doctorSays(alices, check)).toMatch(/^ok: /);
  expect(await doctorSays(worker, 'store role')).toMatch(/^ok: payouts_writer/);
  const owning = homeOf({ ...services, ...BANK, PAYOUTS_STORE_URL: owner });
  expect(await doctorSays(owning, 'store role')).toMatch(/^warning: .* may alter tables/);
});
