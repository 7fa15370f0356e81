import { EMPTY_MAPPING, type MessageMapping } from '../../../src/files/messages/mapping.ts';
import type { MessageContext } from '../../../src/files/messages/message-context.ts';
import { PayeeDirectory } from '../../../src/files/messages/payee-directory.ts';
import { readPain001 } from '../../../src/files/pain001/read-pain001.ts';
import { bytesOf } from '../bytes.ts';
import { type Collected, collected } from '../collected.ts';
import { DAYS } from '../messages/transfers.ts';

/** Messages made of parts, so that a test writes only what it is about. */

export const DEBTOR = 'DE00SAMPLE0000000001';
export const NAMESPACES = {
  '03': 'urn:iso:std:iso:20022:tech:xsd:pain.001.001.03',
  '09': 'urn:iso:std:iso:20022:tech:xsd:pain.001.001.09',
} as const;

export interface SampleTransaction {
  ids?: string;
  /** Between the ids and the amount. */
  type?: string;
  amount?: string;
  /** Between the amount and the creditor's bank. */
  terms?: string;
  agent?: string;
  creditor?: string;
  account?: string;
  /** Behind the creditor's account. */
  rest?: string;
}

export interface SamplePayment {
  id?: string;
  method?: string;
  totals?: string;
  type?: string;
  date?: string;
  account?: string;
  charges?: string;
  transactions?: readonly SampleTransaction[];
}

export interface SampleMessage {
  version?: '03' | '09';
  namespace?: string;
  header?: { id?: string; count?: string; sum?: string };
  payments?: readonly SamplePayment[];
}

export const ADDRESS =
  '<PstlAdr><StrtNm>Sample Rue</StrtNm><BldgNb>4</BldgNb><PstCd>750 01</PstCd><TwnNm>Sample Ville</TwnNm><CtrySubDvsn>Sample Region</CtrySubDvsn><Ctry>FR</Ctry></PstlAdr>';

function transaction({ version }: Required<Pick<SampleMessage, 'version'>>, sample: SampleTransaction): string {
  const bic = version === '03' ? 'BIC' : 'BICFI';
  const {
    ids = '<EndToEndId>INV-1</EndToEndId>',
    type = '',
    amount = '<InstdAmt Ccy="EUR">10.00</InstdAmt>',
    terms = '',
    agent = `<CdtrAgt><FinInstnId><${bic}>SAMPFRPP</${bic}></FinInstnId></CdtrAgt>`,
    creditor = `<Cdtr><Nm>Sample Metals</Nm>${ADDRESS}</Cdtr>`,
    account = '<CdtrAcct><Id><IBAN>FR25SAMPLE0000004714</IBAN></Id></CdtrAcct>',
    rest = '',
  } = sample;
  const parts = [`<PmtId>${ids}</PmtId>`, type, `<Amt>${amount}</Amt>`, terms, agent, creditor, account, rest];
  return `<CdtTrfTxInf>\n${parts.join('')}\n</CdtTrfTxInf>\n`;
}

function payment(message: Required<Pick<SampleMessage, 'version'>>, sample: SamplePayment, index: number): string {
  const date = message.version === '03' ? '2026-03-31' : '<Dt>2026-03-31</Dt>';
  const account = sample.account ?? `<Id><IBAN>${DEBTOR}</IBAN></Id>`;
  return [
    `<PmtInf>\n<PmtInfId>${sample.id ?? `PAY-${index + 1}`}</PmtInfId><PmtMtd>${sample.method ?? 'TRF'}</PmtMtd>`,
    `${sample.totals ?? ''}${sample.type ?? ''}<ReqdExctnDt>${sample.date ?? date}</ReqdExctnDt>`,
    `<Dbtr/><DbtrAcct>${account}</DbtrAcct><DbtrAgt><FinInstnId/></DbtrAgt>${sample.charges ?? ''}\n`,
    ...(sample.transactions ?? [{}]).map((each) => transaction(message, each)),
    '</PmtInf>\n',
  ].join('');
}

/** A pain.001 whose totals fit, unless they are given. */
export function pain001({ version = '09', namespace, header = {}, payments = [{}] }: SampleMessage = {}): string {
  const count = payments.reduce((sum, { transactions = [{}] }) => sum + transactions.length, 0);
  const { id = 'MSG-1', sum = '' } = header;
  return [
    `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="${namespace ?? NAMESPACES[version]}"><CstmrCdtTrfInitn>\n`,
    `<GrpHdr><MsgId>${id}</MsgId><CreDtTm>2026-03-01T09:00:00</CreDtTm><NbOfTxs>${header.count ?? count}</NbOfTxs>`,
    `${sum}<InitgPty/></GrpHdr>\n`,
    ...payments.map((each, index) => payment({ version }, each, index)),
    '</CstmrCdtTrfInitn></Document>\n',
  ].join('');
}

export const mapping = (own: Partial<MessageMapping> = {}): MessageMapping => ({
  ...EMPTY_MAPPING,
  accounts: new Map([[DEBTOR, { uid: 'u-1002', account_id: 'acc-u1002-eur' }]]),
  beneficiaryType: 'business',
  ...own,
});

export const contextOf = (own: Partial<MessageContext> = {}): MessageContext => ({
  mapping: mapping(),
  payees: new PayeeDirectory(),
  ...DAYS,
  ...own,
});

export const read = (
  content: string | Uint8Array,
  context: MessageContext = contextOf(),
  chunkSize?: number,
): Promise<Collected> => collected((sink) => readPain001(bytesOf(content, chunkSize), sink, context));
