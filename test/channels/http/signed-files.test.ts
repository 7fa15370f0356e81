import { expect, it } from 'vitest';
import type { Statement } from '../../../src/domain/authority.ts';
import { keyToken } from '../../../src/people/signing/key-token.ts';
import { signablePlan } from '../../../src/people/signing/signed-plan.ts';
import { batchClaim } from '../../store/samples.ts';
import { policyOf, type SigningPerson, signedBy, signingPerson } from '../../support/people.ts';
import { openGateway } from './running-gateway.ts';

const alice = signingPerson('alice', ['maker']);
const anna = signingPerson('anna', ['maker']);
const CSV =
  'id,uid,account_id,amount,currency,beneficiary_id\nr-1,u-1001,acc-u1001-usd,12.50,USD,ben-u1001-usd-local\n';
const [MINE, OTHERS] = ['01890000-0000-7000-8000-000000000001', '01890000-0000-7000-8000-000000000002'];

async function opened() {
  const policy = policyOf([alice, anna]);
  for (const person of policy.people) delete person.unsigned;
  const gateway = await openGateway([], { policy });
  const { store } = gateway.proxy;
  const send = (query: string, headers: Record<string, string> = {}) =>
    gateway.post(query, CSV, {
      authorization: `Bearer ${keyToken(alice.privateKey, gateway.url, Date.now())}`,
      ...headers,
    });
  const { rows } = (await send('?dry_run=true&rows=true')).document;
  const handOver = (
    about: Partial<Statement> = {},
    person: SigningPerson = alice,
    more: Record<string, string> = {},
  ) => {
    const made = { storeId: store.id, question: 'make', reference: MINE, digest: signablePlan(rows).digest } as const;
    const signed = signedBy(person, { ...made, ...about });
    return send('', { 'payouts-signed': Buffer.from(JSON.stringify(signed)).toString('base64url'), ...more });
  };
  return { store, rows, send, handOver };
}

it('keeps what a maker has signed of the rows, under the id of the batch, however often it is sent', async () => {
  const { store, rows, handOver } = await opened();
  expect(await handOver()).toMatchObject({ status: 202, document: { batchId: MINE } });
  const about = { batchId: MINE, reference: rows[0].reference, question: 'make' } as const;
  expect(await store.plannedDecisionsOf(about)).toMatchObject([{ subject: 'alice', rowDigest: rows[0].digest }]);
});

it('plans an approval for what nobody signs, and none for what its maker is about to sign', async () => {
  const { send } = await opened();
  const asked = async (query: string) => (await send(query)).document.plan.approvals.beforeSend;
  expect(await asked('?dry_run=true')).toEqual([{ people: 1, payouts: 1 }]);
  expect(await asked('?dry_run=true&rows=true')).toEqual([]);
});

it.each<[string, Partial<Statement>, SigningPerson?]>([
  ['by somebody else', {}, anna],
  ['in the name of somebody else', { subject: 'anna' }],
  ['of other rows', { digest: 'plan/1/other' }],
  ['for another store', { storeId: 'another' }],
  ['and has expired', { signedAt: 1, expiresAt: 2 }],
])('takes nothing with what is signed %s', async (_what, about, person) => {
  const { store, handOver } = await opened();
  const { status, document } = await handOver(about, person);
  expect([status, document.error?.code]).toEqual([
    expect.any(Number),
    expect.stringMatching(/decision-refused|signed-something-else/),
  ]);
  expect(status).toBeGreaterThan(400);
  expect(await store.batches(10)).toEqual([]);
});

it.each<[string, Partial<Statement>, Record<string, string>?]>([
  ['asks something else', { question: 'payout' }],
  ['names no batch', { reference: 'any' }],
  ['comes with a key of its own', {}, { 'idempotency-key': 'k' }],
])('refuses a signature that %s', async (_what, about, more) => {
  const { handOver } = await opened();
  expect((await handOver(about, alice, more)).status).toBe(400);
});

it('shows nobody the batch of somebody else whose id they sign', async () => {
  const { store, handOver } = await opened();
  await store.claimBatch({ ...batchClaim(OTHERS, ['X-1'], 1_000), by: 'anna' });
  const { status, document } = await handOver({ reference: OTHERS });
  expect([status, document.error?.code]).toEqual([403, 'decision-refused']);
});
