import type { CardEntry } from '../../../src/bank/cards/vault.ts';

/** Numbers that must be found nowhere but in a vault. */
export const PAN = '4012888888881881';
export const CVV = '737';
export const HOLDER = 'Odette Quillfeather';

export const cardEntry = (more: Partial<CardEntry['card']> = {}): CardEntry => ({
  card: { number: PAN, expiry_month: '03', expiry_year: '2039', cvv: CVV, holder_name: HOLDER, ...more },
  returnUrl: 'https://shop.example/back',
});
