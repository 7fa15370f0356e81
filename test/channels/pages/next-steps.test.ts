import { expect, it } from 'vitest';
import { NotSentError } from '../../../src/bank/errors.ts';
import { because, REASONS, type ReasonCode } from '../../../src/domain/reasons.ts';
import type { PayoutRecord } from '../../../src/store/store.ts';
import { argvsOf, complaintAbout } from '../../cli/typed-commands.ts';
import { batchClaim, claimRow, documentIds, payoutClaim } from '../../store/samples.ts';
import { updateRefused } from '../../support/fake-temporal.ts';
import { DEFAULT_PAYMENT } from '../../support/product.ts';
import { openGateway, type RunningGateway } from '../http/running-gateway.ts';
import { asking, claimed } from './asking.ts';
import { openPages, pagePeople, signedIn, Visit } from './visiting.ts';

// What `payouts status` and `payouts inbox` say of a row is on the pages as well, with buttons in the place of commands.

const people = () => pagePeople({ alice: 'maker', bob: 'approver', carol: 'operator', erin: 'auditor' });

/** Text of a page as a reader has it. */
const read = (markup: string): string =>
  markup
    .replace(/<\/(?:dt|dd|p|h2|li|pre)>/g, '\n')
    .replace(/<[^>]*>/g, '')
    .replace(/&#39;/g, "'")
    .replace(/&quot;/g, '"')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&');

const first = async (gateway: RunningGateway, by = 'alice'): Promise<PayoutRecord> => {
  const [row] = await claimed(gateway, [{ id: 'inv-1', amount: '2450.00' }], by);
  return row;
};

it('the page of a payout says why, since when, until when, who, what to do and what happens by itself', async () => {
  const persons = await people();
  const gateway = await openPages(persons);
  const row = await first(gateway);
  await asking(gateway, row);
  const path = `/payouts/${row.reference}`;
  const bob = read((await (await signedIn(persons, 'bob')).send(path)).text);
  expect(bob).toMatch(/Since\n.* UTC, less than a minute ago\nUntil\n.* UTC, in .*\nWho\nbob\n/);
  expect(bob).toContain('Otherwise\nIt ends unpaid if nobody approves it in time.');
  expect(bob).toContain('To do\nApprove approves it, Reject ends it unpaid. The maker may not decide.');
  expect(bob).not.toContain('payouts approve');
  for (const name of ['alice', 'erin']) {
    const page = read((await (await signedIn(persons, name)).send(path)).text);
    expect(page, name).toContain('Approve approves it, Reject ends it unpaid. The maker may not decide.');
    expect(page, name).toContain('You cannot decide this');
    expect(page, name).not.toContain('payouts approve');
  }
});

it('the page of a payout says in words why something that was sent to it was ignored', async () => {
  const gateway = await openGateway();
  const { reference: subject } = await first(gateway);
  const entry = { at: 1, actor: 'codec', action: 'payload refused', subject, detail: { why: 'clear', workflow: 'w' } };
  await gateway.proxy.store.audit(entry);
  const page = read((await new Visit(gateway.url).send(`/payouts/${subject}`)).text);
  expect(page).toContain('it is not encrypted, and was ignored');
});

it('the same texts as at a terminal are on the page for each reason code, and every command on it can be typed', async () => {
  const gateway = await openGateway();
  const row = await first(gateway);
  const visit = new Visit(gateway.url);
  const codes = (Object.keys(REASONS) as ReasonCode[]).filter(
    (code) => !/^(card|payment|status-con)|acquirer/.test(code),
  );
  expect(codes.length).toBeGreaterThan(40);
  for (const code of codes) {
    const at = { reason: because(code), at: Date.now() };
    const state = REASONS[code].who === 'operator' ? 'needs-operator' : 'held';
    await gateway.proxy.store.changePayout(row.reference, { state, ...at });
    for (const path of [`/payouts/${row.reference}`, `/batches/${row.batchId}`]) {
      const { text } = await visit.send(path);
      const page = read(text);
      expect(page, code).toContain(`(${code})`);
      expect(page, code).toContain(REASONS[code].byItself);
      const prose = REASONS[code].todo.split('`').filter((_, n) => n % 2 === 0);
      for (const part of prose) expect(page.replace(/\s+/g, ' '), code).toContain(part.replace(/\s+/g, ' ').trim());
      const copied = [...text.matchAll(/<pre class="copy">(.*?)<\/pre>/gs)].flatMap(([, it = '']) =>
        it.trim().split('\n'),
      );
      const inline = [...text.matchAll(/<code>(payouts .*?)<\/code>/g)].map(([, it = '']) => it);
      for (const command of [...copied, ...inline]) {
        for (const argv of argvsOf(read(command))) expect(await complaintAbout(argv), command).toBeUndefined();
      }
    }
  }
});

it('what waits for somebody is shown by kind, and each row leads to its page', async () => {
  const persons = await people();
  const gateway = await openPages(persons);
  const rows = await claimed(gateway, [{ id: 'inv-1' }, { id: 'inv-2' }, { id: 'inv-3' }], 'alice');
  for (const row of rows.slice(0, 2)) await asking(gateway, row);
  const reason = because('account-frozen');
  await gateway.proxy.store.changePayout(rows[2]?.reference ?? '', { state: 'held', reason, at: Date.now() });
  const { text } = await (await signedIn(persons, 'bob')).send('/');
  const page = read(text);
  expect(page).toMatch(/2 payouts waiting for approval, \S+ USD/);
  expect(page).toMatch(/1 payout held, \S+ USD/);
  expect(page).toContain('Have the bank unfreeze the account. Then Check again tries again at once');
  expect(text).toContain(`href="/batches/${rows[0]?.batchId}/decide"`);
  expect(page).not.toContain('payouts approve');
  for (const { reference } of rows) expect(text).toContain(`href="/payouts/${reference}"`);
  // Of rows of two batches a command would name only one.
  const [other] = await claimed(gateway, [{ id: 'inv-4' }], 'alice');
  if (other !== undefined) await asking(gateway, other);
  const both = read((await (await signedIn(persons, 'bob')).send('/')).text);
  expect(both).toMatch(/3 payouts waiting for approval, \S+ USD/);
  expect(both).not.toContain('payouts approve');
});

it('an ended batch says how its unpaid rows ended and how they are paid again', async () => {
  const gateway = await openGateway();
  const row = await first(gateway);
  await gateway.proxy.store.changePayout(row.reference, {
    state: 'failed',
    reason: because('funds-patience-over'),
    at: Date.now(),
  });
  const page = read((await new Visit(gateway.url).send(`/batches/${row.batchId}`)).text);
  expect(page).toMatch(/1 payout failed, 2,450\.00 USD/);
  expect(page).toContain('Pay again if it still has to be paid');
});

it('a payout is cancelled on its page by its maker or an operator, with a reason, and by nobody else', async () => {
  const persons = await people();
  const gateway = await openPages(persons);
  const row = await first(gateway);
  await asking(gateway, row);
  const path = `/payouts/${row.reference}`;
  for (const name of ['alice', 'carol']) {
    const visit = await signedIn(persons, name);
    const answer = await visit.submit(path, `${path}/cancel`, { reason: 'withdrawn' });
    expect(answer).toMatchObject({ status: 303, headers: { location: `${path}?notice=cancelled` } });
    expect((await visit.send(`${path}?notice=cancelled`)).text).toContain('Cancelled. Nothing is paid.');
  }
  for (const name of ['bob', 'erin']) {
    const visit = await signedIn(persons, name);
    const { text } = await visit.send(path);
    expect(text, name).not.toContain(`${path}/cancel`);
    const _csrf = /name="_csrf" value="([^"]*)"/.exec(text)?.[1] ?? '';
    const body = new URLSearchParams({ _csrf, reason: 'withdrawn' }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await visit.send(`${path}/cancel`, { method: 'POST', body, headers })).status, name).toBe(403);
  }
  const alice = await signedIn(persons, 'alice');
  const unasked = {
    method: 'POST',
    body: 'reason=x',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  };
  expect((await alice.send(`${path}/cancel`, unasked)).status).toBe(403);
  expect((await alice.submit(path, `${path}/cancel`, {})).status).toBe(400);
  expect(gateway.cancels).toEqual(
    ['alice', 'carol'].map((by) => ({ reference: row.reference, by, reason: 'withdrawn' })),
  );
  const audit = await gateway.proxy.store.auditEntriesOf(row.reference);
  expect(audit.findLast(({ actor }) => actor === 'carol')).toMatchObject({
    action: 'asked to cancel',
    detail: { outcome: 'cancelled' },
  });
  gateway.proxy.temporal.answer = () => {
    throw updateRefused('it is too late');
  };
  const refused = await alice.submit(path, `${path}/cancel`, { reason: 'withdrawn' });
  expect(refused).toMatchObject({ status: 409, text: expect.stringContaining('it is too late') });
  await gateway.proxy.store.changePayout(row.reference, { state: 'completed', reason: null, at: Date.now() });
  expect((await alice.send(path)).text).not.toContain(`${path}/cancel`);
});

it('a second order at the bank is shown beside the first, and where they differ', async () => {
  const gateway = await openGateway();
  const { store, bank } = gateway.proxy;
  const row = await first(gateway);
  const { reference } = row;
  const place = async (name: string, amount: string): Promise<string> =>
    (await bank.transactions.payment({ ...DEFAULT_PAYMENT, reference: name, amount })).order_id;
  const [ours, other] = [await place('one', '12.50'), await place('two', '13.50')];
  await store.changePayout(reference, { state: 'completed', orderId: ours, at: Date.now() });
  await store.recordIncident({ reference, orderId: other, kind: 'second-order', seenAt: 5_000 });
  const { text } = await new Visit(gateway.url).send(`/payouts/${reference}`);
  const page = read(text);
  expect(page).toContain('Both sides');
  for (const id of [ours, other]) expect(page).toContain(id);
  expect(page).toContain('the order of this payout');
  expect(text).toMatch(/amount<\/th>.*12\.50 USD.*13\.50 USD.*differs/);
  const down = { outcome: 'not-sent', retryable: true, operation: 'GET order' } as const;
  bank.orders.get = () => Promise.reject(new NotSentError('no connection', down));
  expect((await new Visit(gateway.url).send(`/payouts/${reference}`)).text).toContain('The bank does not answer now');
});

it('a payout is found by its document, reference, order or file, in the scope of the viewer', async () => {
  const persons = await pagePeople({ alice: 'maker', bob: 'approver', dave: ['approver', { currencies: ['EUR'] }] });
  const gateway = await openPages(persons);
  const { reference, batchId } = await first(gateway);
  await gateway.proxy.store.changePayout(reference, { state: 'processing', orderId: 'ord-4711', at: Date.now() });
  const file = (await gateway.proxy.store.batch(batchId ?? ''))?.file ?? '';
  const find = async (name: string, text: string): Promise<boolean> => {
    const answer = await (await signedIn(persons, name)).send(`/payouts?text=${encodeURIComponent(text)}`);
    return answer.text.includes(`href="/payouts/${reference}"`);
  };
  for (const text of ['INV-1', reference.slice(0, 13), 'ord-4711', file])
    expect(await find('bob', text), text).toBe(true);
  expect(await find('alice', 'inv-1')).toBe(true);
  expect(await find('dave', 'inv-1')).toBe(false);
  expect(await find('bob', 'inv-2')).toBe(false);
});

it('a payout is found behind a thousand of others, of which nothing is said', async () => {
  const persons = await pagePeople({
    alice: 'maker',
    emma: ['approver compliance', { currencies: ['EUR'], kinds: ['payout'], uids: ['u'], accounts: ['a'] }],
    fred: ['auditor', { currencies: ['USD'] }],
  });
  const gateway = await openPages(persons);
  const mine = { ...batchClaim('mine', ['INV-1'], 1_000), by: 'alice' };
  const seen = {
    ...batchClaim('seen', []),
    rows: [claimRow(1, 'INV-2', { uid: 'u', account_id: 'a', currency: 'EUR' })],
  };
  for (const batch of [mine, seen, batchClaim('others', documentIds(1_001, 'later-INV'), 2_000)])
    await gateway.proxy.store.claimBatch(batch);
  const found = async (name: string): Promise<[rows: number, isMore: boolean]> => {
    const { text } = await (await signedIn(persons, name)).send('/payouts?text=inv');
    return [[...text.matchAll(/href="\/payouts\//g)].length, text.includes('rel="next"')];
  };
  expect(await found('alice')).toEqual([1, false]);
  expect(await found('emma')).toEqual([1, false]);
  expect(await found('fred')).toEqual([100, true]);
  const fred = await signedIn(persons, 'fred');
  expect((await fred.send('/batches')).text).toContain('0 of 1,001');
  expect((await fred.send('/batches/others')).text).toMatch(/<dd>1,001<\/dd>.*received \(1,001\)/s);
});

it('what is to be done about an incident is beside its form', async () => {
  const persons = await people();
  const gateway = await openPages(persons);
  const { reference, batchId } = await first(gateway);
  await gateway.proxy.store.changePayout(reference, { state: 'completed', at: 1_000 });
  await gateway.proxy.store.recordIncident({ reference, orderId: 'ord-2', kind: 'second-order', seenAt: 5_000 });
  const textFor = async (name: string) => read((await (await signedIn(persons, name)).send('/incidents')).text);
  for (const name of ['carol', 'erin'])
    expect(await textFor(name), name).toContain('then Acknowledge records that it was dealt with');
  const [incident] = await gateway.proxy.store.incidents({ open: true, limit: 1 });
  await gateway.proxy.store.acknowledgeIncident(incident?.id ?? '', { by: 'carol', reason: 'called back', at: 6_000 });
  for (const path of [`/payouts/${reference}`, `/batches/${batchId}`]) {
    const noted = async (name: string) => (await (await signedIn(persons, name)).send(path)).text;
    expect(await noted('carol')).toContain(`<a href="/incidents">${incident?.id}</a>, acknowledged`);
    expect(await noted('alice')).toContain(`(${incident?.id}, acknowledged)`);
  }
});

it('what a page refuses, it explains in words of the pages', async () => {
  const gateway = await openGateway();
  const row = await first(gateway);
  const [batch, payout] = [`/batches/${row.batchId}`, `/payouts/${row.reference}`];
  const visit = new Visit(gateway.url);
  const refused = async (asked: Promise<{ text: string }>): Promise<string> =>
    /role="alert">.*?<\/p>\n<p>.*?<\/p>/s.exec((await asked).text)?.[0].replace(/<[^>]*>|^.*?>/g, '') ?? '';
  const cancel = { by: 'bob', reason: 'paid by card 4111 1111 1111 1111' };
  const off = { by: 'bob', reason: 'a drill', key: '' };
  expect([
    await refused(visit.send('/batches/nope')),
    await refused(visit.send(`${batch}/reports/failed`)),
    await refused(visit.submit(payout, `${payout}/cancel`, cancel)),
    await refused(visit.submit('/switches', '/switches', { ...off, scope: 'currency' })),
    await refused(visit.submit('/switches', '/switches', { ...off, scope: 'currency', key: 'usd' })),
    await refused(visit.submit('/switches', '/switches', { ...off, scope: 'everything', key: 'EUR' })),
  ]).toEqual([
    'There is no batch with this id.\nThe list of batches shows the ids.',
    'This batch has no rows to submit again.\nIt has csv, json, html.',
    'The form cannot be used: reason: must not contain a card number or control characters.\nCorrect it and send it again.',
    'Name the currency that is meant.\nFor example: currency EUR.',
    'There is no currency &quot;usd&quot;.\nUse an ISO 4217 code such as EUR.',
    'With &quot;everything&quot; nothing else is named.\nLeave it out.',
  ]);
  const form = await visit.send(batch);
  await gateway.proxy.end(row.batchId ?? '', 'completed');
  const _csrf = /name="_csrf" value="([^"]*)"/.exec(form.text)?.[1] ?? '';
  const late = {
    method: 'POST',
    body: new URLSearchParams({ _csrf, by: 'bob', control: 'pause' }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  };
  expect(await refused(visit.send(`${batch}/control`, late))).toBe('This batch has ended.\nIts report shows how.');
});

it('the inbox says that something is switched off, and the page of a batch why its rows are not started', async () => {
  const gateway = await openGateway();
  const row = await first(gateway);
  const pageOf = async (path: string) => read((await new Visit(gateway.url).send(path)).text);
  expect(await pageOf('/')).not.toContain('is switched off');
  expect(await pageOf(`/batches/${row.batchId}`)).not.toContain('switched-off');
  const everything = { scope: 'everything', key: '', reason: 'a drill', by: 'bob', at: 1_000 } as const;
  await gateway.proxy.store.switchOff(everything);
  expect(await pageOf('/')).toContain('Everything is switched off: nothing is sent.');
  const page = await pageOf(`/batches/${row.batchId}`);
  expect(page).toContain('(switched-off)');
  expect(page).toContain('payouts switch on everything');
  await gateway.proxy.store.switchOn(everything);
  await gateway.proxy.store.switchOff({ ...everything, scope: 'currency', key: 'XAF' });
  expect(await pageOf('/')).toContain('Something is switched off: payouts that it concerns are not sent.');
  expect(await pageOf(`/batches/${row.batchId}`)).not.toContain('switched-off');
});

it('the inbox lists the longest wait first, in any order in which the payouts were submitted', async () => {
  const gateway = await openGateway();
  const rows = await claimed(gateway, [{ id: 'inv-young' }, { id: 'inv-old' }], 'alice');
  const at = Date.now();
  for (const [n, { reference }] of rows.entries())
    await gateway.proxy.store.changePayout(reference, {
      state: 'held',
      reason: because('look-alike'),
      at: at - n * 1_000,
    });
  const page = read((await new Visit(gateway.url).send('/')).text);
  expect(page.lastIndexOf('inv-old')).toBeLessThan(page.indexOf('inv-young'));
});

it('the inbox of who may resolve shows a payout that is with the bank for longer than every earlier one like it was', async () => {
  const found = await people();
  const gateway = await openPages(found);
  const { store } = gateway.proxy;
  const [hour, now] = [3_600_000, Date.now()];
  const ids = Array.from({ length: 12 }, (_, n) => `D-${n}`);
  await store.claimBatch({ ...batchClaim('01890000-0000-7000-8000-00000000000b', ids, now - 9 * hour), by: 'alice' });
  for (const [n, id] of ids.entries()) {
    const { record } = await store.claimPayout(payoutClaim(id));
    const { reference, term } = record;
    // Ten took an hour; the last two are open for 5 hours and for 10 minutes.
    const sentAt = now - (n === 10 ? 5 : n === 11 ? 1 / 6 : 4) * hour;
    const attempt = { reference, attempt: 1, runId: 'run-1', activityId: '1', sentAt, claim: { reference, term } };
    await store.recordAttempt(attempt);
    await store.changePayout(reference, { state: 'processing', orderId: `o-${n}`, at: sentAt });
    if (n < 10) await store.changePayout(reference, { state: 'completed', at: sentAt + hour });
  }
  const inboxOf = async (name: string): Promise<string> => (await (await signedIn(found, name)).send('/')).text;
  const shown = await inboxOf('carol');
  expect(read(shown)).toContain('overdue: all of the last 10 payouts in USD took about 1 hour or less');
  expect(shown).toContain('>D-10<');
  expect(shown).not.toContain('>D-11<');
  expect(await inboxOf('bob')).not.toContain('>D-10<');
});
