import { expect, it } from 'vitest';
import { claimed } from './asking.ts';
import { openPagesOf, signedIn } from './visiting.ts';

it('a comment is shown to all who see the payout, under its writer, and is in the audit log', async () => {
  const { people, gateway } = await openPagesOf({
    alice: 'maker',
    bob: 'approver',
    audrey: ['auditor', { currencies: ['JPY'] }],
  });
  const [row] = await claimed(gateway, [{ id: '1' }], 'alice');
  const path = `/payouts/${row?.reference}`;
  const bob = await signedIn(people, 'bob');
  const sent = await bob.submit(path, `${path}/comments`, { text: 'Which order is <this>?', by: 'carol' });
  expect([sent.status, sent.headers.location]).toEqual([303, `${path}#comments`]);
  const { text } = await (await signedIn(people, 'alice')).send(path);
  expect(text).toContain('<strong>bob</strong>: Which order is &lt;this&gt;?</li>');
  const [entry] = (await gateway.proxy.store.auditEntriesOf(row?.reference ?? '')).slice(-1);
  expect(entry).toMatchObject({ actor: 'bob', action: 'commented', detail: { remark: 'Which order is <this>?' } });
  const empty = await bob.submit(path, `${path}/comments`, { text: '' });
  expect(empty.status).toBe(400);
  expect((await (await signedIn(people, 'audrey')).send(path)).status).toBe(404);
});

it('waits in the inbox of the maker until answered, and then tells those who had asked', async () => {
  const { people, gateway } = await openPagesOf({
    alice: 'maker',
    bob: 'approver',
    carol: 'approver',
    yen: ['approver', { currencies: ['JPY'] }],
  });
  const [row] = await claimed(gateway, [{ id: 'INV-1' }], 'alice');
  const path = `/payouts/${row?.reference}`;
  const say = async (name: string, text: string) =>
    (await signedIn(people, name)).submit(path, `${path}/comments`, { text });
  const inbox = async (name: string) => (await (await signedIn(people, name)).send('/')).text;
  const page = async () => (await (await signedIn(people, 'alice')).send(path)).text;
  await say('bob', 'Which order is this?');
  expect(await inbox('alice')).toMatch(/1 comment for you.*#comments">INV-1<.*>bob<.*Which order is this\?/s);
  expect(await page()).toContain('alice has not answered yet.');
  for (const name of ['bob', 'carol', 'yen']) expect(await inbox(name), name).not.toContain('comment for you');
  await say('alice', 'Of May');
  expect(await inbox('alice')).not.toContain('comment for you');
  expect(await inbox('bob')).toMatch(/1 comment for you.*answered by alice.*Of May/s);
  expect(await inbox('carol')).not.toContain('comment for you');
  expect(await page()).toContain('Answered by alice.');
  await gateway.proxy.store.changePayout(row?.reference ?? '', { state: 'cancelled', reason: null, at: Date.now() });
  expect(await inbox('bob')).not.toContain('comment for you');
});
