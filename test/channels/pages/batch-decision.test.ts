import { describe, expect, it } from 'vitest';
import { verdictOn } from '../../../src/people/decisions/verdict.ts';
import { softwarePasskey } from '../../support/software-passkey.ts';
import type { RunningGateway } from '../http/running-gateway.ts';
import { asking, claimed } from './asking.ts';
import { openPages, type PagePeople, pagePeople, signedIn } from './visiting.ts';

const ALONE_FROM = { currency: 'USD', amountAtLeast: '1000', alone: true, approvals: 1 } as const;

async function open(): Promise<{ people: PagePeople; gateway: RunningGateway }> {
  const people = await pagePeople(
    [
      ['alice', ['maker', 'approver']],
      ['bob', ['approver']],
      ['carol', ['operator']],
    ],
    { approvals: [{ approvals: 1 }, ALONE_FROM] },
  );
  return { people, gateway: await openPages(people) };
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
    const decided = await bob.sign(`${path}/decide`, `${path}/approve`, {}, passkeyOf(people, 'bob'));
    expect(decided).toMatchObject({ status: 303, headers: { location: `${path}?notice=decided` } });
    expect((await bob.send(`${path}?notice=decided`)).text).toContain(
      'Your decision counts for the rows that it covered.',
    );
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
    expect((await bob.sign(`${path}/decide`, `${path}/reject`, {}, key)).status).toBe(400);
    const ask = await bob.submit(`${path}/decide`, `${path}/approve`, {}, { accept: 'application/json' });
    const { options, statement } = JSON.parse(ask.text);
    const signed = JSON.stringify({ statement, assertion: key.assert(options.challenge, { origin: people.origin }) });
    // A row has an end by now: what was signed is another plan than what is asked.
    const [first] = rows;
    if (first === undefined) throw new Error('nothing was claimed');
    const reason = { code: 'cancelled-by-request', message: 'withdrawn' } as const;
    await gateway.proxy.store.changePayout(first.reference, { state: 'cancelled', reason, at: Date.now() });
    expect((await bob.submit(`${path}/decide`, `${path}/approve`, { signed })).status).toBe(409);
    expect(gateway.proxy.temporal.sent).toEqual([]);
    const rejected = await bob.sign(`${path}/decide`, `${path}/reject`, { remark: 'not ours' }, key);
    expect(rejected.status).toBe(303);
    expect(gateway.proxy.temporal.sent.map(({ name, payload }) => [name, payload])).toEqual(
      rows.slice(1).map(() => ['reject', { by: 'bob', remark: 'not ours' }]),
    );
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
