import type { Transaction } from './transaction.ts';

/** Parts of a transaction, and of its block, that the bank's API has no field for. */
const OF_TRANSACTION = [
  'UltmtDbtr',
  'IntrmyAgt1',
  'UltmtCdtr',
  'InstrForCdtrAgt',
  'InstrForDbtrAgt',
  'RgltryRptg',
  'Tax',
  'RltdRmtInf',
  'SplmtryData',
];
/** Of the payee's address; `PstBx` is carried where there is no street. */
const OF_ADDRESS = ['Dept', 'SubDept', 'BldgNm', 'Flr', 'Room', 'TwnLctnNm', 'DstrctNm'];
const OF_PAYMENT = ['UltmtDbtr', 'InstrForDbtrAgt'];

/** What of the transaction is checked and not handed to the bank, as a warning; undefined when all of it is. */
export function notCarried({ fields, payment }: Transaction): { rule: string; message: string } | undefined {
  const has = (part: Transaction['fields'], name: string): boolean => part.one(name) !== undefined || part.has(name);
  const names = [
    ...OF_TRANSACTION.filter((name) => has(fields, name)),
    ...OF_ADDRESS.map((name) => `Cdtr/PstlAdr/${name}`).filter((name) => has(fields, name)),
    ...OF_PAYMENT.filter((name) => has(payment.fields, name)),
  ];
  if (names.length === 0) return undefined;
  const list = [...new Set(names)].join(', ');
  return { rule: 'not-carried', message: `the bank's API has no field for ${list}; the payment is made without it` };
}
