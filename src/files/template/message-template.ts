import { stringify } from 'csv-stringify/sync';
import type { RequiredDetailsEntry } from '../../bank/schemas/beneficiaries.ts';
import { sumDecimals } from '../../domain/money.ts';
import { ofType } from '../iso20022/simple-types.ts';
import { type TemplateIds, templateRows } from './template-rows.ts';
import { fieldNames } from './write-template.ts';

/** A bank message and the two files that complete it; together they pass the bank's rules. */
interface MessageTemplate {
  /** In version pain.001.001.09. */
  pain001: string;
  /** The payee directory: what the message does not say about its payees. */
  payees: string;
  /** The account of ours for the debtor's account. */
  mapping: string;
}

/** Fields that the message itself has; the others go into the payee directory. */
const SAID: ReadonlySet<string> = new Set(['iban_no', 'account_no', 'swift_code', 'account_name']);

type Row = Readonly<Record<string, string>>;

/** Payments in the first currency: to a known beneficiary, and by each payment type. `at`: the day to pay on. */
export function messageTemplate(entries: readonly RequiredDetailsEntry[], ids: TemplateIds, at: Date): MessageTemplate {
  const [first] = entries;
  const alike = entries.filter(
    (it) => it.currency === first?.currency && it.beneficiary_type === first.beneficiary_type,
  );
  const rows = templateRows(alike, ids);
  const names = fieldNames(alike).filter((name) => !SAID.has(name));
  const columns = ['account', 'bank', 'beneficiary_id', 'beneficiary_type', 'payment_type', ...names];
  const payees = rows.map((row) => ({ ...row, account: accountOf(row), bank: bicOf(row) }));
  const accounts = Object.fromEntries(
    rows.map(({ uid, account_id: id = '', currency }) => [id, { uid, account_id: id, currency }]),
  );
  return {
    pain001: pain001(rows, at),
    payees: stringify(payees, { header: true, columns }),
    mapping: `${JSON.stringify({ accounts, identity: 'end-to-end-id' }, null, 2)}\n`,
  };
}

/** For a known beneficiary, any account by which the directory finds its id. */
const accountOf = ({ iban_no, account_no, id = '' }: Row): string => iban_no ?? account_no ?? `${id}-ACCOUNT`;
const bicOf = ({ swift_code: code }: Row): string | undefined => ofType('Bicfi', code);

/** Values are our ids or made up here: none contains a character that must be escaped in XML. */
function pain001(rows: readonly Row[], at: Date): string {
  const [{ account_id = '', currency = '' } = {}] = rows;
  const totals = `<NbOfTxs>${rows.length}</NbOfTxs><CtrlSum>${sumDecimals(rows.map(({ amount = '0' }) => amount))}</CtrlSum>`;
  const instant = at.toISOString();
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09">
  <CstmrCdtTrfInitn>
    <GrpHdr>
      <MsgId>EXAMPLE-MESSAGE-1</MsgId>
      <CreDtTm>${instant.slice(0, 19)}Z</CreDtTm>
      ${totals}
      <InitgPty><Nm>Example Payer</Nm></InitgPty>
    </GrpHdr>
    <PmtInf>
      <PmtInfId>EXAMPLE-PAYMENT-1</PmtInfId>
      <PmtMtd>TRF</PmtMtd>
      ${totals}
      <ReqdExctnDt><Dt>${instant.slice(0, 10)}</Dt></ReqdExctnDt>
      <Dbtr><Nm>Example Payer</Nm></Dbtr>
      <DbtrAcct><Id><Othr><Id>${account_id}</Id></Othr></Id><Ccy>${currency}</Ccy></DbtrAcct>
      <DbtrAgt><FinInstnId><Othr><Id>NOTPROVIDED</Id></Othr></FinInstnId></DbtrAgt>
      <ChrgBr>SHAR</ChrgBr>
${rows.map(transaction).join('\n')}
    </PmtInf>
  </CstmrCdtTrfInitn>
</Document>
`;
}

function transaction(row: Row): string {
  const { id, amount, currency, note, account_name: name = 'Example Payee' } = row;
  const account = accountOf(row);
  const bic = bicOf(row);
  const agent = bic === undefined ? [] : [`<CdtrAgt><FinInstnId><BICFI>${bic}</BICFI></FinInstnId></CdtrAgt>`];
  const lines = [
    `<PmtId><EndToEndId>${id}</EndToEndId></PmtId>`,
    `<Amt><InstdAmt Ccy="${currency}">${amount}</InstdAmt></Amt>`,
    ...agent,
    `<Cdtr><Nm>${name}</Nm></Cdtr>`,
    `<CdtrAcct><Id>${ofType('Iban', account) === undefined ? `<Othr><Id>${account}</Id></Othr>` : `<IBAN>${account}</IBAN>`}</Id></CdtrAcct>`,
    `<RmtInf><Ustrd>${note}</Ustrd></RmtInf>`,
  ];
  return ['      <CdtTrfTxInf>', ...lines.map((line) => `        ${line}`), '      </CdtTrfTxInf>'].join('\n');
}
