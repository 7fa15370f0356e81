import { describe, expect, it } from 'vitest';
import type { Policy, SignedDecision } from '../../../src/domain/authority.ts';
import { holdDigest } from '../../../src/domain/authority.ts';
import { payloadDigest } from '../../../src/domain/identity.ts';
import { because } from '../../../src/domain/reasons.ts';
import { isSigned } from '../../../src/people/signing/signing.ts';
import { orderReference } from '../../../src/store/claimed-row.ts';
import { updateRefused } from '../../support/fake-temporal.ts';
import { softwarePasskey } from '../../support/software-passkey.ts';
import { openGateway, type RunningGateway } from '../http/running-gateway.ts';
import { asking, claimed } from './asking.ts';
import { openPagesOf, type PagePeople, signedIn, Visit } from './visiting.ts';

async function open(more: Partial<Policy> = {}): Promise<{ people: PagePeople; gateway: RunningGateway }> {
  return openPagesOf(
    {
      alice: 'maker approver',
      bob: 'approver',
      dave: ['approver', { currencies: ['EUR'] }],
      carol: 'operator',
      henry: ['operator', { currencies: ['USD'] }],
      erin: 'auditor',
      grace: 'compliance',
    },
    more,
  );
}

const FIRST = { id: 'inv-1', amount: '2450.00' };
const keyOf = ({ passkeys }: PagePeople, name: string) => passkeys[name] ?? softwarePasskey();

it('the page of a payout shows what its exchange came to, and what came back', async () => {
  const gateway = await openGateway();
  const { store } = gateway.proxy;
  const [row] = await claimed(gateway, [FIRST], 'alice');
  const { reference } = row;
  await store.recordAttempt({
    reference: orderReference(row, 'exchange'),
    ...{ attempt: 1, runId: 'run-1', activityId: '7', sentAt: 1 },
  });
  const sold = { soldAmount: '2660.80', soldCurrency: 'EUR', boughtAmount: '2451.00', boughtCurrency: 'USD' };
  await store.recordBookedExchange({
    ...{ reference, orderId: 'fx-1', rate: '0.92', fee: null, feeCurrency: null, seenAt: 2 },
    ...sold,
  });
  await store.recordReturn({ reference, orderId: 'back-1', amount: '2450.00', currency: 'USD', seenAt: 3 });
  await store.finishAttempt(orderReference(row, 'exchange'), 1, { outcome: 'ambiguous' });
  const { text } = await new Visit(gateway.url).send(`/payouts/${reference}`);
  expect(text).toContain('sent the exchange to the bank, attempt 1');
  expect(text).toContain('not known whether the bank has taken it');
  expect(text.replace(/<[^>]+>/g, '')).toMatch(/Exchanged\s*2,660\.80 EUR for 2,451\.00 USD, rate 0\.92/);
  expect(text.replace(/<[^>]+>/g, '')).toMatch(/Returned\s*2,450\.00 USD/);
});

it('the page of a payout that has ended names its file, and nobody who would have to act', async () => {
  const gateway = await openGateway();
  const [row] = await claimed(gateway, [FIRST], 'alice');
  const { reference = '', batchId } = row ?? {};
  await gateway.proxy.store.changePayout(reference, {
    state: 'rejected',
    reason: because('approval-rejected'),
    at: Date.now(),
  });
  const { text } = await new Visit(gateway.url).send(`/payouts/${reference}`);
  expect(text).toContain('How it ended');
  expect(text).not.toMatch(/<dt>(Who|Otherwise)</);
  expect(text).toMatch(new RegExp(`href="/batches/${batchId}">payroll-[^<]*csv<`));
});

it('without a policy the page for passkeys says that there are none', async () => {
  const gateway = await openGateway();
  const { status, text } = await new Visit(gateway.url).send('/passkey');
  expect(status).toBe(404);
  expect(text).toContain('Passkeys need a policy');
});

describe('a payout that asks', () => {
  it('shows whom and what it pays, and is decided by what its approver has signed about just that', async () => {
    const { people, gateway } = await open();
    const [row] = await claimed(gateway, [FIRST], 'alice');
    const digest = await asking(gateway, row);
    const bob = await signedIn(people, 'bob');
    const path = `/payouts/${row.reference}`;
    expect((await bob.send('/')).text).toContain(`href="${path}"`);
    const { text } = await bob.send(path);
    for (const shown of [
      '2,450.00 USD',
      'acc-u1001-usd',
      'Sample Payee',
      '00001001',
      'ben-u1001-usd-local',
      '1.20 USD',
      'no cap',
      digest,
    ]) {
      expect(text).toContain(shown);
    }
    const decided = await bob.sign(
      path,
      `${path}/decide`,
      { decision: 'approve', remark: 'as agreed' },
      keyOf(people, 'bob'),
    );
    expect(decided).toMatchObject({ status: 303, headers: { location: `${path}?notice=counted` } });
    const [reported] = gateway.decisions;
    expect(reported).toMatchObject({ reference: row.reference, decision: 'approve', by: 'bob', remark: 'as agreed' });
    expect(reported?.signed).toMatchObject({
      question: 'payout',
      digest,
      subject: 'bob',
      storeId: gateway.proxy.store.id,
    });
    expect(await isSigned(people.policy, reported?.signed as SignedDecision)).toBe(true);
    const audit = await gateway.proxy.store.auditEntriesOf(row.reference);
    expect(audit.at(-1)).toMatchObject({ actor: 'bob', action: 'asked to approve', detail: { outcome: 'counted' } });
    await gateway.proxy.store.takeSignedDecision(reported?.signed as SignedDecision, Date.now());
    expect((await bob.send('/')).text).toContain('Nothing waits for you.');
    expect((await bob.send(path)).text).toContain('You have approved it.');
    expect((await bob.send(`${path}?notice=counted`)).text).toContain(
      'You approved inv-1, 2,450.00 USD. It needs more approvals than people may give under the policy.',
    );
    expect((await bob.send(`${path}?notice=constructor`)).status).toBe(200);
  });

  it('says of a decision that the bank has yet to receive no more than that, and does not ask it again at once', async () => {
    const gateway = await openGateway();
    const { store } = gateway.proxy;
    const [row] = await claimed(gateway, [FIRST], 'alice');
    const visit = new Visit(gateway.url);
    const path = `/payouts/${row.reference}`;
    const reported = async (as: string): Promise<string> => (await visit.send(`${path}?notice=${as}`)).text;
    await asking(gateway, row);
    expect(await reported('rejected')).toContain('Rejected. Nothing is paid.');
    await store.changePayout(row.reference, { state: 'awaiting-bank-approval', orderId: 'ord-1', at: Date.now() });
    for (const text of [await reported('approved'), await reported('passed-on')]) {
      expect(text).toContain('Your decision is passed on to the bank.');
      expect(text).toContain(`<a href="${path}">reload it</a>`);
      expect(text).not.toMatch(/Nothing is paid|continues now|\/decide"/);
    }
    expect((await visit.send(path)).text).toContain(`${path}/decide`);
    await store.changePayout(row.reference, { state: 'processing', at: Date.now() });
    expect(await reported('passed-on')).toContain('Your decision is passed on to the bank.');
    await store.changePayout(row.reference, { state: 'rejected', at: Date.now() });
    expect(await reported('rejected')).toContain('Rejected. Nothing is paid.');
  });

  it('is not decided when something else was signed, or it asks something else by now', async () => {
    const { people, gateway } = await open();
    const [first, second] = await claimed(gateway, [FIRST, { id: 'inv-2', amount: '9.00' }], 'alice');
    if (first === undefined || second === undefined) throw new Error('nothing was claimed');
    for (const row of [first, second]) await asking(gateway, row);
    const bob = await signedIn(people, 'bob');
    const [path, other] = [`/payouts/${first.reference}`, `/payouts/${second.reference}`];
    const approve = { decision: 'approve', remark: '' };
    const asked = await bob.submit(path, `${path}/decide`, approve, { accept: 'application/json' });
    const { options, statement } = JSON.parse(asked.text);
    const assertion = keyOf(people, 'bob').assert(options.challenge, { origin: people.origin });
    const signed = JSON.stringify({ statement, assertion });
    expect((await bob.submit(other, `${other}/decide`, { ...approve, signed })).status).toBe(409);
    expect((await bob.submit(path, `${path}/decide`, { decision: 'reject', remark: 'no', signed })).status).toBe(409);
    const another = JSON.stringify({ statement: { ...statement, subject: 'alice' }, assertion });
    expect((await bob.submit(path, `${path}/decide`, { ...approve, signed: another })).status).toBe(409);
    expect((await bob.submit(path, `${path}/decide`, { ...approve, signed: 'nonsense' })).status).toBe(409);
    expect((await bob.submit(path, `${path}/decide`, { ...approve, digest: 'another', signed })).status).toBe(409);
    await asking(gateway, first, { state: 'held' });
    expect((await bob.submit(path, `${path}/decide`, { ...approve, digest: statement.digest, signed })).status).toBe(
      409,
    );
    expect(gateway.decisions).toEqual([]);
  });

  it('can only be rejected where what is shown is not what was read', async () => {
    const { people, gateway } = await open();
    const [row] = await claimed(gateway, [FIRST], 'alice');
    await asking(gateway, row);
    Object.assign(gateway.app.settings, { terms: { ...gateway.app.settings.terms, feeCap: '0.10' } });
    const bob = await signedIn(people, 'bob');
    const path = `/payouts/${row.reference}`;
    const { text } = await bob.send(path);
    expect(text).toContain('another reading of the bank');
    expect(text).not.toContain('value="approve"');
    const decide = (decision: string) =>
      bob.sign(path, `${path}/decide`, { decision, remark: 'not ours' }, keyOf(people, 'bob'));
    expect((await decide('approve')).status).toBe(409);
    expect((await decide('reject')).status).toBe(303);
    expect(gateway.decisions.map(({ decision }) => decision)).toEqual(['reject']);
  });

  it('is decided when it is held by an obstacle, which is about the row alone', async () => {
    const { people, gateway } = await open();
    const [row] = await claimed(gateway, [FIRST], 'alice');
    const reason = { code: 'account-frozen', message: 'the bank reports the account as frozen' };
    const digest = payloadDigest(row.instruction);
    await asking(gateway, row, { state: 'held', digest, obstacle: { kind: 'hold', reason } });
    const bob = await signedIn(people, 'bob');
    const path = `/payouts/${row.reference}`;
    const answer = await bob.sign(path, `${path}/decide`, { decision: 'approve', remark: '' }, keyOf(people, 'bob'));
    expect(answer.status).toBe(303);
    expect(gateway.decisions[0]?.signed).toMatchObject({ question: 'hold', digest: `${digest}/approval-needed` });
  });

  it('is cleared by the role compliance and nobody else when it is held for what a screening says', async () => {
    const { people, gateway } = await open();
    const [row] = await claimed(gateway, [FIRST], 'alice');
    const check = { kind: 'screening', verdict: 'hit', provider: 'p', payee: 'd', digest: 'x', askedAt: 0 } as const;
    const reason = because('screening-hit');
    const digest = holdDigest(payloadDigest(row.instruction), reason.code, check.digest);
    await asking(gateway, row, { state: 'held', checks: [check], exceptions: [{ reason, digest }] });
    await gateway.proxy.store.changePayout(row.reference, { state: 'held', reason, at: Date.now() });
    const path = `/payouts/${row.reference}`;
    const [bob, grace] = [await signedIn(people, 'bob'), await signedIn(people, 'grace')];
    expect((await bob.send('/')).text).not.toContain(path);
    expect((await bob.send(path)).text).toContain('it requires somebody with the role compliance');
    expect((await grace.send('/')).text).toContain(path);
    expect((await grace.send(path)).text).toContain('found on a list (p, 1970-01-01 00:00 UTC)');
    const approve = { decision: 'approve', remark: 'another person' };
    expect((await grace.sign(path, `${path}/decide`, approve, keyOf(people, 'grace'))).status).toBe(303);
    expect(gateway.decisions[0]?.signed).toMatchObject({ question: 'screening', digest, subject: 'grace' });
  });

  it('is rejected with a remark, and never without', async () => {
    const { people, gateway } = await open();
    const [row] = await claimed(gateway, [FIRST], 'alice');
    await asking(gateway, row);
    const bob = await signedIn(people, 'bob');
    const path = `/payouts/${row.reference}`;
    const reject = (remark: string) =>
      bob.sign(path, `${path}/decide`, { decision: 'reject', remark }, keyOf(people, 'bob'));
    expect((await reject(' ')).status).toBe(400);
    expect((await reject('wrong payee')).status).toBe(303);
    expect(gateway.decisions.map(({ decision, remark }) => [decision, remark])).toEqual([['reject', 'wrong payee']]);
  });

  it('is not for its maker, nor outside the scope, nor without the role; and people who may not see it, do not', async () => {
    const { people, gateway } = await open();
    const [row] = await claimed(gateway, [FIRST], 'alice');
    const digest = await asking(gateway, row);
    const path = `/payouts/${row.reference}`;
    const tries = async (name: string): Promise<[seen: number, offered: boolean, sent: number]> => {
      const visit = await signedIn(people, name);
      const { status, text } = await visit.send(path);
      const csrf = /name="_csrf" value="([^"]*)"/.exec((await visit.send('/')).text)?.[1] ?? '';
      const body = new URLSearchParams({ _csrf: csrf, decision: 'approve', remark: '', digest }).toString();
      const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
      const sent = await visit.send(`${path}/decide`, { method: 'POST', body, headers });
      return [status, text.includes('/decide"'), sent.status];
    };
    expect(await tries('alice')).toEqual([200, false, 403]);
    expect(await tries('dave')).toEqual([404, false, 404]);
    expect(await tries('carol')).toEqual([200, false, 403]);
    expect(await tries('erin')).toEqual([200, false, 403]);
    expect(await tries('bob')).toEqual([200, true, 200]);
    expect(gateway.decisions).toEqual([]);
    const refused = (await gateway.proxy.store.auditEntriesOf(row.reference)).filter(
      ({ action }) => action === 'refused',
    );
    expect(refused.map(({ actor, detail }) => [actor, detail.route])).toEqual([
      ['alice', '/payouts/:reference/decide'],
      ['carol', '/payouts/:reference/decide'],
      ['erin', '/payouts/:reference/decide'],
    ]);
  });

  it('is for who decides in the place of an approver, in their inbox and in the count of every page', async () => {
    const from = Date.now() - 1_000;
    const { people, gateway } = await open({
      substitutes: [{ name: 'dave', for: 'bob', from, until: from + 3_600_000 }],
    });
    const [row] = await claimed(gateway, [FIRST], 'alice');
    await asking(gateway, row);
    const dave = await signedIn(people, 'dave');
    const path = `/payouts/${row.reference}`;
    expect((await dave.send('/')).text).toContain(`href="${path}"`);
    const counted = async (of: Visit): Promise<(string | undefined)[]> => {
      const html = { headers: { accept: 'text/html' } };
      const texts = await Promise.all(['/', '/batches'].map(async (its) => (await of.send(its, html)).text));
      return texts.map(
        (text) => /Inbox<span data-part="waiting">(?: <span class="count"[^>]*>([^<]*))?/.exec(text)?.[1],
      );
    };
    expect(await counted(dave)).toEqual(['1', '1']);
    expect(await counted(await signedIn(people, 'grace'))).toEqual([undefined, undefined]);
    const decided = await dave.sign(path, `${path}/decide`, { decision: 'approve', remark: '' }, keyOf(people, 'dave'));
    expect(decided).toMatchObject({ status: 303 });
    expect(gateway.decisions).toMatchObject([{ reference: row.reference, decision: 'approve', by: 'dave' }]);
  });

  it('says on the page why the workflow did not take a decision, and the audit says so', async () => {
    const { people, gateway } = await open();
    gateway.proxy.temporal.answer = () => {
      throw updateRefused('this person has approved already');
    };
    const [row] = await claimed(gateway, [FIRST], 'alice');
    await asking(gateway, row);
    const bob = await signedIn(people, 'bob');
    const path = `/payouts/${row.reference}`;
    const refused = await bob.sign(path, `${path}/decide`, { decision: 'approve', remark: '' }, keyOf(people, 'bob'));
    expect(refused.status).toBe(409);
    expect(refused.text).toContain('this person has approved already');
    const audit = await gateway.proxy.store.auditEntriesOf(row.reference);
    expect(audit.at(-1)?.detail).toMatchObject({ outcome: 'refused', why: 'this person has approved already' });
  });

  it('is decided by name in a trial, without JavaScript', async () => {
    const gateway = await openGateway();
    const [row] = await claimed(gateway, [FIRST], 'alice');
    await asking(gateway, row);
    const visit = new Visit(gateway.url);
    const path = `/payouts/${row.reference}`;
    const decide = (fields: Record<string, string>) =>
      visit.submit(path, `${path}/decide`, { decision: 'approve', ...fields });
    expect((await decide({})).status).toBe(400);
    expect((await decide({ by: 'bob' })).status).toBe(303);
    expect(gateway.decisions).toMatchObject([{ reference: row.reference, decision: 'approve', by: 'bob' }]);
    expect(gateway.decisions[0]).not.toHaveProperty('signed');
  });
});

describe('what operators do', () => {
  it('is about an incident of their scope, with any number of others open', async () => {
    const { people, gateway } = await open();
    const { store } = gateway.proxy;
    const [row] = await claimed(gateway, [FIRST], 'alice');
    const reference = row?.reference ?? '';
    await store.recordIncident({ reference, orderId: 'ord-2', kind: 'second-order', seenAt: 1_000 });
    const [incident] = await store.incidents({ open: true, limit: 1 });
    for (let n = 0; n < 200; n += 1) {
      await store.recordIncident({ reference: `of-others-${n}`, orderId: 'o', kind: 'second-order', seenAt: 2_000 });
    }
    const henry = await signedIn(people, 'henry');
    const { text } = await henry.send('/incidents');
    expect(text).toContain(incident?.id);
    expect(text).not.toMatch(/of-others|are shown/);
    const carol = await signedIn(people, 'carol');
    expect((await carol.send('/')).text).toContain('At least 200 open incidents');
    expect((await carol.send('/incidents')).text).toContain('The newest 200 are shown.');
    const path = `/incidents/${incident?.id}`;
    const key = keyOf(people, 'henry');
    expect((await henry.sign('/incidents', path, { reason: 'paid back' }, key)).status).toBe(303);
    expect((await store.incident(incident?.id ?? ''))?.acknowledged).toMatchObject({ by: 'henry' });
  });

  it('is signed: an incident is acknowledged, and a switch thrown and taken back', async () => {
    const { people, gateway } = await open();
    const { store } = gateway.proxy;
    const [row] = await claimed(gateway, [FIRST], 'alice');
    await store.recordIncident({ reference: row.reference, orderId: 'ord-2', kind: 'second-order', seenAt: 1_000 });
    const [incident] = await store.incidents({ open: true, limit: 1 });
    const carol = await signedIn(people, 'carol');
    const key = keyOf(people, 'carol');
    const path = `/incidents/${incident?.id}`;
    expect((await carol.sign('/incidents', path, { reason: 'paid back' }, softwarePasskey())).status).toBe(403);
    expect((await store.incidents({ open: true, limit: 1 })).length).toBe(1);
    expect((await carol.sign('/incidents', path, { reason: 'paid back' }, key)).status).toBe(303);
    expect((await store.incidents({ open: false, limit: 1 }))[0]?.acknowledged).toMatchObject({
      by: 'carol',
      reason: 'paid back',
    });
    const off = { scope: 'currency', key: 'USD', reason: 'odd rates' };
    expect((await carol.sign('/switches', '/switches', { ...off, key: 'EURO' }, key)).status).toBe(400);
    expect((await carol.sign('/switches', '/switches', off, key)).status).toBe(303);
    expect(await store.switches()).toMatchObject([{ scope: 'currency', key: 'USD', by: 'carol', reason: 'odd rates' }]);
    expect((await carol.sign('/switches', '/switches', { reason: 'all well' }, key)).status).toBe(303);
    expect(await store.switches()).toEqual([]);
    const acts = (await store.auditEntriesOf('off currency USD')).map(({ actor, action }) => `${actor} ${action}`);
    expect(acts).toEqual(['carol approve, signed']);
    const refused = (await store.auditEntriesOf(incident?.id ?? '')).map(({ actor, action }) => `${actor} ${action}`);
    expect(refused).toEqual(['carol approve refused', 'carol approve, signed']);
  });

  it('takes back no switch that stops more than the scope of an operator holds', async () => {
    const { people, gateway } = await open();
    const { store } = gateway.proxy;
    for (const [scope, key] of [
      ['everything', ''],
      ['currency', 'USD'],
    ] as const) {
      await store.switchOff({ scope, key, reason: 'fraud suspected', by: 'carol', at: 1 });
    }
    const henry = await signedIn(people, 'henry');
    const { text } = await henry.send('/switches');
    expect(text.match(/name="to" value="on"/g)).toHaveLength(1);
    const csrf = /name="_csrf" value="([^"]*)"/.exec(text)?.[1] ?? '';
    const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
    const lift = (fields: object) =>
      henry.send('/switches', {
        method: 'POST',
        body: new URLSearchParams({ _csrf: csrf, to: 'on', reason: 'x', ...fields }).toString(),
        headers,
      });
    expect((await lift({ scope: 'everything' })).status).toBe(403);
    expect((await lift({ scope: 'currency', key: 'USD' })).status).toBe(200);
    expect(await store.switches()).toHaveLength(2);
  });

  it('shows what it stops and why only to those whose scope it may stop something in', async () => {
    const { people, gateway } = await open();
    for (const [scope, key] of [
      ['everything', ''],
      ['currency', 'USD'],
      ['currency', 'JPY'],
      ['payee', 'ben-7'],
    ] as const) {
      await gateway.proxy.store.switchOff({ scope, key, reason: `why ${scope} ${key}`, by: 'carol', at: 1 });
    }
    const seenBy = async (name: string) => {
      const { text } = await (await signedIn(people, name)).send('/switches');
      return [
        text
          .match(/why \w+ ?[\w-]*/g)
          ?.map((it) => it.trim())
          .sort(),
        /Also off[^<]*/.exec(text)?.[0],
      ];
    };
    const all = ['why currency JPY', 'why currency USD', 'why everything', 'why payee ben-7'];
    expect(await seenBy('carol')).toEqual([all, undefined]);
    expect(await seenBy('henry')).toEqual([
      ['why currency USD', 'why everything'],
      'Also off, outside your scope: 2 switches.',
    ]);
  });

  it('is nothing that others are offered or may do', async () => {
    const { people, gateway } = await open();
    await gateway.proxy.store.switchOff({ scope: 'everything', key: '', reason: 'drill', by: 'carol', at: 1 });
    const bob = await signedIn(people, 'bob');
    const page = await bob.send('/switches');
    expect(page.text).toContain('drill');
    expect(page.text).not.toContain('action="/switches"');
    const csrf = /name="_csrf" value="([^"]*)"/.exec(page.text)?.[1] ?? '';
    const body = new URLSearchParams({ _csrf: csrf, to: 'on', scope: 'everything', reason: 'x' }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
    expect((await bob.send('/switches', { method: 'POST', body, headers })).status).toBe(403);
    expect((await bob.send('/audit')).status).toBe(403);
    expect((await (await signedIn(people, 'erin')).send('/audit')).text).toContain('signed in');
    expect(await gateway.proxy.store.switches()).toHaveLength(1);
  });
});
