import type { PaymentTypeRule } from '../messages/mapping.ts';
import { type Transaction, typesOf } from './transaction.ts';

/** Parts of a transaction for which the bank's API has no field. */
const OF_TRANSACTION = [
  'XchgRateInf/XchgRate',
  'ChqInstr',
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
  'CdtrAcct/Tp',
  'CdtrAcct/Prxy',
  'RmtInf/Strd/RfrdDocAmt',
  'RmtInf/Strd/Invcr',
  'RmtInf/Strd/Invcee',
  'RmtInf/Strd/TaxRmt',
  'RmtInf/Strd/GrnshmtRmt',
  'RmtInf/Strd/AddtlRmtInf',
];
const DOCUMENTS = 'RmtInf/Strd/RfrdDocInf';
const SCHEME = 'CdtrAcct/Id/Othr/SchmeNm';
/** Parts of the payee's address; a box is passed on if there is no street, a building number if there is one. */
const OF_ADDRESS = ['Dept', 'SubDept', 'BldgNm', 'Flr', 'Room', 'TwnLctnNm', 'DstrctNm'];
const OF_PAYMENT = ['ReqdExctnDt/DtTm', 'PoolgAdjstmntDt', 'UltmtDbtr', 'InstrForDbtrAgt', 'ChrgsAcct'];
/**
 * A warning that names the parts of the transaction that are checked but not passed to the bank; undefined if there are none.
 * Those of a payee that the bank has under an id (`isById`) are not missed.
 */
export function notCarried(
  transaction: Transaction,
  { rules, isById }: { rules: readonly PaymentTypeRule[]; isById: boolean },
): { rule: string; message: string } | undefined {
  const { fields, payment } = transaction;
  const has = (part: Transaction['fields'], name: string): boolean => part.one(name) !== undefined || part.has(name);
  // Without a text, the numbers of the documents are the note.
  const hasText = fields.one('RmtInf/Ustrd', 'RmtInf/Strd/CdtrRefInf/Ref') !== undefined;
  // Such an account number can be that of a giro, a telephone or a tax payer.
  const scheme = fields.one(`${SCHEME}/Cd`, `${SCHEME}/Prtry`) ?? 'BBAN';
  const address = [...OF_ADDRESS, fields.one('Cdtr/PstlAdr/StrtNm') === undefined ? 'BldgNb' : 'PstBx'];
  // The levels of an ordinary transfer, and those that the mapping file makes a payment type.
  const kept = ['SEPA', 'NURG', ...rules.map(({ serviceLevel }) => serviceLevel)];
  const levels = typesOf(transaction, 'SvcLvl/Cd', 'SvcLvl/Prtry');
  const names = [
    ...OF_TRANSACTION.filter((name) => has(fields, name)),
    ...(hasText && fields.has(DOCUMENTS) ? [DOCUMENTS] : []),
    ...(scheme === 'BBAN' ? [] : [SCHEME]),
    ...address.map((name) => `Cdtr/PstlAdr/${name}`).filter((name) => has(fields, name)),
    ...OF_PAYMENT.filter((name) => has(payment.fields, name)),
    ...(typesOf(transaction, 'CtgyPurp/Cd', 'CtgyPurp/Prtry').length === 0 ? [] : ['CtgyPurp']),
    ...(levels.every((level) => kept.includes(level)) ? [] : ['SvcLvl']),
    ...(typesOf(transaction, 'InstrPrty').includes('HIGH') ? ['InstrPrty'] : []),
  ];
  const missed = new Set(names.filter((name) => !(isById && name.startsWith('Cdtr'))));
  return missed.size === 0 ? undefined : withoutField([...missed].join(', '));
}

export const withoutField = (list: string) => ({
  rule: 'not-carried',
  message: `the bank's API has no field for ${list}; the payment is made without it`,
});
