import { PAYEE_FIELDS } from '../../support/payee.ts';

/** The payouts of a run: all of the sandbox's seed (`src/sandbox/bank/open-books.ts`), in a mix of every way a row can be paid. */

export type Row = Readonly<Record<string, string>> & {
  id: string;
  uid: string;
  account_id: string;
  amount: string;
  currency: string;
};

const PLAIN = {
  uid: 'u-1001',
  account_id: 'acc-u1001-usd',
  currency: 'USD',
  beneficiary_id: 'ben-u1001-usd-local',
};
const COMPANY = {
  uid: 'u-1002',
  account_id: 'acc-u1002-eur',
  currency: 'EUR',
  beneficiary_id: 'ben-u1002-eur-swift',
};
const { beneficiary_id: _known, ...TO_NEW_PAYEE } = { ...PLAIN, ...PAYEE_FIELDS };

const amountOf = (n: number): string => `${10 + (n % 90)}.${String(n % 100).padStart(2, '0')}`;

/** Rows that share a payee not known yet: several may try to add it at once. */
const ROWS_A_PAYEE = 40;

type Kind = (n: number) => Omit<Row, 'id'>;

const KINDS: readonly [Kind, ...Kind[]] = [
  (n) => ({ ...PLAIN, amount: amountOf(n) }),
  (n) => ({ ...COMPANY, amount: amountOf(n) }),
  // An exchange before the payment.
  (n) => ({ ...PLAIN, account_id: 'acc-u1001-eur', amount: amountOf(n) }),
  (n) => ({ ...TO_NEW_PAYEE, account_no: `1234567${Math.floor(n / ROWS_A_PAYEE)}`, amount: amountOf(n) }),
  // Twins: other ids, all else alike.
  () => ({ ...PLAIN, amount: '77.77' }),
  (n) => ({ ...PLAIN, amount: amountOf(n), note: 'sandbox:audit' }),
  () => ({ ...PLAIN, amount: '77.77' }),
  (n) => ({ ...TO_NEW_PAYEE, account_no: `1234567${Math.floor(n / ROWS_A_PAYEE)}`, amount: amountOf(n) }),
  (n) => ({ ...PLAIN, amount: amountOf(n), note: 'sandbox:fail' }),
  (n) => ({ ...COMPANY, amount: amountOf(n), note: 'sandbox:audit' }),
];

export function rowsOf(count: number): Row[] {
  return Array.from({ length: count }, (_, n) => {
    const kind = KINDS[n % KINDS.length] ?? KINDS[0];
    return { id: `CHAOS-${n + 1}`, ...kind(n) } as Row;
  });
}
