import { expect, it } from 'vitest';
import { claimed } from './asking.ts';
import { openPages, pagePeople, signedIn } from './visiting.ts';

it('a comment is shown to all who see the payout, under its writer, and is in the audit log', async () => {
  const people = await pagePeople([
    ['alice', ['maker']],
    ['bob', ['approver']],
    ['audrey', ['auditor'], { currencies: ['JPY'] }],
  ]);
  const gateway = await openPages(people);
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
