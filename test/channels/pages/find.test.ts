import { expect, it } from 'vitest';
import { PAYEE_FIELDS } from '../../support/payee.ts';
import { openGateway } from '../http/running-gateway.ts';
import { claimed } from './asking.ts';
import { openPagesOf, signedIn, Visit } from './visiting.ts';

/** Documents of a page, in their order. */
const documentsOf = (page: string): string[] =>
  [...page.matchAll(/<th scope="row"><a [^>]*>([^<]*)</g)].map(([, id = '']) => id);
const linkOf = (page: string, rel: 'prev' | 'next'): string =>
  (new RegExp(`rel="${rel}" href="([^"]*)"`).exec(page)?.[1] ?? '').replaceAll('&amp;', '&');

it('the list of payouts goes page by page, forth and back, in any order', async () => {
  const gateway = await openGateway();
  await claimed(
    gateway,
    Array.from({ length: 250 }, (_, n) => ({ id: `d-${n}`, amount: `${((n * 77) % 251) + 1}` })),
    'alice',
  );
  const page = async (path: string): Promise<string> => (await gateway.send(path)).document;
  for (const order of ['newest', 'largest']) {
    const pages = [await page(`/payouts?order=${order}`)];
    for (let n = 0; n < 2; n += 1) pages.push(await page(linkOf(pages.at(-1) ?? '', 'next')));
    const shown = pages.flatMap(documentsOf);
    expect([shown.length, new Set(shown).size]).toEqual([250, 250]);
    expect(linkOf(pages[2] ?? '', 'next')).toBe('');
    expect(linkOf(pages[0] ?? '', 'prev')).toBe('');
    const back = await page(linkOf(pages[2] ?? '', 'prev'));
    expect(documentsOf(back)).toEqual(documentsOf(pages[1] ?? ''));
    const first = await page(linkOf(back, 'prev'));
    expect(documentsOf(first)).toEqual(documentsOf(pages[0] ?? ''));
    expect(linkOf(first, 'prev')).toBe('');
  }
  const { text: csv, headers } = await new Visit(gateway.url).send('/payouts.csv?order=largest');
  expect(headers['content-disposition']).toMatch(/filename="payouts-\d{4}-\d\d-\d\d\.csv"$/);
  expect(csv.slice(0, 14)).toBe('\ufeffdocument,user');
  expect(csv.trim().split('\n')).toHaveLength(251);
  expect(csv).toMatch(/\nd-\d+,u-1001,[^,]*,[^,]*,received,,251,USD,/);
});

it('filters by state, account, currency, user, batch and dates', async () => {
  const gateway = await openGateway();
  const [first, second] = await claimed(gateway, [{ id: 'a', amount: '640' }, { id: 'b' }], 'alice');
  const more = { uid: 'u-1002', account_id: 'acc-u1002-usd', beneficiary_id: '', ...PAYEE_FIELDS };
  await claimed(gateway, [{ id: 'c', ...more, account_no: '123456789' }], 'alice');
  await gateway.proxy.store.changePayout(second?.reference ?? '', {
    state: 'completed',
    at: Date.parse('2026-03-05T12:00:00Z'),
  });
  const found = async (query: string): Promise<string[]> =>
    documentsOf((await gateway.send(`/payouts?${query}`)).document).sort();
  expect(await found('')).toEqual(['a', 'b', 'c']);
  expect(await found('state=completed&currency=&text=')).toEqual(['b']);
  expect(await found('uid=u-1002')).toEqual(['c']);
  expect(await found('account=acc-u1001-usd')).toEqual(['a', 'b']);
  expect(await found('currency=usd')).toEqual(['a', 'b', 'c']);
  expect(await found(`batch=${first?.batchId}`)).toEqual(['a', 'b']);
  expect(await found('text=640.00')).toEqual(['a']);
  expect(await found('endedFrom=2026-03-05&endedTo=2026-03-05')).toEqual(['b']);
  expect(await found('endedFrom=2026-03-06')).toEqual([]);
  expect(await found('from=2020-01-01&to=2020-01-02')).toEqual([]);
  expect((await gateway.send('/payouts?state=paid')).status).toBe(400);
  // A cursor of another order is none.
  expect(await found(`after=${encodeURIComponent('["1","x"]')}`)).toEqual(['a', 'b', 'c']);
});

it('names a payee in full to those who decide, masks it for others, in page and table', async () => {
  const { people, gateway } = await openPagesOf({ alice: 'maker', bob: 'approver', audrey: 'auditor' });
  const named = { beneficiary_id: '', ...PAYEE_FIELDS, account_no: '123456789', account_name: 'Metals Ltd' };
  await claimed(gateway, [{ id: 'a', ...named }], 'alice');
  for (const path of ['/payouts?text=metals', '/payouts.csv?text=metals']) {
    for (const name of ['alice', 'bob']) {
      expect((await (await signedIn(people, name)).send(path)).text, `${name} ${path}`).toContain('123456789');
    }
    const { text } = await (await signedIn(people, 'audrey')).send(path);
    expect(text).toContain('***89');
    expect(text).not.toContain('123456789');
  }
});
