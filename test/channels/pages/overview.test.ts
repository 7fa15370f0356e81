import { expect, it, vi } from 'vitest';
import { openGateway } from '../http/running-gateway.ts';
import { asking, claimed } from './asking.ts';
import { openPagesOf, signedIn } from './visiting.ts';

const DAY_MS = 86_400_000;
const dayBefore = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

it('the overview adds up what was paid in a period, what it cost, and what is open', async () => {
  const gateway = await openGateway();
  const { store } = gateway.proxy;
  const rows = await claimed(gateway, [{ id: '1', amount: '1200.25' }, { id: '2' }, { id: '3' }], 'alice');
  const [first, second, third] = rows.map(({ reference }) => reference);
  const paid = { state: 'completed', fee: '1.20', feeCurrency: 'USD' } as const;
  await store.changePayout(first ?? '', { ...paid, at: Date.now() - 3 * DAY_MS });
  await store.changePayout(second ?? '', { ...paid, at: Date.now() - 3 * DAY_MS + 1 });
  await store.changePayout(third ?? '', { ...paid, at: Date.now() - 40 * DAY_MS });
  const [waiting] = await claimed(gateway, [{ id: '4' }, { id: '5' }], 'alice');
  if (waiting !== undefined) await asking(gateway, waiting);
  const three = dayBefore(3);
  const { document: page } = await gateway.send(`/overview?from=${three}&to=${three}`);
  expect(page).toContain(`What went out on ${three}`);
  expect(page).toContain('2 payouts ended');
  expect(page).toMatch(/<td data-head="Paid" class="figure"><span class="figure">1,212\.75 USD/);
  expect(page).toMatch(/<td data-head="Fees" class="figure"><span class="figure">2\.40 USD/);
  expect(page).not.toContain('data-head="Returned"');
  expect(page).toContain(`<title>${three}: 1,212.75 USD</title>`);
  expect(page).toContain('<title>less than an hour ago: 2 payouts, of which 1 wait for people</title>');
  const { document: today } = await gateway.send('/overview');
  expect(today).toContain('Nothing ended in this period.');
  expect((await gateway.send('/overview?from=yesterday')).status).toBe(400);
});

it('the overview adds up what was paid though more than it can add up ended unpaid', async () => {
  const gateway = await openGateway();
  const { store } = gateway.proxy;
  const [paid, unpaid] = await claimed(gateway, [{ id: '1', amount: '1200.25' }, { id: '2' }], 'alice');
  await store.changePayout(paid?.reference ?? '', { state: 'completed', at: Date.now() });
  await store.changePayout(unpaid?.reference ?? '', { state: 'cancelled', at: Date.now() });
  const [ended] = await store.payoutsOf([unpaid?.reference ?? '']);
  vi.spyOn(store, 'searchPayouts').mockResolvedValueOnce(Array(10_001).fill(ended));
  const { document: page } = await gateway.send('/overview');
  expect(page).toContain('More payouts ended than are added up here: these are the 1 that were paid.');
  expect(page).toMatch(/<td data-head="Paid" class="figure"><span class="figure">1,200\.25 USD/);
});

it('the overview shows a person only what is within their scope', async () => {
  const { people, gateway } = await openPagesOf({
    alice: 'maker',
    yen: ['auditor', { currencies: ['JPY'] }],
    account: ['auditor', { accounts: ['acc-u1001-usd'] }],
  });
  const [row, other] = await claimed(gateway, [{ id: '1', amount: '1200.25' }, { id: '2' }], 'alice');
  await gateway.proxy.store.changePayout(row?.reference ?? '', { state: 'completed', at: Date.now() });
  expect(other?.state).toBe('received');
  const seen = async (name: string): Promise<string> => (await (await signedIn(people, name)).send('/overview')).text;
  for (const name of ['alice', 'account']) {
    const page = await seen(name);
    expect(page).toContain('1,200.25 USD</title>');
    expect(page).toContain(': 1 payout, of');
  }
  const yen = await seen('yen');
  expect(yen).not.toContain('1,200.25');
  expect(yen).toContain('Nothing is open.');
});
