import type { OriginalTransaction } from '../../domain/bank-message.ts';
import { isMailAddress } from '../../domain/instruction.ts';
import type { Creditor, CreditTransfer } from '../credit-transfer.ts';
import type { Identity } from '../messages/mapping.ts';
import { documentId } from '../messages/message-instruction.ts';
import type { Fields } from './pain001-grammar.ts';

/** One `CdtTrfTxInf` and what contains it. */
export interface Transaction {
  /** Position in the whole message, from 1. */
  row: number;
  line: number;
  path: string;
  messageId: string;
  payment: PaymentBlock;
  /** Position in its payment block, from 1. */
  position: number;
  fields: Fields;
}

export interface PaymentBlock {
  /** Position in the message, from 0. */
  index: number;
  path: string;
  fields: Fields;
}

export function creditTransferOf(transaction: Transaction, identity: Identity): CreditTransfer {
  const { row, line, path, payment, fields } = transaction;
  const original = originalOf(transaction);
  return {
    row,
    line,
    path,
    id: documentId({ ...original, position: positionOf(transaction) }, identity),
    debtorAccount: debtorAccountOf(payment) ?? '',
    debtorCurrency: payment.fields.one('DbtrAcct/Ccy'),
    amount: original.amount.trim(),
    currency: original.currency,
    requestedExecution: original.requestedExecution,
    service: {
      levels: typesOf(transaction, 'SvcLvl/Cd', 'SvcLvl/Prtry'),
      localInstrument: typesOf(transaction, 'LclInstrm/Cd', 'LclInstrm/Prtry')[0],
    },
    creditor: creditorOf(fields),
    remittance: remittanceOf(fields),
    reference: fields.one('RmtInf/Strd/CdtrRefInf/Ref'),
    adviceTo: adviceAddress(fields),
    purpose: fields.one('Purp/Cd', 'Purp/Prtry'),
    original,
  };
}

export const debtorAccountOf = ({ fields }: PaymentBlock): string | undefined =>
  fields.one('DbtrAcct/Id/IBAN', 'DbtrAcct/Id/Othr/Id');

/** Of the payment type: what a transaction leaves out is that of its block. */
function typesOf({ fields, payment }: Transaction, ...names: readonly string[]): string[] {
  const paths = names.map((name) => `PmtTpInf/${name}`);
  const own = fields.all(...paths);
  return own.length > 0 ? own : payment.fields.all(...paths);
}

const positionOf = ({ messageId, payment, position }: Transaction): string =>
  [messageId.trim(), payment.fields.one('PmtInfId'), position].join('.');

function originalOf({ payment, fields }: Transaction): OriginalTransaction {
  const amount = fields.raw('Amt/InstdAmt') === undefined ? 'Amt/EqvtAmt/Amt' : 'Amt/InstdAmt';
  // Of a date with time or time zone, only the date counts.
  const date = payment.fields.one('ReqdExctnDt', 'ReqdExctnDt/Dt', 'ReqdExctnDt/DtTm')?.slice(0, 'YYYY-MM-DD'.length);
  return {
    payment: payment.index,
    instructionId: fields.raw('PmtId/InstrId'),
    endToEndId: fields.raw('PmtId/EndToEndId') ?? '',
    uetr: fields.raw('PmtId/UETR'),
    amount: fields.raw(amount) ?? '',
    currency: fields.raw(`${amount}/@Ccy`) ?? '',
    requestedExecution: date,
    ...structuredOf(fields),
  };
}

const STRUCTURED = 'RmtInf/Strd';
/** Later ones are only in the message. */
const DOCUMENTS_MAX = 50;

/** What the payment settles, for the advice to its payee. */
function structuredOf(fields: Fields): Pick<OriginalTransaction, 'settles'> {
  const numbers = fields.all(`${STRUCTURED}/RfrdDocInf/Nb`);
  const references = fields.all(`${STRUCTURED}/CdtrRefInf/Ref`);
  if (numbers.length === 0 && references.length === 0) return {};
  const dates = fields.all(`${STRUCTURED}/RfrdDocInf/RltdDt`, `${STRUCTURED}/RfrdDocInf/RltdDt/Dt`);
  const paid = `${STRUCTURED}/RfrdDocAmt/RmtdAmt`;
  const [amounts, currencies] = [fields.all(paid), fields.all(`${paid}/@Ccy`)];
  // Which date and amount belong to which document is known only if each has one.
  const isDated = dates.length === numbers.length;
  const isPriced = amounts.length === numbers.length && currencies.length === numbers.length;
  const documents = numbers.slice(0, DOCUMENTS_MAX).map((number, index) => ({
    number,
    ...(isDated && { date: dates[index] }),
    ...(isPriced && { amount: `${amounts[index]} ${currencies[index]}` }),
  }));
  return { settles: { references: references.slice(0, DOCUMENTS_MAX), documents } };
}

function creditorOf(fields: Fields): Creditor {
  const agent = 'CdtrAgt/FinInstnId';
  const address = 'Cdtr/PstlAdr';
  const member = fields.one(`${agent}/ClrSysMmbId/MmbId`);
  const system = fields.one(`${agent}/ClrSysMmbId/ClrSysId/Cd`, `${agent}/ClrSysMmbId/ClrSysId/Prtry`);
  const street = fields.one(`${address}/StrtNm`);
  return {
    name: fields.one('Cdtr/Nm'),
    type: fields.has('Cdtr/Id/PrvtId') ? 'personal' : fields.has('Cdtr/Id/OrgId') ? 'business' : undefined,
    iban: fields.one('CdtrAcct/Id/IBAN'),
    account: fields.one('CdtrAcct/Id/Othr/Id'),
    bic: fields.one(`${agent}/BICFI`, `${agent}/BIC`),
    ...(member === undefined || system === undefined ? {} : { clearing: { system, member } }),
    bankCountry: fields.one(`${agent}/PstlAdr/Ctry`),
    mobile: fields.one('Cdtr/CtctDtls/MobNb'),
    address: {
      country: fields.one(`${address}/Ctry`),
      state: fields.one(`${address}/CtrySubDvsn`),
      city: fields.one(`${address}/TwnNm`),
      // A building number without a street is not an address.
      street:
        street === undefined
          ? fields.all(`${address}/PstBx`).map((box) => `PO Box ${box}`)[0]
          : [street, ...fields.all(`${address}/BldgNb`)].join(' '),
      postcode: fields.one(`${address}/PstCd`),
      lines: fields.all(`${address}/AdrLine`),
    },
  };
}

/** Where the remittance information is sent by e-mail, for which the message may also have other ways. */
export const adviceAddress = (fields: Fields): string | undefined =>
  fields.all('RltdRmtInf/RmtLctnMtd', 'RltdRmtInf/RmtLctnDtls/Mtd').includes('EMAL')
    ? fields.all('RltdRmtInf/RmtLctnElctrncAdr', 'RltdRmtInf/RmtLctnDtls/ElctrncAdr').find(isMailAddress)
    : undefined;

/** Unstructured text and creditor references; without either, the numbers of the documents paid. */
function remittanceOf(fields: Fields): string | undefined {
  const text = fields.all('RmtInf/Ustrd', 'RmtInf/Strd/CdtrRefInf/Ref').join(' ');
  return text || fields.all('RmtInf/Strd/RfrdDocInf/Nb').join(' ') || undefined;
}
