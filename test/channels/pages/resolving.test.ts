import { describe, expect, it } from 'vitest';
import { because } from '../../../src/domain/reasons.ts';
import type { PayoutRecord } from '../../../src/store/store.ts';
import { DEFAULT_PAYMENT } from '../../support/product.ts';
import { softwarePasskey } from '../../support/software-passkey.ts';
import { openGateway, type RunningGateway } from '../http/running-gateway.ts';
import { claimed } from './asking.ts';
import { openPagesOf, type PagePeople, signedIn, Visit } from './visiting.ts';

async function open(): Promise<{ people: PagePeople; gateway: RunningGateway; row: PayoutRecord }> {
  const { people, gateway } = await openPagesOf({
    alice: 'maker',
    bob: 'approver',
    carol: 'operator',
    dave: ['operator approver', { currencies: ['EUR'] }],
    erin: 'operator',
  });
  return { people, gateway, row: await undecidable(gateway) };
}

async function undecidable(gateway: RunningGateway): Promise<PayoutRecord> {
  const [row] = await claimed(gateway, [{ id: 'inv-1' }], 'alice');
  const reason = because('outcome-unknown');
  await gateway.proxy.store.changePayout(row.reference, { state: 'needs-operator', reason, at: Date.now() });
  return row;
}

const CLOSE = { action: 'close-as-not-paid', evidence: 'statement of 12 May' };
const keyOf = ({ passkeys }: PagePeople, name: string) => passkeys[name] ?? softwarePasskey();

describe('a payout that nobody can decide by reading', () => {
  it('is resolved by what two operators have signed, each with evidence', async () => {
    const { people, gateway, row } = await open();
    const { store } = gateway.proxy;
    const { reference } = row;
    const path = `/payouts/${reference}`;
    for (const name of ['carol', 'erin']) {
      const visit = await signedIn(people, name);
      const answer = await visit.sign(path, `${path}/resolve`, { ...CLOSE, order: '' }, keyOf(people, name));
      expect(answer).toMatchObject({ status: 303, headers: { location: `${path}?notice=resolved` } });
      expect((await visit.send(`${path}?notice=resolved`)).text).toContain('Accepted. The history shows the answer.');
    }
    const about = { reference, question: 'resolve', digest: 'close-as-not-paid/' } as const;
    const signed = await store.signedDecisionsOf(about);
    expect(signed.map(({ subject, remark }) => [subject, remark])).toEqual([
      ['carol', CLOSE.evidence],
      ['erin', CLOSE.evidence],
    ]);
    expect(gateway.resolves).toEqual(
      signed.map(({ id: decisionId, subject: by }) => ({ reference, ...CLOSE, orderId: undefined, by, decisionId })),
    );
    expect((await store.auditEntriesOf(reference)).at(-1)).toMatchObject({
      actor: 'erin',
      action: 'asked to resolve',
      detail: { ...CLOSE, outcome: 'searched again; nothing new' },
    });
    expect((await (await signedIn(people, 'carol')).send(path)).text).toContain('searched again; nothing new');
  });

  it('is resolved by nobody else: not by another role or scope, a foreign passkey, or without the form of the page', async () => {
    const { people, gateway, row } = await open();
    const path = `/payouts/${row.reference}`;
    const send = async (name: string): Promise<[seen: number, offered: boolean, sent: number]> => {
      const visit = await signedIn(people, name);
      const { status, text } = await visit.send(path);
      const csrf = /name="_csrf" value="([^"]*)"/.exec((await visit.send('/')).text)?.[1] ?? '';
      const body = new URLSearchParams({ _csrf: csrf, ...CLOSE }).toString();
      const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
      const sent = await visit.send(`${path}/resolve`, { method: 'POST', body, headers });
      return [status, text.includes('/resolve"'), sent.status];
    };
    expect(await send('alice')).toEqual([200, false, 403]);
    expect(await send('bob')).toEqual([200, false, 403]);
    expect(await send('dave')).toEqual([404, false, 404]);
    expect(await send('carol')).toEqual([200, true, 200]);
    const carol = await signedIn(people, 'carol');
    expect((await carol.sign(path, `${path}/resolve`, CLOSE, softwarePasskey())).status).toBe(403);
    const unasked = new URLSearchParams(CLOSE).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await carol.send(`${path}/resolve`, { method: 'POST', body: unasked, headers })).status).toBe(403);
    expect((await carol.submit(path, `${path}/resolve`, CLOSE)).text).toContain('passkeys need JavaScript');
    expect(gateway.resolves).toEqual([]);
  });

  it('is not resolved by what was signed about another action, order or evidence, without evidence, or once it goes on', async () => {
    const { people, gateway, row } = await open();
    const path = `/payouts/${row.reference}`;
    const carol = await signedIn(people, 'carol');
    const key = keyOf(people, 'carol');
    const asked = await carol.submit(path, `${path}/resolve`, CLOSE, { accept: 'application/json' });
    const { options, statement } = JSON.parse(asked.text);
    const signed = JSON.stringify({ statement, assertion: key.assert(options.challenge, { origin: people.origin }) });
    const status = async (fields: Record<string, string>) =>
      (await carol.submit(path, `${path}/resolve`, { ...CLOSE, signed, ...fields })).status;
    expect(await status({ action: 'resend' })).toBe(409);
    expect(await status({ order: 'ord-9' })).toBe(409);
    expect(await status({ evidence: 'another' })).toBe(409);
    expect(await status({ evidence: '' })).toBe(400);
    expect(await status({ action: 'fly' })).toBe(400);
    expect(await status({ action: 'adopt-order' })).toBe(400);
    expect(gateway.resolves).toEqual([]);
    expect(await status({})).toBe(303);
    expect(await status({})).toBe(403);
    expect(gateway.resolves).toHaveLength(1);
    const fields = { ...CLOSE, _csrf: /name="_csrf" value="([^"]*)"/.exec((await carol.send(path)).text)?.[1] ?? '' };
    await gateway.proxy.store.changePayout(row.reference, { state: 'completed', reason: null, at: Date.now() });
    const body = new URLSearchParams(fields).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await carol.send(`${path}/resolve`, { method: 'POST', body, headers })).status).toBe(409);
    expect((await carol.send(path)).text).not.toContain('An operator decides');
  });

  it('follows an order that is chosen of those that the page compares, or another one by its id', async () => {
    const gateway = await openGateway();
    const { store, bank } = gateway.proxy;
    const { reference } = await undecidable(gateway);
    const place = async (name: string): Promise<string> =>
      (await bank.transactions.payment({ ...DEFAULT_PAYMENT, reference: name })).order_id;
    const ids = [await place('one'), await place('two')];
    for (const orderId of ids)
      await store.recordIncident({ reference, orderId, kind: 'second-order', seenAt: Date.now() });
    const visit = new Visit(gateway.url);
    const path = `/payouts/${reference}`;
    const { text } = await visit.send(path);
    for (const id of ids) expect(text).toContain(`<input type="radio" name="order" value="${id}">`);
    const adopt = { action: 'adopt-order', evidence: 'an answer of the bank', by: 'carol' };
    for (const fields of [
      { order: ids[1] ?? '', otherOrder: '' },
      { order: '', otherOrder: 'ord-9' },
    ])
      expect((await visit.submit(path, `${path}/resolve`, { ...adopt, ...fields })).status).toBe(303);
    expect(gateway.resolves.map((it) => it.orderId)).toEqual([ids[1], 'ord-9']);
  });

  it('an error of a form leads back to the page of the form, and to no other host', async () => {
    const gateway = await openGateway();
    const path = `/payouts/${(await undecidable(gateway)).reference}`;
    const visit = new Visit(gateway.url);
    const missing = { action: 'adopt-order', evidence: 'an answer of the bank', by: 'carol', order: '' };
    const from = async (referer: string) => (await visit.submit(path, `${path}/resolve`, missing, { referer })).text;
    expect(await from(`${gateway.url}${path}`)).toContain(`<a href="${path}">Back to the page before</a>`);
    for (const referer of [`http://elsewhere.example${path}`, `${gateway.url}//elsewhere.example`, 'nothing'])
      expect(await from(referer)).toContain('<a href="/">Back to the start page</a>');
  });

  it('says why the workflow did not take it, and so does the audit; in a trial by name and without JavaScript', async () => {
    const gateway = await openGateway();
    const row = await undecidable(gateway);
    const why = 'absence is not proven: noted, and a second person with evidence may close it';
    gateway.proxy.temporal.answer = () => ({ accepted: false, message: why });
    const visit = new Visit(gateway.url);
    const path = `/payouts/${row.reference}`;
    expect((await visit.submit(path, `${path}/resolve`, CLOSE)).status).toBe(400);
    const refused = await visit.submit(path, `${path}/resolve`, { ...CLOSE, by: 'carol' });
    expect(refused.status).toBe(409);
    expect(refused.text).toContain(why);
    expect((await gateway.proxy.store.auditEntriesOf(row.reference)).at(-1)).toMatchObject({
      actor: 'carol',
      action: 'asked to resolve',
      detail: { ...CLOSE, outcome: 'refused', why },
    });
    const gone = new Error('the connection is gone');
    gateway.proxy.temporal.answer = () => Promise.reject(gone);
    expect((await visit.submit(path, `${path}/resolve`, { ...CLOSE, by: 'carol' })).status).toBe(500);
    expect((await gateway.proxy.store.auditEntriesOf(row.reference)).at(-1)?.detail).toMatchObject({
      outcome: 'no answer',
    });
  });
});
