import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { BankError } from '../../../src/bank/errors.ts';
import { fromBank } from '../../../src/channels/pages/accounts-page.ts';
import type { Assessment } from '../../../src/domain/gates.ts';
import { madeDigest, referenceOf } from '../../../src/domain/identity.ts';
import { because } from '../../../src/domain/reasons.ts';
import { cardClaim } from '../../store/card-samples.ts';
import { openGateway, type RunningGateway } from '../http/running-gateway.ts';
import { asking, claimed } from './asking.ts';
import { openPages, openPagesOf, pagePeople, signedIn, Visit } from './visiting.ts';

const PAYEE = 'ben-u1001-usd-local';

/** Has the payee of payouts paid, as their workflows do. */
async function paid(gateway: RunningGateway, by = 'alice') {
  const { store } = gateway.proxy;
  const seen = { uid: 'u-1001', payeeId: PAYEE, digest: 'shown', country: 'US', seenAt: 1_000, items: {} };
  await store.notePayee({ ...seen, name: { name: 'Ada Metals', asShown: 'x', inSmall: 'x' } });
  const rows = await claimed(gateway, [{ id: '1', amount: '1200.25' }, { id: '2' }], by);
  for (const row of rows) {
    const beneficiary: Assessment['beneficiary'] = { known: true, id: PAYEE, digest: 'shown' };
    await asking(gateway, row, { beneficiary });
    await store.changePayout(row.reference, { state: 'completed', at: Date.now() });
  }
  return rows;
}

describe('the pages about the bank', () => {
  it('show balances, and the orders of a user in a currency', async () => {
    const gateway = await openGateway();
    const { document: accounts } = await gateway.send('/accounts?uid=u-1001');
    expect(accounts).toContain('1,000,000.00 USD');
    expect(accounts).toContain('href="/orders?uid=u-1001&amp;currency=USD"');
    const { document: institution } = await gateway.send('/accounts?uid=');
    expect(institution).toContain('Accounts of the institution');
    expect((await gateway.send('/orders?uid=u-1001&currency=USD')).document).toContain('The bank shows no order here.');
    expect((await gateway.send('/orders')).document).not.toContain('no order');
    const unknown = await gateway.send('/accounts?uid=nobody');
    expect([unknown.status, unknown.document]).toEqual([200, expect.stringMatching(/The bank (refuses|shows no)/)]);
  });

  it('wait for a bank that is known not to answer no longer than somebody looks at an empty window', async () => {
    const never = (): Promise<string> => new Promise(() => {});
    const hindered = { hindrances: ['The bank has not answered since 06:09.'] };
    expect(await fromBank(hindered, never, 1)).toBeInstanceOf(BankError);
    expect(await fromBank(hindered, async () => 'found', 1_000)).toBe('found');
    const slow = async (): Promise<string> => setTimeout(20, 'found');
    expect(await fromBank({}, slow, 1)).toBe('found');
  });

  it('show a payout that asks nothing with the payee that the bank showed last, and do not ask the bank for it', async () => {
    const gateway = await openGateway();
    const { store } = gateway.proxy;
    const seen = { uid: 'u-1001', payeeId: PAYEE, digest: 'shown', country: 'US', seenAt: 1_000 };
    const items = { account_name: 'Ada Metals', account_no: '4711' };
    await store.notePayee({ ...seen, items, name: { name: 'Ada Metals', asShown: 'x', inSmall: 'x' } });
    const [row = expect.fail('no row')] = await claimed(gateway, [{ id: '1' }], 'alice');
    const { document: page } = await gateway.send(`/payouts/${row.reference}`);
    expect(page).toContain('Ada Metals');
    expect(page).toContain('4711');
    expect(page).not.toContain('not shown by the bank');
  });

  it('show a payout without its payee soon, while the bank is known not to answer', async () => {
    const gateway = await openGateway();
    const { store, bank } = gateway.proxy;
    const at = Date.now();
    const sender = {
      senderId: 'one',
      machine: 'm',
      boot: 'b',
      pid: 7,
      processMark: 'p',
      place: '/s',
      placeMark: '1:1',
    };
    await store.registerSender({ ...sender, pulses: 0, aliveAt: at });
    const outages = { bank: { since: at, cause: 'nothing-listens' } } as const;
    await store.recordPulse({ senderId: 'one', pulses: 0, at, outages });
    const [row = expect.fail('no row')] = await claimed(gateway, [{ id: '1' }], 'alice');
    bank.beneficiaries.get = () => new Promise(() => {});
    const { document: page } = await gateway.send(`/payouts/${row.reference}`);
    expect(page).toContain('The bank has not answered since');
    expect(page).toContain(`${PAYEE} (not shown by the bank at present)`);
  });

  it('show what open payouts take from the accounts, and where the money does not suffice', async () => {
    const gateway = await openGateway();
    await claimed(
      gateway,
      [
        { id: '1', amount: '400000.00' },
        { id: '2', amount: '700000.00' },
      ],
      'alice',
    );
    const { document: page } = await gateway.send('/cash');
    expect(page).toMatch(/aria-current="page">Accounts/);
    expect(page).toContain('acc-u1001-usd is short of <span class="figure">100,000.00 USD</span>');
    expect(page).toMatch(/<td data-head="Today" class="figure"><span class="figure">1,100,000\.00 USD/);
    expect(page).toContain(', the money does not suffice</title>');
    const { document: other } = await gateway.send('/cash?uid=u-1002');
    expect(other).not.toContain('is short of');
  });

  it('add up what open payouts take only within the scope of who asks', async () => {
    const { people, gateway } = await openPagesOf({ alice: 'maker', eur: ['auditor', { currencies: ['EUR'] }] });
    await claimed(gateway, [{ id: '1', amount: '400000.00' }], 'alice');
    expect((await (await signedIn(people, 'alice')).send('/cash?uid=u-1001')).text).toContain('400,000.00 USD');
    expect((await (await signedIn(people, 'eur')).send('/cash?uid=u-1001')).text).not.toContain('400,000.00');
  });

  it('show the saved payees, by name or id, with what was paid to each', async () => {
    const gateway = await openGateway();
    const [row] = await paid(gateway);
    for (const text of ['ada', 'U1001-USD']) {
      expect((await gateway.send(`/payees?text=${text}`)).document).toContain(`/payees/u-1001/${PAYEE}`);
    }
    expect((await gateway.send('/payees?text=other')).document).toContain('No payee matches.');
    const { document: page } = await gateway.send(`/payees/u-1001/${PAYEE}`);
    expect(page).toContain('<h1>Ada Metals</h1>');
    expect(page).toContain('1,212.75 USD');
    expect(page).toContain(`/payouts/${row?.reference}`);
    expect(page).toContain('account_no');
    expect((await gateway.send('/payees/u-1001/none')).status).toBe(404);
  });

  it('show a payee to people of its payouts only', async () => {
    const people = await pagePeople({
      alice: 'maker',
      anna: 'maker',
      usd: ['auditor', { currencies: ['USD'] }],
      yen: ['auditor', { currencies: ['JPY'] }],
      all: 'auditor',
    });
    await paid(await openPages(people));
    const seen = async (name: string): Promise<(boolean | number)[]> => {
      const visit = await signedIn(people, name);
      const list = await visit.send('/payees');
      return [list.text.includes(PAYEE), (await visit.send(`/payees/u-1001/${PAYEE}`)).status];
    };
    for (const name of ['alice', 'usd', 'all']) expect(await seen(name), name).toEqual([true, 200]);
    for (const name of ['anna', 'yen']) expect(await seen(name), name).toEqual([false, 404]);
  });

  it('show card payments, and take the decisions about them', async () => {
    const gateway = await openGateway();
    const { cards } = gateway.proxy.store;
    await cards.claim(cardClaim('order-1', { by: 'alice', at: 1_000 }));
    expect((await gateway.send('/cards')).document).toContain('<a href="/cards/order-1">order-1</a>');
    const { document: page } = await gateway.send('/cards/order-1');
    expect(page).toContain('action="/cards/order-1/cancel"');
    expect(page).not.toContain('An operator decides');
    await cards.change('order-1', { state: 'awaiting-card', reason: because('card-needed'), at: 1_500 });
    const { document: waiting } = await gateway.send('/cards/order-1');
    expect(waiting).toContain('The cardholder enters a card on the checkout page');
    expect(waiting).toContain('It ends without taking money if nothing happens in time.');
    await cards.change('order-1', { state: 'needs-operator', at: 2_000 });
    expect((await gateway.send('/cards/order-1')).document).toContain('action="/cards/order-1/resolve"');
    expect((await gateway.send('/cards/order-2')).status).toBe(404);
    const visit = new Visit(gateway.url);
    const fields = { by: 'bob', action: 'adopt-payment', evidence: 'seen' };
    const missing = await visit.submit('/cards/order-1', '/cards/order-1/resolve', fields);
    expect([missing.status, missing.text]).toEqual([400, expect.stringContaining('The id of the payment to follow')]);
  });
});

describe('the page for transfers and exchanges', () => {
  const FIELDS = { account_id: 'acc-u1001-eur', to_account_id: 'acc-u1001-usd', amount: '100.00', id: 'X-1' };
  const INSTRUCTION = { uid: 'u-1001', ...FIELDS, currency: 'USD' };

  it('shows the plan of an exchange, with what is sold, and starts nothing', async () => {
    const gateway = await openGateway();
    const visit = new Visit(gateway.url);
    const plan = await visit.submit('/moves/new?uid=u-1001', '/moves/plan', FIELDS);
    expect([plan.status, plan.text]).toEqual([200, expect.stringMatching(/<h1>Buy .*100\.00 USD/)]);
    expect(plan.text).toMatch(/<dt>Sold<\/dt><dd><span class="figure">[\d.]+ EUR/);
    expect(plan.text).toMatch(/<dt>Sold at most<\/dt><dd><span class="figure">93\.\d\d EUR/);
    expect(plan.text).toMatch(/name="max_rate" value="0\.93\d+"/);
    const fraction = await visit.submit('/moves/new?uid=u-1001', '/moves/plan', { ...FIELDS, amount: '1.005' });
    expect(fraction.status).toBe(422);
    const strange = await visit.submit('/moves/new?uid=u-1001', '/moves/plan', { ...FIELDS, account_id: 'other' });
    expect([strange.status, strange.text]).toEqual([400, expect.stringContaining('does not show both accounts')]);
    expect(await gateway.proxy.store.firstClaims()).toEqual([]);
  });

  it('has its maker sign under a policy, with the most that was shown as sold', async () => {
    const bound = { sell_currency: 'EUR', max_rate: '0.9318' };
    const { people, gateway } = await openPagesOf({ alice: 'maker' });
    const visit = await signedIn(people, 'alice');
    const { text: csrfPage } = await visit.send('/moves/new?uid=u-1001');
    const [, _csrf = ''] = /name="_csrf" value="([^"]*)"/.exec(csrfPage) ?? [];
    const send = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
      visit.send('/moves', {
        method: 'POST',
        body: new URLSearchParams({ ...FIELDS, uid: 'u-1001', _csrf, ...fields }).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      });
    const asked = await send(bound, { accept: 'application/json' });
    const { options, statement } = JSON.parse(asked.text);
    const reference = referenceOf('u-1001', 'X-1', 'exchange');
    expect(statement).toMatchObject({ question: 'make', reference, digest: madeDigest({ ...INSTRUCTION, ...bound }) });
    const passkey = people.passkeys.alice;
    const assertion = passkey?.assert(options.challenge, { origin: people.origin, rpId: options.rpId });
    await send({ ...bound, signed: JSON.stringify({ statement, assertion }) });
    const made = await gateway.proxy.store.signedDecisionsOf({
      ...{ reference, question: 'make' },
      digest: madeDigest({ ...INSTRUCTION, ...bound }),
    });
    expect(made).toMatchObject([{ subject: 'alice', decision: 'approve' }]);
  });
});
