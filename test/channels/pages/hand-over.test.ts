import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { csvOf } from '../../e2e/payout-files.ts';
import { openGateway } from '../http/running-gateway.ts';
import { openPages, openPagesOf, pagePeople, signedIn, submitFile, Visit } from './visiting.ts';

const GOOD = csvOf([{ id: '1' }, { id: '2', amount: '13.00' }]);
const MIXED = csvOf([{ id: '1' }, { id: '2', amount: '1.234' }]);

const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('a file handed over on the pages', () => {
  it('is offered without its rows with findings, unless a finding is about the whole file', async () => {
    const visit = new Visit((await openGateway()).url);
    const refused = async (csv: string) =>
      (await visit.send(`${(await submitFile(visit, 'a.csv', csv)).headers.location}`)).text;
    expect(await refused(MIXED)).toMatch(/too-many-decimals.*Leave out rows with findings/s);
    expect(await refused(MIXED.replace('id,', 'id,notte,'))).not.toContain('Leave out rows');
  });

  it('shows the first rows of its plan, the others behind a click, and no column that is empty', async () => {
    const visit = new Visit((await openGateway()).url);
    const rows = Array.from({ length: 25 }, (_, n) => ({ id: `inv-${n + 1}`, amount: `${n + 1}.00`, note: 'Rent' }));
    const { text } = await visit.send(`${(await submitFile(visit, 'a.csv', csvOf(rows))).headers.location}`);
    const [shown = '', folded = ''] = text.slice(text.indexOf('Who is paid')).split('<details');
    expect(shown).toContain('20 of 25</caption>');
    expect([shown.match(/inv-\d+/g)?.length, folded.match(/inv-\d+/g)?.length]).toEqual([20, 5]);
    expect(shown.match(/(?<=<th scope="col"[^>]*>)\w+/g)).toEqual(['Document', 'Payee', 'Amount', 'Note', 'From']);
    expect(text).not.toContain('Leave out rows with findings');
  });

  it('is planned, agreed to and claimed in the name of who is signed in', async () => {
    const { people, gateway } = await openPagesOf({ alice: 'maker', anna: 'maker', bob: 'approver' });
    Object.assign(people.policy, { approvals: [{ currency: 'USD', amountAtLeast: '13', approvals: 2 }] });
    const { proxy } = gateway;
    Object.assign(gateway.app.config, { bankAuditsFrom: { USD: '12' } });
    const alice = await signedIn(people, 'alice');
    const sent = await submitFile(alice, 'payroll.csv', GOOD);
    const path = `${sent.headers.location}`;
    expect(path).toMatch(/^\/batches\/new\/[0-9a-f-]{36}$/);
    const plan = await alice.send(path);
    expect(plan.text).toContain('25.50 USD');
    expect(plan.text).toContain('To be approved before sending: 1 payout by one person, 1 payout by 2 people.');
    expect(plan.text).toContain('no row carries the signature of its maker');
    expect(plan.text).toContain('Audited by the bank, to be approved then: 2 payouts by one person.');
    expect(await proxy.store.batches(1)).toEqual([]);
    const anna = await signedIn(people, 'anna');
    expect((await anna.send(path)).status).toBe(404);
    expect((await alice.submit(path, path, { plan: '0000000000000000' })).status).toBe(422);
    const agreed = await alice.submit(path, path, {});
    const [batch] = await proxy.store.batches(1);
    expect(agreed).toMatchObject({ status: 303, headers: { location: `/batches/${batch?.batchId}` } });
    expect(batch).toMatchObject({ by: 'alice', file: 'payroll.csv', total: 2 });
    expect(readdirSync(gateway.uploads)).toEqual([]);
    const again = `${(await submitFile(anna, 'payroll.csv', GOOD)).headers.location}`;
    const taken = await anna.send(again);
    expect([taken.status, taken.headers.location]).toEqual([409, undefined]);
    expect(taken.text).not.toContain(`${batch?.batchId}`);
    const bob = await signedIn(people, 'bob');
    expect((await bob.send('/batches/new')).status).toBe(403);
  });

  it('can be taken back before anything is sent, with no worker at all', async () => {
    const { people, gateway } = await openPagesOf({ alice: 'maker', anna: 'maker auditor' });
    const alice = await signedIn(people, 'alice');
    const path = `${(await submitFile(alice, 'payroll.csv', GOOD)).headers.location}`;
    const batch = `${(await alice.submit(path, path, {})).headers.location}`;
    const { text } = await alice.send(batch);
    expect(text).toContain('Nothing has been sent. It starts in ');
    expect(text).toContain('>Take back</button>');
    expect((await (await signedIn(people, 'anna')).send(batch)).text).not.toContain('Take back');
    gateway.proxy.temporal.answer = () => {
      throw new Error('no worker answers');
    };
    expect((await alice.submit(batch, `${batch}/control`, { control: 'cancel' })).status).toBe(303);
    expect((await gateway.proxy.store.batches(1))[0]?.control).toBe('cancelling');
    const again = await alice.send(batch);
    expect(again.text).not.toContain('Take back');
  });

  it('waits for its maker however much others submit, and gives way to later ones of the same maker', async () => {
    const { people, gateway } = await openPagesOf({ alice: 'maker', anna: 'maker' });
    const [alice, anna] = [await signedIn(people, 'alice'), await signedIn(people, 'anna')];
    const pathOf = async (visit: Visit) => `${(await submitFile(visit, 'a.csv', GOOD)).headers.location}`;
    const first = await pathOf(alice);
    const annas: string[] = [];
    for (let n = 0; n < 60; n += 1) annas.push(await pathOf(anna));
    expect((await alice.send(first)).status).toBe(200);
    const statuses = await Promise.all(
      [annas.at(0), annas.at(-11), annas.at(-10), annas.at(-1)].map((it) => anna.send(`${it}`)),
    );
    expect(statuses.map(({ status }) => status)).toEqual([404, 404, 200, 200]);
    expect(readdirSync(gateway.uploads)).toHaveLength(11);
  });

  it('is planned with what to check: warnings, and payouts that look like earlier ones', async () => {
    const gateway = await openGateway();
    const visit = new Visit(gateway.url);
    const first = `${(await submitFile(visit, 'first.csv', GOOD)).headers.location}`;
    expect((await visit.submit(first, first, { by: 'alice' })).status).toBe(303);
    const again = csvOf([
      { id: '3', execute_on: '2020-03-31' },
      { id: '4', amount: '99.00', execute_on: '2020-03-31' },
    ]);
    const { text } = await visit.send(`${(await submitFile(visit, 'again.csv', again)).headers.location}`);
    expect(text).toContain('date-in-the-past');
    expect(text.replaceAll('<wbr>', '').replace(/<[^>]+>/g, ' ')).toMatch(
      /Rows 1-2 +execute_on +the date is in the past/,
    );
    expect(text).toContain('1 payout looks like a recent one');
    const [earlier] = await Array.fromAsync(
      gateway.proxy.store.rows((await gateway.proxy.store.batches(1))[0]?.batchId ?? ''),
    );
    expect(text).toContain(`<a href="/payouts/${earlier?.reference}">1</a>`);
    expect(text).toMatch(/Which is"><span class="badge open">received</);
  });

  it('names no payout of somebody else that a row looks like', async () => {
    const people = await pagePeople({ alice: 'maker', anna: 'maker' });
    await openPages(people);
    const [alice, anna] = [await signedIn(people, 'alice'), await signedIn(people, 'anna')];
    const first = `${(await submitFile(alice, 'first.csv', csvOf([{ id: 'alices-own' }]))).headers.location}`;
    expect((await alice.submit(first, first, {})).status).toBe(303);
    const again = `${(await submitFile(anna, 'again.csv', csvOf([{ id: '3' }]))).headers.location}`;
    const { text } = await anna.send(again);
    expect(text).toContain('a payout that you may not see');
    expect(text).not.toMatch(/alices-own|href="\/payouts\//);
  });

  it('exchanges once for all payouts where its maker chooses that, and says so before', async () => {
    const people = await pagePeople({ alice: 'maker' });
    const { proxy } = await openPages(people);
    const { ofUser } = proxy.bank.accounts;
    let balance = '0.00';
    proxy.bank.accounts.ofUser = async (uid) => (await ofUser(uid)).map((account) => ({ ...account, balance }));
    const alice = await signedIn(people, 'alice');
    const euros = { account_id: 'acc-u1001-eur' };
    const csv = csvOf([
      { id: '1', ...euros },
      { id: '2', amount: '13.00', ...euros },
    ]);
    const path = `${(await submitFile(alice, 'euros.csv', csv)).headers.location}`;
    const each = await alice.send(path);
    expect(each.text).toContain('<option value="per-row" selected>each payout by itself</option>');
    expect(each.text).not.toContain('One exchange for');
    const once = `${path}?exchange=per-batch`;
    const { text } = await alice.send(once);
    expect(text).toContain('<option value="per-batch" selected>once for all</option>');
    expect(text).toMatch(/One exchange for 2 payouts, FX-EUR-USD-[0-9a-f]{16}, buys 27\.50 USD/);
    expect(text).toMatch(/2 exchanges would sell .*: one exchange (saves|costs)/);
    balance = '27.00';
    expect((await alice.send(once)).text).toMatch(/buys 0\.50 USD .*; 27\.00 USD on the account is used/);
    balance = '28.00';
    const held = (await alice.send(once)).text;
    expect(held).toContain('<option value="per-batch" selected>once for all</option>');
    expect(held).toContain('Nothing is sold for 2 payouts of 25.50 USD: what is on acc-u1001-usd is used.');
    balance = '0.00';
    expect((await alice.submit(once, path, {})).status).toBe(303);
    const [batch] = await proxy.store.batches(1);
    expect(await proxy.store.exchangesOf(batch?.batchId ?? '')).toMatchObject([{ kind: 'exchange', by: 'alice' }]);
    expect(batch?.total).toBe(2);
  });

  it('shows what is wrong in place, and goes on without the bad rows where that is wanted', async () => {
    const gateway = await openGateway();
    const visit = new Visit(gateway.url);
    const path = `${(await submitFile(visit, 'mixed.csv', MIXED)).headers.location}`;
    const refused = await visit.send(path);
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('Row 2, line 3');
    expect(refused.text).toContain('too-many-decimals');
    const skipping = await visit.send(`${path}?skip=yes`);
    expect(skipping.status).toBe(200);
    expect(skipping.text).toContain('Pay 1 payout');
    const nameless = await visit.submit(`${path}?skip=yes`, path, {});
    expect(nameless.status).toBe(400);
    expect((await visit.submit(`${path}?skip=yes`, path, { by: 'alice' })).status).toBe(303);
    const [batch] = await gateway.proxy.store.batches(1);
    expect(batch).toMatchObject({ by: 'alice', total: 1 });
    const { text } = await visit.send(`/batches/${batch?.batchId}`);
    expect(text.replace(/<[^>]+>/g, ' ')).toMatch(/USD +1 +12\.50 USD +0\.00 USD/);
  });

  it('is not taken without the token of its form, without a name or with a path for one', async () => {
    const gateway = await openGateway();
    const visit = new Visit(gateway.url);
    expect((await submitFile(visit, 'payroll.csv', GOOD, { csrf: 'made-up' })).status).toBe(403);
    expect((await submitFile(visit, '', GOOD)).status).toBe(400);
    expect((await submitFile(visit, '..', GOOD)).status).toBe(400);
    expect(readdirSync(gateway.uploads)).toEqual([]);
    expect((await visit.send('/batches/new/none')).status).toBe(404);
  });
});

it('a file with wrong values is corrected on the page: the copy is checked again and paid, and its original is on record', async () => {
  const { people, gateway } = await openPagesOf({ alice: 'maker', anna: 'maker' });
  const alice = await signedIn(people, 'alice');
  const path = `${(await submitFile(alice, 'payroll.csv', MIXED)).headers.location}`;
  const refused = (await alice.send(path)).text;
  expect(refused).toMatch(/<label>amount <input name="cell:2:amount" value="1.234"/);
  const wrong = await alice.submit(path, `${path}/correct`, { 'cell:2:amount': '1.2345' });
  expect([wrong.status, wrong.headers.location]).toEqual([303, path]);
  const stillWrong = (await alice.send(path)).text;
  expect(stillWrong).toContain('value="1.2345"');
  expect(stillWrong).toContain('<h1>The corrected copy still has findings</h1>');
  await alice.submit(path, `${path}/correct`, { 'cell:2:amount': '13.00' });
  const plan = (await alice.send(path)).text;
  expect(plan).toContain('<h1>payroll-corrected.csv</h1>');
  expect(plan).toMatch(/corrected copy.*row 2 amount/);
  expect(plan).toContain('25.50 USD');
  const copy = await alice.send(`${path}/copy`);
  expect(copy.headers['content-disposition']).toBe('attachment; filename=payroll-corrected.csv');
  expect((await (await signedIn(people, 'anna')).send(`${path}/copy`)).status).toBe(404);
  await alice.submit(path, path, {});
  const [batch] = await gateway.proxy.store.batches(1);
  const inOrder = (await gateway.proxy.store.auditEntriesOf(batch?.batchId ?? '')).map(({ action }) => action);
  expect(inOrder.slice(0, 2)).toEqual(['corrected before submitting', 'batch claimed']);
  expect(batch).toMatchObject({ file: 'payroll-corrected.csv', total: 2, by: 'alice', sha256: sha256Of(copy.text) });
  expect(await gateway.proxy.store.auditEntriesOf(batch?.batchId ?? '')).toContainEqual(
    expect.objectContaining({
      actor: 'alice',
      action: 'corrected before submitting',
      detail: { original: sha256Of(MIXED), copy: batch?.sha256, remark: 'row 2 amount' },
    }),
  );
  expect(readdirSync(gateway.uploads)).toEqual([]);
});

it.each([
  ['a column of the file is wrong', MIXED.replace('id,', 'id,notte,')],
  ['a row cannot be read', `${MIXED}1,2\n`],
  ['nothing is wrong with any value', '[{]'],
])('a file is not corrected on the page where %s', async (_, text) => {
  const visit = new Visit((await openGateway()).url);
  const path = `${(await submitFile(visit, 'a.csv', text)).headers.location}`;
  expect((await visit.send(path)).text).not.toContain('/correct"');
});

it('the page for a file explains its columns, and gives templates that pass as they are', async () => {
  const gateway = await openGateway();
  const visit = new Visit(gateway.url);
  expect((await visit.send('/batches/new')).text).toContain('<dt>execute_on</dt>');
  const template = await visit.send('/batches/template?currency=usd&kind=csv');
  expect(template.headers['content-disposition']).toBe('attachment; filename="payouts-USD.csv"');
  const taken = await gateway.post('?dryRun=true', template.text);
  expect([taken.status, JSON.stringify(taken.document)]).toEqual([
    expect.any(Number),
    expect.not.stringContaining('not-a-decimal'),
  ]);
  const sheet = await visit.send('/batches/template?currency=eur&kind=xlsx');
  expect(sheet.headers['content-disposition']).toBe('attachment; filename="payouts-EUR.xlsx"');
  expect(sheet.text.slice(0, 2)).toBe('PK');
  const json = JSON.parse((await visit.send('/batches/template?kind=json')).text);
  expect(json.payouts.map(({ currency }: { currency: string }) => currency)).toEqual(
    expect.arrayContaining(['EUR', 'USD']),
  );
  expect((await visit.send('/batches/template?currency=dollars')).status).toBe(400);
});
