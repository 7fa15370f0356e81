import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { signablePlan } from '../../../src/people/signing/signed-plan.ts';
import { policyOf, signedBy, signingPerson } from '../../support/people.ts';
import { until } from '../../support/until.ts';
import { policyWithTokens } from './policy-with-tokens.ts';
import { openGateway, type RunningGateway } from './running-gateway.ts';

const ONE = {
  id: 'INV-1',
  uid: 'u-1001',
  account_id: 'acc-u1001-usd',
  amount: '12.50',
  currency: 'USD',
  beneficiary_id: 'ben-u1001-usd-local',
};
const BATCH = '01890000-0000-7000-8000-000000000001';

const submit = (
  gateway: RunningGateway,
  body: unknown = ONE,
  headers: Record<string, string> = {},
  query = '',
): ReturnType<RunningGateway['send']> =>
  gateway.send(`/v1/payouts${query}`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  });

it('takes one payout, answered as it is read at its Location, and again the one that there is', async () => {
  const gateway = await openGateway();
  const taken = await submit(gateway);
  const location = taken.headers.get('location') ?? '';
  expect([taken.status, location]).toEqual([202, `/v1/payouts/${taken.document.payout.reference}`]);
  expect(taken.document.payout).toMatchObject({ id: 'INV-1', uid: 'u-1001', amount: '12.50', state: 'received' });
  expect((await gateway.send(location)).document).toEqual(taken.document);
  const again = await submit(gateway);
  expect([again.status, again.headers.get('location'), again.document]).toEqual([200, null, taken.document]);
  const { batchId } = taken.document.payout;
  await gateway.proxy.end(batchId);
  expect(await submit(gateway)).toMatchObject({ status: 409, document: { code: 'already-taken', batchId } });
  await until(async () => readdirSync(gateway.uploads).length === 0);
});

it('finds the payout that a file of several has taken', async () => {
  const gateway = await openGateway();
  const rows = [{ ...ONE, id: 'INV-0', amount: '1.00' }, ONE];
  const headers = { 'content-type': 'application/json' };
  await gateway.send('/v1/batches', { method: 'POST', body: JSON.stringify(rows), headers });
  expect(await submit(gateway)).toMatchObject({ status: 200, document: { payout: { id: 'INV-1', row: 2 } } });
});

it('takes it once under a key, with one answer, and nothing else under the same key', async () => {
  const gateway = await openGateway();
  const key = { 'idempotency-key': 'k-1' };
  const [first, ...others] = await Promise.all([1, 2, 3].map(() => submit(gateway, ONE, key)));
  for (const other of others) {
    expect([other.status, other.document]).toEqual([202, first?.document]);
    expect(other.headers.get('location')).toBe(first?.headers.get('location'));
  }
  const reused = { status: 422, document: { code: 'idempotency-key-reused' } };
  expect(await submit(gateway, { ...ONE, amount: '12.60' }, key)).toMatchObject(reused);
  const asFile = {
    method: 'POST',
    body: JSON.stringify([ONE]),
    headers: { ...key, 'content-type': 'application/json' },
  };
  expect(await gateway.send('/v1/batches', asFile)).toMatchObject(reused);
  expect(await gateway.proxy.store.searchPayouts({}, { limit: 9 })).toHaveLength(1);
});

it('plans only, on request, and takes what was planned', async () => {
  const gateway = await openGateway();
  const planned = await submit(gateway, ONE, {}, '?dry_run=true');
  expect(planned).toMatchObject({ status: 200, document: { plan: { payouts: 1 }, findings: [] } });
  expect(await gateway.proxy.store.batches(1)).toEqual([]);
  expect(await submit(gateway, ONE, {}, '?plan=0000000000000000')).toMatchObject({
    status: 422,
    document: { code: 'other-plan' },
  });
  expect((await submit(gateway, ONE, {}, `?plan=${planned.document.plan.hash}`)).status).toBe(202);
});

it.each<[string, unknown, string, string]>([
  ['an amount with too many digits', { ...ONE, amount: '1.234' }, 'too-many-decimals', 'amount'],
  ['an amount that is a number', { ...ONE, amount: 12.5 }, 'amount-not-a-string', 'amount'],
  ['an unknown member', { ...ONE, amuont: '1' }, 'unknown-column', 'amuont'],
  ['a missing member', { ...ONE, account_id: undefined }, 'required', 'account_id'],
  ['a cap beyond any number', JSON.stringify(ONE).replace('}', ',"fee_cap":1e999}'), 'not-a-string', 'fee_cap'],
])('names the member of a finding: %s', async (_what, body, rule, column) => {
  const gateway = await openGateway();
  const { status, document } = await submit(gateway, body);
  expect([status, document.code]).toEqual([422, 'input-invalid']);
  expect(document.findings).toContainEqual(expect.objectContaining({ rule, column }));
  expect(await gateway.proxy.store.batches(1)).toEqual([]);
});

it.each<[string, unknown, number, string, Record<string, string>?, string?]>([
  ['several', [ONE, { ...ONE, id: 'INV-2' }], 400, 'json-refused'],
  ['two beside each other', `${JSON.stringify(ONE)},${JSON.stringify({ ...ONE, id: 'INV-2' })}`, 400, 'json-refused'],
  ['a member twice', JSON.stringify(ONE).replace('{', '{"amount":"1.00",'), 400, 'json-refused'],
  ['no JSON', '{', 400, 'json-refused'],
  ['nothing', '', 400, 'json-refused'],
  ['another media type', JSON.stringify(ONE), 415, 'media-type-unsupported', { 'content-type': 'text/csv' }],
  ['an unknown parameter', ONE, 400, 'usage', {}, '?dryrun=true'],
  ['more than 64 KiB', { ...ONE, note: 'x'.repeat(70_000) }, 413, 'too-large'],
])('refuses %s', async (_what, body, status, code, headers, query) => {
  const gateway = await openGateway();
  expect(await submit(gateway, body, headers, query)).toMatchObject({ status, document: { code } });
  expect(await gateway.proxy.store.batches(1)).toEqual([]);
});

it('is for makers, within their scope', async () => {
  const policy = policyWithTokens([
    ['alice', ['maker']],
    ['bob', ['approver', 'operator']],
    ['euro', ['maker'], { currencies: ['EUR'] }],
  ]);
  const gateway = await openGateway([], { policy });
  const as = (name: string) => ({ authorization: `Bearer ${name}` });
  expect(await submit(gateway)).toMatchObject({ status: 401, document: { code: 'token-refused' } });
  expect(await submit(gateway, ONE, as('bob'))).toMatchObject({ status: 403, document: { code: 'role-missing' } });
  expect(await submit(gateway, ONE, as('alice'), '?by=bob')).toMatchObject({ status: 403 });
  expect((await submit(gateway, ONE, as('euro'))).status).toBeGreaterThanOrEqual(400);
  expect(await gateway.proxy.store.batches(1)).toEqual([]);
  expect((await submit(gateway, ONE, as('alice'))).status).toBe(202);
  expect(await gateway.proxy.store.batches(1)).toMatchObject([{ by: 'alice', file: 'payout.json' }]);
});

it('keeps what its maker has signed, under the id of the batch that they signed', async () => {
  const alice = signingPerson('alice', ['maker']);
  const signing = policyWithTokens([['alice', ['maker']]]);
  const policy = policyOf([alice]);
  for (const person of policy.people) {
    delete person.unsigned;
    person.tokens = signing.people[0]?.tokens ?? [];
  }
  const gateway = await openGateway([], { policy });
  const { store } = gateway.proxy;
  const as = { authorization: 'Bearer alice' };
  const { rows } = (await submit(gateway, ONE, as, '?dry_run=true&rows=true')).document;
  const made = { storeId: store.id, question: 'make', reference: BATCH, digest: signablePlan(rows).digest } as const;
  const signed = (about: object = {}) => ({
    ...as,
    'payouts-signed': Buffer.from(JSON.stringify(signedBy(alice, { ...made, ...about }))).toString('base64url'),
  });
  const other = await submit(gateway, ONE, signed({ digest: 'plan/1/other' }));
  expect(other).toMatchObject({ status: 409, document: { code: 'signed-something-else' } });
  expect(await submit(gateway, ONE, { ...signed(), 'idempotency-key': 'k' })).toMatchObject({ status: 400 });
  const taken = await submit(gateway, ONE, signed());
  expect(taken).toMatchObject({ status: 202, document: { payout: { batchId: BATCH } } });
  const { reference } = taken.document.payout;
  expect(taken.headers.get('location')).toBe(`/v1/payouts/${reference}`);
  expect(await store.plannedDecisionsOf({ batchId: BATCH, reference, question: 'make' })).toMatchObject([
    { subject: 'alice', rowDigest: rows[0].digest },
  ]);
});
