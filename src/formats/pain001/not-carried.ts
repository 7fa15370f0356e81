import { type Transaction, typesOf } from './transaction.ts';

/** Parts of a transaction for which the bank's API has no field. */
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
  'CdtrAgt/BrnchId',
  'CdtrAgtAcct',
  'RmtInf/Strd/RfrdDocAmt',
  'RmtInf/Strd/Invcr',
  'RmtInf/Strd/Invcee',
  'RmtInf/Strd/TaxRmt',
  'RmtInf/Strd/GrnshmtRmt',
  'RmtInf/Strd/AddtlRmtInf',
];
const DOCUMENTS = 'RmtInf/Strd/RfrdDocInf';
/** Parts of the payee's address; `PstBx` is passed on if there is no street. */
const OF_ADDRESS = ['Dept', 'SubDept', 'BldgNm', 'Flr', 'Room', 'TwnLctnNm', 'DstrctNm'];
const OF_PAYMENT = ['UltmtDbtr', 'InstrForDbtrAgt', 'ChrgsAcct'];

/** A warning that names the parts of the transaction that are checked but not passed to the bank; undefined if there are none. */
export function notCarried(transaction: Transaction): { rule: string; message: string } | undefined {
  const { fields, payment } = transaction;
  const has = (part: Transaction['fields'], name: string): boolean => part.one(name) !== undefined || part.has(name);
  // Without a text, the numbers of the documents are the note.
  const hasText = fields.one('RmtInf/Ustrd', 'RmtInf/Strd/CdtrRefInf/Ref') !== undefined;
  const names = [
    ...OF_TRANSACTION.filter((name) => has(fields, name)),
    ...(hasText && fields.has(DOCUMENTS) ? [DOCUMENTS] : []),
    ...OF_ADDRESS.map((name) => `Cdtr/PstlAdr/${name}`).filter((name) => has(fields, name)),
    ...OF_PAYMENT.filter((name) => has(payment.fields, name)),
    ...(typesOf(transaction, 'CtgyPurp/Cd', 'CtgyPurp/Prtry').length === 0 ? [] : ['CtgyPurp']),
    ...(typesOf(transaction, 'InstrPrty').includes('HIGH') ? ['InstrPrty'] : []),
  ];
  if (names.length === 0) return undefined;
  const list = [...new Set(names)].join(', ');
  return { rule: 'not-carried', message: `the bank's API has no field for ${list}; the payment is made without it` };
}
