import { describe, expect, it } from 'vitest';
import type { Policy } from '../../../src/domain/authority.ts';
import { verdictOn } from '../../../src/people/decisions/verdict.ts';
import { softwarePasskey } from '../../support/software-passkey.ts';
import type { RunningGateway } from '../http/running-gateway.ts';
import { asking, claimed } from './asking.ts';
import { openPagesOf, type PagePeople, signedIn, type Visit } from './visiting.ts';

const ALONE_FROM = { currency: 'USD', amountAtLeast: '1000', alone: true, approvals: 1 } as const;

async function open(more: Partial<Policy> = {}): Promise<{ people: PagePeople; gateway: RunningGateway }> {
  return openPagesOf(
    { alice: 'maker approver', bob: 'approver', carol: 'operator', dave: 'approver' },
    { approvals: [{ approvals: 1 }, ALONE_FROM], ...more },
  );
}

const passkeyOf = ({ passkeys }: PagePeople, name: string) => passkeys[name] ?? softwarePasskey();

/** Three rows of alice's, of which one has to be approved by itself. */
async function asked(gateway: RunningGateway) {
  const amounts = ['10.00', '20.00', '2450.00'];
  const rows = await claimed(
    gateway,
    amounts.map((amount, n) => ({ id: `inv-${n + 1}`, amount })),
    'alice',
  );
  const digests: string[] = [];
  for (const row of rows) {
    const isAlone = row.instruction.amount === '2450.00';
    digests.push(await asking(gateway, row, { approvalsNeeded: 1, ...(isAlone && { asksAlone: true }) }));
  }
  const [first] = rows;
  if (first?.batchId == null) throw new Error('nothing was claimed');
  return { rows, digests, path: `/batches/${first.batchId}` };
}

/** The fields of the form with the ticks that are set. */
async function ticked(visit: Visit, path: string, decision: 'approve' | 'reject', query = '') {
  const { text } = await visit.send(`${path}/decide${query}`);
  const ticks = [...text.matchAll(/name="(tick-[^"]+)"/g)].map(([, name = '']) => [name, 'yes']);
  return { decision, ...Object.fromEntries(ticks) } as Record<string, string>;
}

describe('the rows of a batch together', () => {
  it('are approved by one touch; the one that has to ask for itself is not', async () => {
    const { people, gateway } = await open();
    const { rows, digests, path } = await asked(gateway);
    const bob = await signedIn(people, 'bob');
    expect((await bob.send(path)).text).toContain(`href="${path}/decide"`);
    const { text } = await bob.send(`${path}/decide`);
    for (const shown of ['Approve 2 payouts', 'Reject 3 payouts', '30.00 USD', 'a separate decision', 'inv-3']) {
      expect(text).toContain(shown);
    }
    expect(text).toContain('2 payouts: any fee, and an exchange for at most 1 % more than quoted');
    expect(text).toMatch(/<noscript>.*Passkeys need JavaScript/);
    const decided = await bob.sign(
      `${path}/decide`,
      `${path}/decide`,
      await ticked(bob, path, 'approve'),
      passkeyOf(people, 'bob'),
    );
    expect(decided.status).toBe(303);
    expect((await bob.send(`${decided.headers.location}`)).text).toContain(
      'You approved 2 payouts, 30.00 USD. 2 are being paid.',
    );
    const alice = await signedIn(people, 'alice');
    expect((await alice.send(`${decided.headers.location}`)).text).not.toContain('You approved');
    expect(gateway.proxy.temporal.sent).toEqual(
      rows.slice(0, 2).map(({ workflowId }) => ({ workflowId, name: 'approve', payload: { by: 'bob' } })),
    );
    const authority = { store: gateway.proxy.store, settings: gateway.app.settings, now: Date.now };
    const verdicts = [];
    for (const [n, { reference }] of rows.entries()) {
      const row = await gateway.proxy.store.payout(reference);
      if (row === undefined) throw new Error('the row is gone');
      const { verdict } = await verdictOn(authority, row, { question: 'payout', digest: digests[n] ?? '', needed: 1 });
      verdicts.push(verdict);
    }
    expect(verdicts).toEqual(['approved', 'approved', 'counted']);
    const waits = (await bob.send('/')).text;
    const listed = rows.map(({ reference }) => waits.includes(reference));
    expect(listed).toEqual([false, false, true]);
  });

  it('are rejected with a reason, and not by what was signed about other rows', async () => {
    const { people, gateway } = await open();
    const { rows, path } = await asked(gateway);
    const bob = await signedIn(people, 'bob');
    const key = passkeyOf(people, 'bob');
    expect((await bob.sign(`${path}/decide`, `${path}/decide`, await ticked(bob, path, 'reject'), key)).status).toBe(
      400,
    );
    const approve = await ticked(bob, path, 'approve');
    const ask = await bob.submit(`${path}/decide`, `${path}/decide`, approve, { accept: 'application/json' });
    const { options, statement } = JSON.parse(ask.text);
    const signed = JSON.stringify({ statement, assertion: key.assert(options.challenge, { origin: people.origin }) });
    // A row has an end by now: what was signed is another plan than what is asked.
    const [first] = rows;
    if (first === undefined) throw new Error('nothing was claimed');
    const reason = { code: 'cancelled-by-request', message: 'withdrawn' } as const;
    await gateway.proxy.store.changePayout(first.reference, { state: 'cancelled', reason, at: Date.now() });
    expect((await bob.submit(`${path}/decide`, `${path}/decide`, { ...approve, signed })).status).toBe(409);
    expect(gateway.proxy.temporal.sent).toEqual([]);
    const rejected = await bob.sign(
      `${path}/decide`,
      `${path}/decide`,
      { ...(await ticked(bob, path, 'reject')), remark: 'not ours' },
      key,
    );
    expect(rejected.status).toBe(303);
    expect(gateway.proxy.temporal.sent.map(({ name, payload }) => [name, payload])).toEqual(
      rows.slice(1).map(() => ['reject', { by: 'bob', remark: 'not ours' }]),
    );
  });

  it('are only those with a tick, and only those searched for', async () => {
    const { people, gateway } = await open();
    const { rows, path } = await asked(gateway);
    const bob = await signedIn(people, 'bob');
    const key = passkeyOf(people, 'bob');
    const [first, second] = rows;
    const { [`tick-${first?.reference}`]: _, ...second10 } = await ticked(bob, path, 'approve');
    const decided = await bob.sign(`${path}/decide`, `${path}/decide`, second10, key);
    expect((await bob.send(`${decided.headers.location}`)).text).toContain('You approved inv-2, 20.00 USD.');
    expect(gateway.proxy.temporal.sent.map(({ workflowId }) => workflowId)).toEqual([second?.workflowId]);
    const none = await bob.sign(`${path}/decide`, `${path}/decide`, { decision: 'approve' }, key);
    expect([none.status, JSON.parse(none.text).error.code]).toEqual([400, 'nothing-chosen']);
    const found = (await bob.send(`${path}/decide?q=2,450`)).text;
    expect(found).toContain('Reject 1 payout<');
    expect(found).not.toContain('inv-1');
    const searched = `${path}/decide?q=inv-1`;
    expect((await bob.send(searched)).text).toMatch(/Sample Payee.*00001001.*10\.00 USD/s);
    const fields = await ticked(bob, path, 'approve', '?q=inv-1');
    const one = await bob.sign(searched, `${path}/decide`, fields, key);
    expect((await bob.send(`${one.headers.location}`)).text).toContain('You approved inv-1, 10.00 USD.');
  });

  it('are twenty before the buttons, those to check first; the others are behind a click, and decided too', async () => {
    const { people, gateway } = await open();
    const rows = await claimed(
      gateway,
      Array.from({ length: 25 }, (_, n) => ({ id: `inv-${n + 1}`, amount: `${n + 1}.00` })),
      'alice',
    );
    for (const [n, row] of rows.entries())
      await asking(gateway, row, { approvalsNeeded: 1, flags: n < 22 ? ['new-payee'] : [] });
    const path = `/batches/${rows[0]?.batchId}`;
    const bob = await signedIn(people, 'bob');
    const links = (html: string) => html.match(/>inv-\d+</g)?.map((it) => it.slice(1, -1)) ?? [];
    const [shown = '', hidden = ''] = (await bob.send(`${path}/decide`)).text.split('<details class="more">');
    expect(links(shown)).toEqual(Array.from({ length: 20 }, (_, n) => `inv-${22 - n}`));
    expect(hidden).toMatch(/^<summary>5 more rows, 2 of them to check<\/summary>/);
    expect(links(hidden)).toEqual(['inv-2', 'inv-1', 'inv-25', 'inv-24', 'inv-23']);
    const decided = await bob.sign(
      `${path}/decide`,
      `${path}/decide`,
      await ticked(bob, path, 'approve'),
      passkeyOf(people, 'bob'),
    );
    expect((await bob.send(`${decided.headers.location}`)).text).toContain('You approved 25 payouts, 325.00 USD.');
    const other = await signedIn(people, 'dave');
    const [inbox = '', folded = ''] = (await other.send('/')).text.split('<details class="more">');
    expect([links(inbox).length, links(folded).length]).toEqual([20, 5]);
    // Their heading says it of all.
    expect(inbox).not.toContain('data-head="Why"');
  });

  it('are reached from the inbox, and say who else has to approve', async () => {
    const { people, gateway } = await open({ approvals: [{ approvals: 2 }] });
    const rows = await claimed(
      gateway,
      [
        { id: 'inv-1', amount: '10.00' },
        { id: 'inv-2', amount: '20.00' },
      ],
      'alice',
    );
    for (const row of rows) await asking(gateway, row);
    const bob = await signedIn(people, 'bob');
    const path = `/batches/${rows[0]?.batchId}`;
    const inbox = (await bob.send('/')).text;
    expect(inbox).toContain(`href="${path}/decide">Decide 2 rows of payroll-`);
    expect(inbox).not.toContain('payouts approve');
    const decided = await bob.sign(
      `${path}/decide`,
      `${path}/decide`,
      await ticked(bob, path, 'approve'),
      passkeyOf(people, 'bob'),
    );
    const { text } = await bob.send(`${decided.headers.location}`);
    expect(text).toContain('You approved 2 payouts, 30.00 USD. 2 need dave.');
    expect(text).toContain('dave (bob has approved)');
  });

  it('are not counted in the inbox where it shows only some of them', async () => {
    const { people, gateway } = await open({ approvals: [{ approvals: 1 }] });
    const rows = await claimed(
      gateway,
      Array.from({ length: 101 }, (_, n) => ({ id: `inv-${n}` })),
      'alice',
    );
    for (const { reference } of rows)
      await gateway.proxy.store.changePayout(reference, { state: 'awaiting-approval', at: Date.now() });
    const bob = await signedIn(people, 'bob');
    expect((await bob.send('/')).text).toContain('/decide">Decide the rows of payroll-');
  });

  it('are decided by no maker of theirs and by nobody without the role', async () => {
    const { people, gateway } = await open();
    const { path } = await asked(gateway);
    for (const name of ['alice', 'carol']) {
      const visit = await signedIn(people, name);
      expect((await visit.send(path)).text).not.toContain(`${path}/decide`);
      expect((await visit.send(`${path}/decide`)).status).toBe(403);
    }
  });
});
