import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { gatewayClient } from '../../../src/channels/http/gateway-client.ts';
import { retry, run } from '../../../src/cli/run.ts';
import type { Session } from '../../../src/cli/session.ts';
import { payloadDigest } from '../../../src/domain/identity.ts';
import type { MessageFiles } from '../../../src/files/messages/message-context.ts';
import { keyToken } from '../../../src/people/signing/key-token.ts';
import { loadConfig } from '../../../src/platform/config.ts';
import { openGateway } from '../../channels/http/running-gateway.ts';
import { csvOf } from '../../e2e/payout-files.ts';
import { fakeSession } from '../../support/fake-session.ts';
import { policyOf, signingPerson } from '../../support/people.ts';

const alice = signingPerson('alice', ['maker']);
const MESSAGE = 'examples/suppliers.pain.001.001.09.xml';
const MAPPED = { mapping: 'examples/mapping.json', payees: 'examples/payees.csv' };
/** The same under three ids. */
const ROWS = csvOf(['A-1', 'A-2', 'A-3'].map((id) => ({ id, amount: '1.00' })));

// biome-ignore lint/suspicious/noExplicitAny: a gateway can answer anything
type Lie = (answer: any) => void;

/** A gateway, and the command of a maker to whom it says what `lie` makes of its plan. */
async function opened(lie: Lie = () => {}, files: MessageFiles = {}) {
  const policy = policyOf([alice]);
  for (const person of policy.people) delete person.unsigned;
  const gateway = await openGateway([], { policy });
  const { store, dir } = gateway.proxy;
  const config = loadConfig({ PAYOUTS_HOME: join(dir, 'laptop') });
  Object.assign(gateway.app.config, { messageMapping: files.mapping, payeeDirectory: files.payees });
  const said: string[] = [];
  const client = gatewayClient(gateway.url, () => keyToken(alice.privateKey, gateway.url, Date.now()));
  const session = fakeSession({
    config: { ...config, signingKey: { reveal: () => alice.privateKey } },
    output: { say: (text: string) => said.push(text), notify() {}, result() {}, stream() {} },
    gateway: {
      ...client,
      async send(path: string, request: RequestInit) {
        const answer = await client.send(path, request);
        if (!path.includes('dry_run=true')) return answer;
        const document = await answer.json();
        lie(document);
        return Response.json(document, { status: answer.status });
      },
      async carryOut(it: { path: string }, input: object) {
        const answer = await client.carryOut(it as never, input as never);
        const { handed } = answer as { handed?: { document?: { plan: object }; rows?: object[] } };
        if (handed?.rows !== undefined) lie({ ...handed.document?.plan, rows: handed.rows });
        return answer;
      },
    },
  });
  const file = join(dir, 'rows.csv');
  writeFileSync(file, ROWS);
  const signatures = async () => {
    const [batch] = await store.batches(1);
    if (batch === undefined) return undefined;
    const { batchId } = batch;
    const found = await Array.fromAsync(store.rows(batchId), ({ reference }) =>
      store.plannedDecisionsOf({ batchId, reference, question: 'make' }),
    );
    return found.map((made) => made.map(({ subject }) => subject).join());
  };
  /** The newest batch, in which nothing was paid. */
  const unpaid = async (): Promise<string> => {
    const [batch] = await store.batches(1);
    const batchId = batch?.batchId ?? '';
    await gateway.proxy.end(batchId, 'rejected');
    return batchId;
  };
  return { session, said, file, store, signatures, unpaid };
}

const running = (session: Session, file: string, more: object = {}) =>
  run(session, file, { invalid: 'stop', yes: true, detach: true, timeout: undefined, by: undefined, ...more });

const retrying = (session: Session, batchId: string, more: object = {}) =>
  retry(session, batchId, {
    ...{ rows: undefined, yes: true, detach: true, timeout: undefined, by: undefined, allowLookAlikes: true },
    ...more,
  });

it('signs every row of a file, also of two that pay the same', async () => {
  const { session, said, file, signatures } = await opened();
  expect(await running(session, file)).toBe(0);
  expect(await signatures()).toEqual(['alice', 'alice', 'alice']);
  expect(said.join()).not.toContain('to be approved before sending');
});

it.each<[string, Lie]>([
  ['another payload of a row', ({ rows }) => Object.assign(rows[0], { digest: 'f'.repeat(64) })],
  ['another reference', ({ rows }) => Object.assign(rows[0], { reference: '01234567-89ab-5cde-8f01-23456789abcd' })],
  ['a row twice', ({ rows }) => rows.push(rows[0])],
  ['a row less', ({ rows }) => rows.pop()],
  ['no rows', (answer) => Object.assign(answer, { rows: undefined })],
  ['another total', ({ plan }) => Object.assign(plan.totals[0], { amount: '0.01' })],
  ['another account', ({ plan }) => Object.assign(plan.accounts[0], { accountId: 'acc-other' })],
  ['another number of payouts', ({ plan }) => Object.assign(plan, { payouts: 1 })],
])('signs and sends nothing if the plan has %s', async (_what, lie) => {
  const { session, file, signatures } = await opened(lie);
  await expect(running(session, file)).rejects.toMatchObject({ code: 'plan-differs' });
  expect(await signatures()).toBeUndefined();
});

it('refuses a plan that leaves out a row, with figures that fit', async () => {
  const { session, file, signatures } = await opened(({ rows, plan }) => {
    rows.pop();
    Object.assign(plan, { payouts: 2 });
    for (const sums of [plan.totals, plan.accounts]) Object.assign(sums[0], { count: 2, amount: '2.00' });
  });
  await expect(running(session, file)).rejects.toMatchObject({ code: 'plan-differs' });
  expect(await signatures()).toBeUndefined();
});

it('signs a bank message that mapping and payee directory complete here as they do there', async () => {
  const { session, said, signatures } = await opened(undefined, MAPPED);
  expect(await running(session, MESSAGE, MAPPED)).toBe(0);
  expect(new Set(await signatures())).toEqual(new Set(['alice']));
  expect(said.join()).not.toContain('not signed here');
});

it('signs nothing of a bank message that only the gateway can complete, and says so before it is confirmed', async () => {
  const { session, said, signatures } = await opened(undefined, MAPPED);
  expect(await running(session, MESSAGE)).toBe(0);
  expect(new Set(await signatures())).toEqual(new Set(['']));
  expect(said[0]).toMatch(/not signed here\. .* --mapping and --payees/);
  expect(said.slice(1).join()).toContain('to be approved before sending');
});

it('refuses a bank message that the gateway completes in another way', async () => {
  const { session, signatures } = await opened(undefined, MAPPED);
  await expect(running(session, MESSAGE, { mapping: MAPPED.mapping })).rejects.toMatchObject({ code: 'plan-differs' });
  expect(await signatures()).toBeUndefined();
});

it('signs again what its maker has signed before, generation after generation', async () => {
  const { session, said, file, store, signatures, unpaid } = await opened();
  await running(session, file);
  for (const generation of [1, 2]) {
    expect(await retrying(session, await unpaid())).toBe(0);
    const [batch] = await store.batches(1);
    expect(await Array.fromAsync(store.rows(batch?.batchId ?? ''), (row) => row.generation)).toEqual(
      Array.from({ length: 3 }, () => generation),
    );
    expect(await signatures()).toEqual(['alice', 'alice', 'alice']);
  }
  expect(said.join()).not.toContain('to be approved before sending');
});

it('signs some rows again', async () => {
  const { session, file, signatures, unpaid } = await opened();
  await running(session, file);
  expect(await retrying(session, await unpaid(), { rows: new Set([2]) })).toBe(0);
  expect(await signatures()).toEqual(['alice']);
});

it('signs nothing again that was not signed before, and says so before it is confirmed', async () => {
  const { session, said, signatures, unpaid } = await opened(undefined, MAPPED);
  await running(session, MESSAGE);
  const batchId = await unpaid();
  said.length = 0;
  expect(await retrying(session, batchId)).toBe(0);
  expect(new Set(await signatures())).toEqual(new Set(['']));
  expect(said[0]).toContain('none is signed now');
  expect(said.slice(1).join()).toContain('to be approved before sending');
});

it.each<[string, Lie]>([
  ['another payee', ({ rows }) => Object.assign(rows[0].instruction, { beneficiary_id: 'ben-other' })],
  ['another amount', ({ rows }) => Object.assign(rows[0].instruction, { amount: '9.00' })],
  ['another reference', ({ rows }) => Object.assign(rows[0], { reference: rows[1].reference })],
  ['another generation', ({ rows }) => Object.assign(rows[0], { generation: 2 })],
  ['another total', ({ totals }) => Object.assign(totals[0], { amount: '0.01' })],
  ['the proof of another row', ({ rows }) => Object.assign(rows[0], { before: rows[1].before })],
  ['another statement', ({ rows }) => Object.assign(rows[0].before, { storeId: 'another' })],
  ['a rejection as proof', ({ rows }) => Object.assign(rows[0].before, { decision: 'reject' })],
  [
    'a payee that its digest fits',
    ({ rows }) => {
      Object.assign(rows[0].instruction, { beneficiary_id: 'ben-other' });
      Object.assign(rows[0], { digest: payloadDigest(rows[0].instruction) });
    },
  ],
])('pays nothing again if the gateway answers %s', async (_what, lie) => {
  const { session, file, store, unpaid } = await opened((answer) => {
    if ('totals' in answer) lie(answer);
  });
  await running(session, file);
  await expect(retrying(session, await unpaid())).rejects.toMatchObject({ code: 'plan-differs' });
  expect(await store.batches(10)).toHaveLength(1);
});
