import { readdirSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { resolveDigest } from '../../../src/domain/authority.ts';
import { keyToken } from '../../../src/people/signing/key-token.ts';
import { csvOf } from '../../e2e/payout-files.ts';
import { policyOf, type SigningPerson, signedBy, signingPerson } from '../../support/people.ts';
import { until } from '../../support/until.ts';
import { claimed } from '../pages/asking.ts';
import { apiOf } from './api-client.ts';
import { openGateway } from './running-gateway.ts';
import { mt940Of, UNEXPLAINED } from './statement-samples.ts';

const [olga, oscar, ada] = [
  signingPerson('olga', ['operator']),
  signingPerson('oscar', ['operator'], { accounts: ['acc-of-others'] }),
  signingPerson('ada', ['auditor']),
];

async function opened() {
  const gateway = await openGateway([], { policy: policyOf([signingPerson('alice', ['maker']), olga, oscar, ada]) });
  const [payout] = await claimed(gateway, [{ id: 'INV-1', amount: '77.70' }], 'alice');
  const before = readdirSync(gateway.uploads);
  onTestFinished(() => until(async () => readdirSync(gateway.uploads).length === before.length));
  const tokenOf = (person: SigningPerson) => keyToken(person.privateKey, gateway.url, Date.now());
  const as = (person: SigningPerson, headers: Record<string, string> = {}) => ({
    authorization: `Bearer ${tokenOf(person)}`,
    ...headers,
  });
  const apiFor = (person: SigningPerson) => apiOf(gateway, () => tokenOf(person));
  const take = (person: SigningPerson, body: string, type = 'application/octet-stream') =>
    gateway.send('/v1/statements?file=march.sta', {
      method: 'POST',
      body,
      headers: as(person, { 'content-type': type }),
    });
  const match = (person: SigningPerson, entry: string, body: object) =>
    gateway.send(`/v1/entries/${entry}/match`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: as(person, { 'content-type': 'application/json' }),
    });
  return { gateway, reference: payout?.reference ?? '', take, apiFor, match };
}

it('takes a statement once, and shows what is different to whoever may see the books', async () => {
  const { gateway, take, apiFor } = await opened();
  const taken = await take(olga, UNEXPLAINED);
  expect(taken).toMatchObject({
    status: 200,
    document: {
      file: 'march.sta',
      statements: [{ outcome: 'taken', accountId: 'acc-u1001-usd', entries: 2, closing: '930.00' }],
      reconciled: [{ uid: 'u-1001', lines: 2, discrepancies: 2 }],
    },
  });
  expect((await take(olga, UNEXPLAINED)).document.statements).toMatchObject([{ outcome: 'known' }]);
  expect(await gateway.proxy.store.statementsTaken({ limit: 9 })).toMatchObject([{ takenBy: 'olga' }]);

  const books = await apiFor(ada);
  const { discrepancies } = (await books.listDiscrepancies()).data;
  expect(discrepancies.map((it: { kind: string }) => it.kind).sort()).toEqual([
    'unexplained-credit',
    'unexplained-debit',
  ]);
  expect(await (await books.exportDiscrepancies()).text()).toContain('unexplained-debit');
  expect((await books.listStatements()).data).toMatchObject({
    statements: [{ accountId: 'acc-u1001-usd', closing: '930.00' }],
    flows: [{ day: '2026-03-12', out: '77.70', in: '7.70', bookings: 2, open: 2 }],
  });
  const others = await apiFor(oscar);
  expect((await others.listDiscrepancies()).data.discrepancies).toEqual([]);
  expect((await others.listStatements()).data).toMatchObject({ statements: [], flows: [] });
});

it.each<[string, SigningPerson, string, number, object]>([
  ['somebody who only reads', ada, UNEXPLAINED, 403, { error: {} }],
  ['an operator of other accounts', oscar, UNEXPLAINED, 200, { statements: [{ outcome: 'refused' }] }],
  ['who sends a file of payouts', olga, csvOf([{ id: '1' }]), 422, { error: { code: 'input-invalid' } }],
  ['who sends it cut off', olga, UNEXPLAINED.slice(0, 180), 200, { statements: [{ outcome: 'refused' }] }],
  ['whose statement does not add up', olga, mt940Of(['D5,00NTRF']), 200, { statements: [{ outcome: 'refused' }] }],
  ['whose account is not ours', olga, mt940Of([], { account: '123' }), 200, { statements: [{ outcome: 'refused' }] }],
])('takes nothing of %s', async (_who, person, body, status, document) => {
  const { gateway, take } = await opened();
  expect(await take(person, body)).toMatchObject({ status, document });
  expect(await gateway.proxy.store.statementsTaken({ limit: 9 })).toEqual([]);
  expect(gateway.log.join()).not.toMatch(/march\.sta|no payout of ours/);
});

it('records which payout a booking belongs to only with what its operator has signed about exactly that', async () => {
  const { gateway, reference, take, apiFor, match } = await opened();
  await take(olga, UNEXPLAINED);
  const { store } = gateway.proxy;
  const { discrepancies } = (await (await apiFor(olga)).listDiscrepancies()).data;
  const debit = discrepancies.find((it: { kind: string }) => it.kind === 'unexplained-debit');
  const { entry } = debit.bookings[0];
  const reason = 'asked the bank';
  const signed = (about: object = {}, person = olga) =>
    signedBy(person, {
      ...{ storeId: store.id, question: 'resolve', reference: entry, digest: resolveDigest('match', reference) },
      ...{ remark: reason, ...about },
    });
  const asked = { payout: reference, reason };
  const status = async (body: object, person = olga) => (await match(person, entry, body)).status;
  expect(await status({ ...asked })).toBeGreaterThanOrEqual(400);
  expect(await status({ ...asked, signed: signed({ digest: resolveDigest('match', undefined) }) })).toBe(409);
  expect(await status({ ...asked, signed: signed({ reference: 'stm-other.1' }) })).toBe(409);
  const otherwise = await match(olga, entry, { ...asked, signed: signed({ remark: 'another reason', digest: 'x' }) });
  expect([otherwise.status, otherwise.document.detail]).toEqual([409, expect.stringMatching(/: digest, remark\.$/)]);
  expect(await status({ ...asked, signed: signed({ storeId: 'another' }) })).toBe(403);
  expect(await status({ ...asked, signed: signed({}, ada) })).toBe(403);
  expect(await status({ ...asked, signed: signed({}, oscar) }, oscar)).toBe(404);
  expect(await status({ ...asked, signed: signed({}, ada) }, ada)).toBe(403);
  expect(await store.entryDecisions('u-1001')).toEqual([]);

  expect(await match(olga, entry, { ...asked, signed: signed() })).toMatchObject({
    status: 200,
    document: { entry, reference },
  });
  expect(await store.entryDecisions('u-1001')).toMatchObject([{ lineId: entry, reference, by: 'olga', reason }]);
  expect(
    await store.signedDecisionsOf({ reference: entry, question: 'resolve', digest: resolveDigest('match', reference) }),
  ).toMatchObject([{ subject: 'olga', remark: reason }]);
  expect((await store.auditEntriesOf(reference)).at(-1)).toMatchObject({ actor: 'olga', action: 'booking matched' });
});

it('says in the words of HTTP why a statement is refused', async () => {
  const { take } = await opened();
  const { document } = await take(olga, mt940Of([], { account: 'acc-nobody' }));
  const [{ message }] = document.statements[0].findings;
  expect(message).toMatch(/^not an account of ours: neither the mapping file nor the bank names it/);
});
