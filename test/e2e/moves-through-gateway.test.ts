import { readdirSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { type Ended, QUICK } from '../support/command.ts';
import { signingPerson } from '../support/people.ts';
import { until } from '../support/until.ts';
import { bookedOrders } from './books.ts';
import { errorOf } from './documents.ts';
import { openLaptops } from './laptops.ts';

/** Transfers and exchanges by a command that has a gateway's address and its owner's key, beside the same command in place. */
const alice = signingPerson('alice', ['maker']);
const anna = signingPerson('anna', ['maker'], { currencies: ['EUR'] });
const bob = signingPerson('bob', ['approver']);
const carl = signingPerson('carl', ['auditor']);
const PEOPLE = [alice, anna, bob, carl];

const { folder, home, keyOf, laptop } = openLaptops(PEOPLE, {
  settings: { ...QUICK, PAYOUTS_TRANSFER_ACROSS_USERS: 'true' },
  approvals: [{ currency: 'USD', amountAtLeast: '1000', approvals: 1 }],
});

beforeAll(async () => {
  expect((await home.payouts(...transfer('FIRST', '--yes', '--key', keyOf(alice)))).code).toBe(0);
});

const transfer = (id: string, ...more: string[]): string[] => [
  ...['transfer', '--id', id, '--uid', 'u-1001', '--from', 'acc-u1001-usd', '--to', 'acc-u1002-usd'],
  ...['--amount', '12.50', ...more],
];
const exchange = (id: string, ...more: string[]): string[] => [
  ...['exchange', '--id', id, '--uid', 'u-1001', '--sell', 'acc-u1001-eur', '--buy', 'acc-u1001-usd'],
  ...['--amount', '100.00', '--currency', 'USD', ...more],
];

const payoutIn = ({ stdout }: Ended) => JSON.parse(stdout).payout;
const ordersUnder = (reference: string) => bookedOrders(home.path).filter((order) => order.reference === reference);
/** What is said before anything starts, without ids, times and what the bank has left and quotes. */
const alike = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !/ (starting|completed)/.test(line))
    .join(' ')
    .replaceAll(/\d[\d.,:T-]*Z?|-(here|there)|\s+/g, ' ');

it.each([
  ['transfer', transfer],
  ['exchange', exchange],
] as const)('makes one %s, signed, and says what the same command says in place', async (kind, command) => {
  const there = await laptop(alice, ...command(`${kind}-there`, '--yes', '--json'));
  expect(there.code).toBe(0);
  const payout = payoutIn(there);
  expect(payout).toMatchObject({ kind, state: 'completed', workflowId: `${kind}/${payout.reference}` });
  expect(ordersUnder(payout.reference)).toHaveLength(1);
  const here = await home.payouts(...command(`${kind}-here`, '--yes', '--json', '--key', keyOf(alice)));
  expect(here.code).toBe(0);
  expect(alike(there.stderr)).toBe(alike(here.stderr));
  expect(Object.keys(payout)).toEqual(Object.keys(payoutIn(here)));
  const again = await laptop(alice, ...command(`${kind}-there`, '--yes', '--json'));
  const inPlace = await home.payouts(...command(`${kind}-there`, '--yes', '--json', '--key', keyOf(alice)));
  expect([again.code, again.stdout]).toEqual([8, inPlace.stdout]);
  expect(ordersUnder(payout.reference)).toHaveLength(1);
  const { entries } = JSON.parse((await home.payouts('audit', 'show', payout.reference, '--json')).stdout);
  expect(entries).toContainEqual(expect.objectContaining({ actor: 'alice', action: 'approve, signed' }));
});

it.each<[string, string[]]>([
  ['what is wrong by the rules', transfer('BAD-1', '--amount', '1.005', '--yes')],
  ['an account that is unknown', transfer('BAD-2', '--from', 'acc-nobody', '--yes')],
  ['accounts of two currencies', transfer('BAD-3', '--to', 'acc-u1001-gbp', '--yes')],
  ['a missing value', transfer('', '--yes')],
  ['an id that is used', exchange('exchange-there', '--amount', '7.00', '--yes')],
  ['no confirmation', exchange('BAD-4')],
  ['no confirmation of a transfer', transfer('BAD-5', '--note', 'rent', '--execute-on', '2999-01-01')],
])('says the same as in place of %s, and starts nothing', async (_what, args) => {
  for (const more of [[], ['--json']]) {
    const given = [...args, ...more];
    const [there, here] = [await laptop(alice, ...given), await home.payouts(...given, '--key', keyOf(alice))];
    expect({ code: there.code, stdout: there.stdout }).toEqual({ code: here.code, stdout: here.stdout });
    expect(alike(there.stderr)).toBe(alike(here.stderr));
    expect(there.code).not.toBe(0);
  }
});

it.each([
  ['bob', 'role-missing'],
  ['carl', 'role-missing'],
  ['anna', 'outside-scope'],
])('makes none for somebody who is no maker, or outside of a scope: %s, %s', async (name, code) => {
  const person = PEOPLE.find((it) => it.name === name) ?? alice;
  for (const command of [transfer('NOT-1', '--yes', '--json'), exchange('NOT-1', '--yes', '--json')]) {
    const refused = await laptop(person, ...command);
    expect([refused.code, errorOf(refused).error.code]).toEqual([2, code]);
  }
  expect((await home.payouts('status', 'NOT-1')).code).toBe(2);
});

it('leaves it by --detach, waits for an approval, and follows it with the same command', async () => {
  const big = (...more: string[]) => laptop(alice, ...transfer('BIG-1', '--amount', '2000.00', '--json', ...more));
  const detached = await big('--yes', '--detach');
  expect(detached.code).toBe(0);
  const { reference } = payoutIn(detached);
  const stateNow = async () => payoutIn(await laptop(alice, 'status', reference, '--json')).state;
  await until(async () => (await stateNow()) === 'awaiting-approval');
  const open = await big('--yes', '--timeout', '100ms');
  expect([open.code, payoutIn(open).state]).toEqual([6, 'awaiting-approval']);
  expect(errorOf(await laptop(alice, 'approve', 'BIG-1', '--yes', '--json')).error.code).toBe('role-missing');
  expect((await laptop(bob, 'approve', 'BIG-1', '--yes')).code).toBe(0);
  await until(async () => (await stateNow()) === 'completed');
  expect(ordersUnder(reference)).toHaveLength(1);
});

it('leaves nothing on the laptop', () => {
  expect(readdirSync(folder).sort()).toEqual([...PEOPLE.map(({ name }) => `${name}.pem`), 'policy.json'].sort());
});
