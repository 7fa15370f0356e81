import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { PAN } from '../bank/cards/cards.ts';
import type { Ended } from '../support/command.ts';
import { type SigningPerson, signingPerson } from '../support/people.ts';
import { errorOf } from './documents.ts';
import { openLaptops } from './laptops.ts';

/** Card payments by a command that has a gateway's address and its owner's key, beside the same command in place. */
const alice = signingPerson('alice', ['maker']);
const anna = signingPerson('anna', ['maker']);
const bob = signingPerson('bob', ['approver']);
const carl = signingPerson('carl', ['auditor']);
const olga = signingPerson('olga', ['operator']);
const yoko = signingPerson('yoko', ['operator'], { currencies: ['JPY'] });
const PEOPLE = [alice, anna, bob, carl, olga, yoko];

const { folder, home, keyOf, laptop } = openLaptops(PEOPLE, {});
const cardFile = join(folder, 'card.json');

const create = (id: string, ...more: string[]): string[] => [
  ...['card', 'create', '--amount', '49.90', '--currency', 'EUR', '--id', id, '--json', ...more],
];
const documentIn = ({ stdout }: Ended) => JSON.parse(stdout);

beforeAll(async () => {
  const card = { number: '4000000010000000', expiry_month: '12', expiry_year: '2039', cvv: '123' };
  writeFileSync(cardFile, JSON.stringify(card));
  expect(await laptop(alice, ...create('open-1'))).toMatchObject({ code: 0 });
});

it('creates one payment, once, with the key of a maker, also in place', async () => {
  const made = await laptop(alice, ...create('there-1'));
  const here = await home.payouts(...create('here-1'), '--key', keyOf(alice));
  expect([made.code, here.code]).toEqual([0, 0]);
  expect(Object.keys(documentIn(made))).toEqual(Object.keys(documentIn(here)));
  expect(documentIn(made)).toMatchObject({
    card_payment: { merchant_request_id: 'there-1', state: 'received' },
    checkout_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/checkout#gateway=.*id=there-1/),
  });
  expect((await laptop(alice, ...create('there-1'))).code).toBe(0);
  const listed = documentIn(await laptop(alice, 'card', 'list', '--json')).card_payments;
  expect(listed.filter((it: { merchant_request_id: string }) => it.merchant_request_id === 'there-1')).toHaveLength(1);
  expect(errorOf(await laptop(anna, ...create('there-1'))).error.code).toBe('id-reused');
});

it('hands over a card, follows it to its end, and leaves none of it in what it says', async () => {
  const paid = await laptop(alice, ...create('paid-1', '--card-from', cardFile, '--wait', '--timeout', '60s'));
  expect([paid.code, documentIn(paid).card_payment.state]).toEqual([0, 'succeeded']);
  expect(paid.stdout + paid.stderr).not.toContain('4000000010000000');
  const bad = await laptop(alice, ...create('paid-2', '--amount', '1.234', '--return-url', 'https://shop.example/'));
  const inPlace = await home.payouts(
    ...create('paid-2', '--amount', '1.234', '--return-url', 'https://shop.example/', '--key', keyOf(alice)),
  );
  expect([bad.code, bad.stdout]).toEqual([2, inPlace.stdout]);
});

it.each([
  ['show', 'open-1'],
  ['show', 'card/open-1', '--json'],
  ['show', 'none', '--json'],
  ['show', PAN, '--json'],
  ['list'],
  ['list', '--json'],
  ['retrieve', 'open-1', '--json'],
  ['retrieve', 'none', '--json'],
  ['retrieve', PAN, '--json'],
  ['cancel', 'none', '--yes', '--json'],
  ['cancel', 'open-1'],
  ['amount', 'open-1', 'x', '--yes', '--json'],
  ['resolve', 'open-1', '--action', 'adopt-payment', '--evidence', 'letter', '--yes', '--json'],
  ['resolve', 'open-1', '--action', 'confirm-end', '--evidence', 'letter', '--yes', '--json'],
  ['resolve', 'open-1', '--action', 'keep-looking', '--evidence', 'letter', '--yes', '--json'],
])('says the same as in place: card %s %s %s', async (...given) => {
  const args = ['card', ...given.filter((arg) => arg !== undefined)];
  const takesKey = ['cancel', 'amount', 'resolve'].includes(given[0] ?? '') ? ['--key', keyOf(olga)] : [];
  const [here, there] = [await home.payouts(...args, ...takesKey), await laptop(olga, ...args)];
  expect({ code: there.code, stdout: there.stdout }).toEqual({ code: here.code, stdout: here.stdout });
  expect(there.stderr).toBe(here.stderr);
  expect(there.stdout + there.stderr).not.toContain(PAN);
});

it('lets nobody take money, or decide, whose role or scope does not hold it', async () => {
  const refusals: [SigningPerson, string[], string][] = [
    [bob, create('not-1'), 'role-missing'],
    [carl, create('not-1'), 'role-missing'],
    [olga, create('not-1'), 'role-missing'],
    [bob, ['card', 'show', 'open-1', '--json'], 'role-missing'],
    [anna, ['card', 'show', 'open-1', '--json'], 'unknown-id'],
    [yoko, ['card', 'show', 'open-1', '--json'], 'unknown-id'],
    [alice, ['card', 'retrieve', 'foreign-1', '--json'], 'unknown-id'],
    ...[alice, carl].map((it): [SigningPerson, string[], string] => [
      it,
      ['card', 'cancel', 'open-1', '--yes', '--json'],
      'role-missing',
    ]),
    [carl, ['card', 'amount', 'open-1', '9', '--yes', '--json'], 'role-missing'],
    [bob, ['card', 'resolve', 'open-1', '--action', 'confirm-end', '--evidence', 'e', '--json'], 'role-missing'],
  ];
  for (const [person, args, code] of refusals) {
    const refused = await laptop(person, ...args);
    expect([person.name, args.join(' '), refused.code, errorOf(refused).error.code]).toEqual([
      person.name,
      args.join(' '),
      2,
      code,
    ]);
  }
  expect(documentIn(await laptop(anna, 'card', 'list', '--json')).card_payments).toEqual([]);
});

it('changes the amount and cancels by an operator, who signs it', async () => {
  const changed = await laptop(olga, 'card', 'amount', 'open-1', '39', '--yes', '--json');
  expect([changed.code, documentIn(changed)]).toEqual([
    0,
    expect.objectContaining({ merchant_request_id: 'open-1', amount: '39.00' }),
  ]);
  const cancelled = await laptop(olga, 'card', 'cancel', 'open-1', '--remark', 'withdrawn', '--yes', '--json');
  expect([cancelled.code, documentIn(cancelled).outcome]).toEqual([0, 'cancelled']);
  const { entries } = documentIn(await home.payouts('audit', 'show', 'open-1', '--json'));
  const signed = entries.filter(({ action }: { action: string }) => action === 'approve, signed');
  const digests = signed.map(({ detail }: { detail: { digest: string } }) => detail.digest);
  expect(digests.slice(-2)).toEqual(['changeAmount 39.00/open-1', 'cancel/open-1']);
});

it('leaves nothing on the laptop, and no card number in the home of the stack', () => {
  expect(readdirSync(folder).sort()).toEqual(
    [...PEOPLE.map(({ name }) => `${name}.pem`), 'card.json', 'policy.json'].sort(),
  );
  const files = readdirSync(home.path, { recursive: true, withFileTypes: true }).filter((it) => it.isFile());
  const holding = files
    .filter(({ name }) => !name.startsWith('sandbox'))
    .filter(({ parentPath, name }) => readFileSync(join(parentPath, name)).includes('4000000010000000'));
  expect(holding.map(({ name }) => name)).toEqual([]);
});
