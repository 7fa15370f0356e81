import { describe, expect, it } from 'vitest';
import { tokenSha256 } from '../../../src/channels/http/callers.ts';
import { matchOf } from '../../../src/channels/http/operations/statement-operations.ts';
import { acknowledgementOf, type Policy, type Scope } from '../../../src/domain/authority.ts';
import type { PayoutRecord } from '../../../src/store/store.ts';
import { policyOf, type SigningPerson, signedBy, signingPerson } from '../../support/people.ts';
import { claimed } from '../pages/asking.ts';
import { openGateway } from './running-gateway.ts';

/** Somebody who hands over statements that no bank has made, or says of bookings what is not so. */

const IN_EURO: Scope = { currencies: ['EUR'] };
const ACCOUNT = 'acc-u1001-usd';
const today = new Date().toISOString().slice(0, 10);

/** A credit of 12.00 USD as a bank would book the return of a payout. */
const statement = (reference: string, number = 1): string => `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><GrpHdr><MsgId>m</MsgId><CreDtTm>${today}T20:00:00</CreDtTm></GrpHdr>
<Stmt><Id>s-${number}</Id><ElctrncSeqNb>${number}</ElctrncSeqNb><CreDtTm>${today}T20:00:00</CreDtTm><Acct><Id><Othr><Id>${ACCOUNT}</Id></Othr></Id><Ccy>USD</Ccy></Acct>
<Bal><Tp><CdOrPrtry><Cd>OPBD</Cd></CdOrPrtry></Tp><Amt Ccy="USD">100.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>${today}</Dt></Dt></Bal>
<Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp><Amt Ccy="USD">112.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>${today}</Dt></Dt></Bal>
<Ntry><Amt Ccy="USD">12.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>${today}</Dt></BookgDt><AcctSvcrRef>b-${number}</AcctSvcrRef>
<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>ICDT</Cd><SubFmlyCd>RRTN</SubFmlyCd></Fmly></Domn></BkTxCd>
<NtryDtls><TxDtls><Refs><EndToEndId>${reference}</EndToEndId></Refs><Amt Ccy="USD">12.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf></TxDtls></NtryDtls></Ntry>
</Stmt></BkToCstmrStmt></Document>`;

async function opened() {
  const people = {
    maria: signingPerson('maria', ['maker']),
    olga: signingPerson('olga', ['operator']),
    oscar: signingPerson('oscar', ['operator'], IN_EURO),
    bob: signingPerson('bob', ['approver']),
    aud: signingPerson('aud', ['auditor']),
  };
  const known = policyOf(Object.values(people));
  const policy: Policy = {
    ...known,
    people: known.people.map((person) => ({
      ...person,
      tokens: [{ sha256: tokenSha256(person.name), expiresAt: Date.now() + 3_600_000 }],
    })),
  };
  const gateway = await openGateway([], { policy });
  const { store } = gateway.proxy;
  const [row] = (await claimed(gateway, [{ id: 'INV-1', amount: '12.00' }], 'maria')) as [PayoutRecord];
  await store.changePayout(row.reference, { state: 'completed', orderId: 'ord-1', reason: null, at: Date.now() });
  const as = (name: string, path: string, body: string | object) =>
    gateway.send(path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${name}`,
        'content-type': typeof body === 'string' ? 'application/xml' : 'application/json',
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const take = (name: string, text = statement(row.reference)) => as(name, '/v1/statements?file=camt.xml', text);
  const signs = (person: SigningPerson, about: Omit<Parameters<typeof signedBy>[1], 'storeId'>) =>
    signedBy(person, { storeId: store.id, ...about });
  return { people, gateway, store, row, as, take, signs };
}

describe('a statement that no bank has made', () => {
  it('is taken from an operator whose scope holds the account, and from nobody else', async () => {
    const { take, store } = await opened();
    for (const name of ['maria', 'bob', 'aud']) expect([name, (await take(name)).status]).toEqual([name, 403]);
    expect((await take('oscar')).document.statements).toMatchObject([
      { outcome: 'refused', findings: [{ rule: 'outside-scope' }] },
    ]);
    expect(await store.statementsTaken({ limit: 9 })).toEqual([]);
    expect((await take('olga')).document.statements).toMatchObject([{ outcome: 'taken' }]);
  });

  it('is shown to nobody outside whose scope the account is, nor are the differences or the period', async () => {
    const { take, gateway } = await opened();
    await take('olga');
    const seen = async (name: string, path: string): Promise<boolean> => {
      const { status, document } = await gateway.send(path, { headers: { authorization: `Bearer ${name}` } });
      expect([path, status]).toEqual([path, 200]);
      return JSON.stringify(document).includes(ACCOUNT);
    };
    for (const path of ['/v1/statements', '/v1/periods/today', '/v1/periods/today/csv'])
      expect([path, await seen('aud', path), await seen('oscar', path)]).toEqual([path, true, false]);
    for (const path of ['/v1/discrepancies?all=true', '/v1/discrepancies.csv?all=true'])
      expect([path, await seen('oscar', path)]).toEqual([path, false]);
    const whole = await gateway.send('/v1/periods/today/close', {
      method: 'POST',
      headers: { authorization: 'Bearer oscar', 'content-type': 'application/json' },
      body: '{}',
    });
    expect(whole.status).toBe(403);
  });

  it('that claims a return has nothing paid again, even once an operator has agreed: the bank shows no return', async () => {
    const { take, store, row, as, people, signs } = await opened();
    await take('olga');
    expect(await store.returnsOf([row.reference])).toMatchObject([{ amount: '12.00', currency: 'USD' }]);
    const [incident] = await store.incidentsOf([row.reference]);
    expect(incident).toMatchObject({ kind: 'returned', acknowledged: null });
    const id = incident?.id ?? '';
    const retry = () => as('maria', `/v1/batches/${row.batchId}/retry`, {});
    const early = await retry();
    expect([early.status, early.document.error.code]).toEqual([422, 'nothing-to-retry']);

    const path = `/v1/incidents/${id}/acknowledgement`;
    const reason = 'the account is closed';
    expect((await as('olga', path, { reason })).status).toBe(409);
    const forged = { ...signs(people.maria, acknowledgementOf(id, reason)), subject: 'olga' };
    expect((await as('olga', path, { reason, signed: forged })).status).toBe(403);
    const signed = signs(people.olga, acknowledgementOf(id, reason));
    expect((await as('olga', path, { reason, signed })).status).toBe(200);

    const late = await retry();
    expect(late.status).toBe(422);
    expect(late.document.findings[0].message).toContain('the bank shows order ord-1 for this document');
    expect(await store.batches(9)).toHaveLength(1);
  });
});

describe('a booking that somebody matches by hand', () => {
  async function unmatched() {
    const world = await opened();
    await world.take('olga', statement('unknown'));
    const [found] = await world.store.discrepancies({ open: true, limit: 9 });
    const entry = found?.lineIds[0] ?? '';
    const match = (name: string, body: object) =>
      world.as(name, `/v1/entries/${encodeURIComponent(entry)}/match`, { reason: 'seen', ...body });
    return { ...world, entry, match };
  }

  it('is matched by what an operator has signed about it, and by nothing else', async () => {
    const { match, entry, people, signs, store, row } = await unmatched();
    const about = matchOf(entry, 'INV-1', 'seen');
    const payout = 'INV-1';
    for (const name of ['maria', 'bob', 'aud'] as const)
      expect((await match(name, { payout, signed: signs(people[name], about) })).status).toBe(403);
    expect((await match('oscar', { payout, signed: signs(people.oscar, about) })).status).toBe(404);
    const refused = [
      {},
      { signed: signs(people.olga, matchOf(entry, undefined, 'seen')) },
      { signed: signs(people.olga, matchOf('another', 'INV-1', 'seen')) },
      { signed: signs(people.olga, { ...about, remark: 'something else' }) },
      { signed: signs(people.olga, { ...about, question: 'hold' }) },
      { signed: signs(people.maria, about) },
      { signed: { ...signs(people.maria, about), subject: 'olga' } },
      { signed: signs(people.olga, { ...about, storeId: 'other' } as never) },
      { signed: signs(people.olga, { ...about, expiresAt: Date.now() - 1 }) },
    ];
    for (const [n, more] of refused.entries()) {
      const { status } = await match('olga', { payout, ...more });
      expect([n, [403, 409].includes(status), await store.entryDecisions(row.uid)]).toEqual([n, true, []]);
    }
    expect((await match('olga', { payout, by: 'oscar', signed: signs(people.olga, about) })).status).toBe(200);
    expect(await store.entryDecisions(row.uid)).toMatchObject([
      { lineId: entry, reference: row.reference, by: 'olga' },
    ]);
  });

  it('is asked about once more before anything follows from it', async () => {
    const { match, entry, people, signs, store, row } = await unmatched();
    const signed = signs(people.olga, matchOf(entry, 'INV-1', 'seen'));
    expect((await match('olga', { payout: 'INV-1', signed })).status).toBe(200);
    expect(await store.payout(row.reference)).toMatchObject({ state: 'completed', orderId: 'ord-1' });
    expect(await store.incidentsOf([row.reference])).toMatchObject([{ kind: 'returned', acknowledged: null }]);
  });
});
