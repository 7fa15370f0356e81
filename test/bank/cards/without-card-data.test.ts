import { describe, expect, it } from 'vitest';
import { withoutCardData } from '../../../src/bank/cards/vault.ts';
import { CVV, cardEntry, HOLDER, PAN } from './cards.ts';

const GROUPED = '4012 8888 8888 1881';

describe('what an acquirer answers', () => {
  it.each([
    ['the number', PAN],
    ['the number in groups', GROUPED],
    ['the number with dashes', GROUPED.replaceAll(' ', '-')],
    ['the number in an address', `https://acs.example/v?pan=${GROUPED.replaceAll(' ', '%20')}`],
    ['the number as a JSON number', Number(PAN)],
    ...[0, 1, 2].map((n): [string, string] => [
      `the number in base64, ${n} bytes on`,
      Buffer.from(`${'{"n":"'.slice(0, n + 3)}${PAN}"}`).toString('base64'),
    ]),
    ['a named CVV', `cvv=${CVV}&x=1`],
    ['a CVV in a JSON text', `{"securityCode": "${CVV}"}`],
    ['the name on the card', HOLDER.toUpperCase()],
  ])('is kept without the member that holds %s', (_what, value) => {
    const answer = { token: 'kept', deep: [{ echo: value, other: 7 }, value] };
    expect(withoutCardData(answer, cardEntry())).toEqual({ token: 'kept', deep: [{ other: 7 }] });
  });

  it('is kept without a member whose name is the number, or says that it is the CVV', () => {
    expect(withoutCardData({ [PAN]: 1, cvv: CVV, cvc2: CVV, a: null }, cardEntry())).toEqual({ a: null });
  });

  it('is kept as it is otherwise: three digits alone are any number', () => {
    const answer = { url: `https://acs.example/${CVV}?width=${CVV}`, height: Number(CVV), flag: true, none: null };
    expect(withoutCardData(answer, cardEntry())).toEqual(answer);
    expect(withoutCardData({ echo: 'x' }, cardEntry({ cvv: undefined, holder_name: undefined }))).toEqual({
      echo: 'x',
    });
  });
});
