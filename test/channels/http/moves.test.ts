import { expect, it } from 'vitest';
import type { Statement } from '../../../src/domain/authority.ts';
import { payloadDigest, referenceOf } from '../../../src/domain/identity.ts';
import { keyToken } from '../../../src/people/signing/key-token.ts';
import { payoutClaim } from '../../store/samples.ts';
import { policyOf, type SigningPerson, signedBy, signingPerson } from '../../support/people.ts';
import { openGateway } from './running-gateway.ts';

const alice = signingPerson('alice', ['maker']);
const anna = signingPerson('anna', ['maker']);
const yen = signingPerson('yen', ['maker'], { currencies: ['JPY'] });

const INSTRUCTION = {
  id: 'X-1',
  uid: 'u-1001',
  account_id: 'acc-u1001-eur',
  to_account_id: 'acc-u1001-usd',
  amount: '100.00',
  currency: 'USD',
};
const EXCHANGE = { kind: 'exchange', instruction: INSTRUCTION };
const REFERENCE = referenceOf('u-1001', 'X-1', 'exchange');
const MADE = { question: 'make', reference: REFERENCE, digest: payloadDigest(INSTRUCTION) } as const;
const AT = `/v1/moves/${REFERENCE}?kind=exchange&digest=${MADE.digest}`;

/** A gateway without Temporal: what would start a workflow is answered 503. */
async function opened() {
  const gateway = await openGateway([], { policy: policyOf([alice, anna, yen]) });
  const { store } = gateway.proxy;
  const ask = (person: SigningPerson, path: string, body?: object) =>
    gateway.send(path, {
      headers: {
        authorization: `Bearer ${keyToken(person.privateKey, gateway.url, Date.now())}`,
        'content-type': 'application/json',
      },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
  const signed = (about: Partial<Statement> = {}, person = alice) =>
    signedBy(person, { storeId: store.id, ...MADE, ...about });
  return { gateway, store, ask, signed, temporal: gateway.proxy.temporal };
}

const codeOf = ({ document }: { document: { error?: { code: string } } }): string | undefined => document.error?.code;

it('plans an exchange as the bank quotes it, and claims nothing', async () => {
  const { store, ask } = await opened();
  const planned = await ask(alice, '/v1/moves/plan', EXCHANGE);
  expect(planned).toMatchObject({
    status: 200,
    document: {
      schemaVersion: 1,
      known: null,
      outlook: {
        from: { account_id: 'acc-u1001-eur', currency: 'EUR' },
        to: { account_id: 'acc-u1001-usd' },
        sells: { amount: expect.stringMatching(/^\d+\.\d\d$/), rate: expect.any(String) },
      },
      store: { isNew: true },
      signs: { reference: REFERENCE, digest: MADE.digest },
    },
  });
  expect(await store.payout(REFERENCE)).toBeUndefined();
});

it('says in one answer what is wrong, by the fields', async () => {
  const { ask } = await opened();
  const instruction = { ...INSTRUCTION, amount: '1.005', uid: undefined };
  for (const path of ['/v1/moves/plan', '/v1/moves']) {
    const refused = await ask(alice, path, { kind: 'exchange', instruction });
    expect([refused.status, codeOf(refused)]).toEqual([422, 'input-invalid']);
    const findings: { column: string; rule: string }[] = refused.document.findings;
    expect(findings.map(({ column, rule }) => `${column} ${rule}`).sort()).toEqual([
      'amount too-many-decimals',
      'uid required',
    ]);
  }
});

it.each(['/v1/moves/plan', '/v1/moves'])('lets nobody ask for what is outside of their scope: %s', async (path) => {
  const { ask, signed } = await opened();
  const body = path === '/v1/moves' ? { ...EXCHANGE, signed: signed({ subject: 'yen' }, yen) } : EXCHANGE;
  const refused = await ask(yen, path, body);
  expect([refused.status, codeOf(refused)]).toEqual([403, 'outside-scope']);
  const asAnother = await ask(anna, path, { ...EXCHANGE, by: 'alice' });
  expect([asAnother.status, codeOf(asAnother)]).toEqual([403, 'maker-not-yours']);
});

it.each<[string, Partial<Statement>, SigningPerson?]>([
  ['of another amount', { digest: payloadDigest({ ...INSTRUCTION, amount: '100.01' }) }],
  ['of another document', { reference: referenceOf('u-1001', 'X-2', 'exchange') }],
  ['to another question', { question: 'payout' }],
  ['in the name of somebody else', { subject: 'anna' }],
  ['by somebody else', {}, anna],
  ['by somebody else in their own name', { subject: 'anna' }, anna],
  ['for another store', { storeId: 'another' }],
  ['and has expired', { signedAt: 1, expiresAt: 2 }],
  ['as a rejection', { decision: 'reject', remark: 'no' }],
])('starts nothing with what is signed %s', async (_what, about, person) => {
  const { store, ask, signed } = await opened();
  const refused = await ask(alice, '/v1/moves', { ...EXCHANGE, signed: signed(about, person) });
  expect([refused.status, codeOf(refused)]).toEqual([
    expect.any(Number),
    expect.stringMatching(/^(signed-something-else|decision-refused|maker-not-yours)$/),
  ]);
  expect(await store.signedDecisionsOf(MADE)).toEqual([]);
});

it('starts nothing unsigned', async () => {
  const { ask } = await opened();
  const { document } = await ask(alice, '/v1/moves', EXCHANGE);
  expect(document).toMatchObject({
    code: 'signed-something-else',
    hint: expect.stringContaining('docs/production.md'),
  });
});

it('keeps what the maker has signed once, however often the request comes', async () => {
  const { store, ask, signed, temporal } = await opened();
  temporal.down = true;
  const request = { ...EXCHANGE, signed: signed() };
  for (let again = 0; again < 3; again += 1) {
    expect(codeOf(await ask(alice, '/v1/moves', request))).toBe('temporal-unreachable');
  }
  expect(await store.signedDecisionsOf(MADE)).toMatchObject([{ id: request.signed.id, subject: 'alice' }]);
});

it('shows a started one to nobody but the person who has signed it', async () => {
  const { ask, signed, temporal } = await opened();
  temporal.down = true;
  expect(codeOf(await ask(alice, AT))).toBe('unknown-id');
  await ask(alice, '/v1/moves', { ...EXCHANGE, signed: signed() });
  expect(codeOf(await ask(alice, AT))).toBe('temporal-unreachable');
  expect(codeOf(await ask(anna, AT))).toBe('unknown-id');
});

it('shows a known document to its maker, and to others only that it is taken', async () => {
  const { store, ask } = await opened();
  const claim = { ...payoutClaim('X-1', { by: 'alice' }), ...{ reference: REFERENCE, kind: 'exchange' as const } };
  await store.claimPayout({ ...claim, workflowId: `exchange/${REFERENCE}`, ...claimOf(INSTRUCTION) });
  const known = await ask(alice, '/v1/moves/plan', EXCHANGE);
  expect(known).toMatchObject({ status: 200, document: { known: { reference: REFERENCE } } });
  expect((await ask(alice, AT)).document.payout.reference).toBe(REFERENCE);
  const others = await ask(anna, '/v1/moves/plan', EXCHANGE);
  expect([others.status, codeOf(others)]).toEqual([409, 'already-taken']);
  expect(JSON.stringify(others.document)).not.toMatch(new RegExp(`${REFERENCE}|alice|received|preparing`));
  expect(codeOf(await ask(anna, AT))).toBe('unknown-id');
  const changed = await ask(anna, '/v1/moves/plan', { ...EXCHANGE, instruction: { ...INSTRUCTION, amount: '7.00' } });
  expect(changed.document.findings).toMatchObject([{ column: 'id', rule: 'id-reused' }]);
});

const claimOf = (instruction: typeof INSTRUCTION) => ({ instruction, payloadDigest: payloadDigest(instruction) });

it('refuses members that it does not know, and card numbers in texts', async () => {
  const { ask } = await opened();
  for (const more of [{ beneficiary_id: 'ben-1' }, { note: 'card 4012 8888 8888 1881' }]) {
    const refused = await ask(alice, '/v1/moves/plan', { ...EXCHANGE, instruction: { ...INSTRUCTION, ...more } });
    expect([refused.status, codeOf(refused)]).toEqual([400, 'usage']);
    expect(JSON.stringify(refused.document)).not.toContain('4012');
  }
});
