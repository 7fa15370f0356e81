import { expect, it } from 'vitest';
import type { Statement } from '../../../src/domain/authority.ts';
import { madeDigest } from '../../../src/domain/identity.ts';
import { keyToken } from '../../../src/people/signing/key-token.ts';
import { signablePlan } from '../../../src/people/signing/signed-plan.ts';
import { batchClaim } from '../../store/samples.ts';
import { dearerQuotes } from '../../support/dearer-quotes.ts';
import { policyOf, type SigningPerson, signedBy, signingPerson } from '../../support/people.ts';
import { openGateway } from './running-gateway.ts';

const alice = signingPerson('alice', ['maker']);
const anna = signingPerson('anna', ['maker']);
const CSV =
  'id,uid,account_id,amount,currency,beneficiary_id\nr-1,u-1001,acc-u1001-usd,12.50,USD,ben-u1001-usd-local\n';
const [MINE, OTHERS] = ['01890000-0000-7000-8000-000000000001', '01890000-0000-7000-8000-000000000002'];

const FX_CSV =
  'id,uid,account_id,amount,currency,beneficiary_id\nr-1,u-1001,acc-u1001-eur,12.50,USD,ben-u1001-usd-local\n';
const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

async function opened(csv = CSV) {
  const policy = policyOf([alice, anna]);
  for (const person of policy.people) delete person.unsigned;
  const gateway = await openGateway([], { policy });
  const { store } = gateway.proxy;
  const send = (query: string, headers: Record<string, string> = {}) =>
    gateway.post(query, csv, {
      authorization: `Bearer ${keyToken(alice.privateKey, gateway.url, Date.now())}`,
      ...headers,
    });
  const { rows, plan } = (await send('?dry_run=true&rows=true')).document;
  const handOver = (
    about: Partial<Statement> = {},
    person: SigningPerson = alice,
    more: Record<string, string> = {},
  ) => {
    const made = { storeId: store.id, question: 'make', reference: MINE, digest: signablePlan(rows).digest } as const;
    const signed = signedBy(person, { ...made, ...about });
    return send('', { 'payouts-signed': encoded(signed), ...more });
  };
  return { store, rows, quotes: plan.quotes, bank: gateway.proxy.bank, send, handOver };
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

it('claims what a row may sell as its maker has signed it, despite other quotes since', async () => {
  const { store, rows, quotes, bank, handOver } = await opened(FX_CSV);
  dearerQuotes(bank);
  expect(await handOver()).toMatchObject({ status: 409, document: { error: { code: 'signed-something-else' } } });
  expect(await handOver({}, alice, { 'payouts-quotes': encoded(quotes) })).toMatchObject({ status: 202 });
  const { instruction } = (await store.payout(rows[0].reference)) ?? {};
  expect(instruction).toMatchObject({ sell_currency: 'EUR', paying_account_id: 'acc-u1001-usd' });
  expect(instruction && madeDigest(instruction)).toBe(rows[0].digest);
});

it.each<[string, (quote: object) => unknown]>([
  ['of a higher price', (quote) => ({ ...quote, sellAmount: '99.00' })],
  ['of another account that pays', (quote) => ({ ...quote, payingAccountId: 'acc-u1002-usd' })],
  ['of another currency that is sold', (quote) => ({ ...quote, sellCurrency: 'JPY' })],
  ['with a member of its own', (quote) => ({ ...quote, more: '1' })],
  ['of no number', (quote) => ({ ...quote, sellAmount: '1e9' })],
])('takes nothing with a quote %s than was signed', async (_what, changed) => {
  const { store, quotes, handOver } = await opened(FX_CSV);
  const { status } = await handOver({}, alice, { 'payouts-quotes': encoded(quotes.map(changed)) });
  expect([400, 409, 422]).toContain(status);
  expect(await store.batches(10)).toEqual([]);
});
