import { unreadable } from '../input.ts';
import { defineGrammar, type Grammar } from '../iso20022/grammar.ts';
import type { Root } from '../iso20022/read-document.ts';

/**
 * camt.053, camt.052 and camt.054, versions .02 to .14: the bank's account of what it booked. Nobody who receives one can mend it,
 * so only what decides is checked: amounts, signs, days, and where they are. What names a payment may be in any order, texts are
 * taken as they are, and the rest is not read. Notation: `../iso20022/grammar.ts`.
 */
const ENTRIES = `
Header = MsgId:Text CreDtTm:Text MsgRcpt?:Unread MsgPgntn?:Unread OrgnlBizQry?:Unread AddtlInf?:Text
Period = FrDtTm:DayOf ToDtTm:DayOf
Moment = Dt:DayOf | DtTm:DayOf
Account = Id?:AccountId Tp?:Unread Ccy?:Currency Nm?:Text Prxy?:Unread Ownr?:Unread Svcr?:Unread
AccountId = IBAN:Text | Othr:OtherAccount
OtherAccount = Id:Text SchmeNm?:Unread Issr?:Text
Balance = Tp:BalanceType CdtLine*:Unread Amt:Amount CdtDbtInd:Sign Dt:Moment Avlbty*:Unread
BalanceType = CdOrPrtry:Code SubTp?:Unread
Code = Cd:Text | Prtry:Text
Sign ~ CRDT DBIT

Entry = NtryRef?:Text Amt:Amount CdtDbtInd:Sign RvslInd?:Boolean Sts:Text@-6 Sts:Code@7- BookgDt?:Moment ValDt?:Moment
  AcctSvcrRef?:Text Avlbty*:Unread BkTxCd?:BankCode ComssnWvrInd?:Text AddtlInfInd?:Unread AmtDtls?:Amounts
  Chrgs*:Charge@-2 Chrgs*:Charges@3- TechInptChanl?:Unread Intrst*:Unread CardTx?:Unread NtryDtls*:Details AddtlNtryInf?:Text
BankCode = Domn?:Domain Prtry?:OwnCode
Domain = Cd:Text Fmly:Family
Family = Cd:Text SubFmlyCd:Text
OwnCode = Cd:Text Issr?:Text
Amounts = InstdAmt?:Exchanged TxAmt?:Exchanged CntrValAmt?:Exchanged AnncdPstngAmt?:Exchanged PrtryAmt*:Unread
Exchanged = Amt:Amount CcyXchg*:Unread
Charge = TtlChrgsAndTaxAmt?:Amount Amt:Amount CdtDbtInd?:Sign Tp?:Unread Rate?:Text Br?:Text Pty?:Unread Tax?:Unread
Charges = TtlChrgsAndTaxAmt?:Amount Rcrd*:ChargeRecord
ChargeRecord = Amt:Amount CdtDbtInd?:Sign ChrgInclInd?:Boolean Tp?:Unread Rate?:Text Br?:Text Agt?:Unread Tax?:Unread

Details = Btch?:Batch TxDtls*:Transaction
Batch = MsgId?:Text & PmtInfId?:Text & NbOfTxs?:Text
Transaction = Refs?:References & Amt?:Amount & CdtDbtInd?:Sign & AmtDtls?:Amounts & BkTxCd?:BankCode & Chrgs*:Charge@-2
  & Chrgs*:Charges@3- & RltdPties?:Parties & RmtInf?:Remittance & RtrInf?:Return & AddtlTxInf?:Text
References = MsgId?:Text & AcctSvcrRef?:Text & PmtInfId?:Text & InstrId?:Text & EndToEndId?:Text & UETR?:Text & TxId?:Text
  & ClrSysRef?:Text & AcctOwnrTxId?:Text & RtrId?:Text & Prtry*:OwnReference
OwnReference = Tp?:Text Ref:Text
Parties = DbtrAcct?:Account & CdtrAcct?:Account
Remittance = Ustrd*:Text Strd*:Structured
Structured = RfrdDocInf*:DocumentInfo RfrdDocAmt?:Unread CdtrRefInf?:CreditorReference Invcr?:Unread Invcee?:Unread
  TaxRmt?:Unread GrnshmtRmt?:Unread AddtlRmtInf*:Text
DocumentInfo = Tp?:Unread Nb?:Text RltdDt?:Unread LineDtls*:Unread
CreditorReference = Tp?:Unread Ref?:Text
Return = OrgnlBkTxCd?:Unread Orgtr?:Unread Rsn?:Code AddtlInf*:Text
`;

const HEAD =
  'RptgSeq?:Unread LglSeqNb?:Text CreDtTm?:Text FrToDt?:Period CpyDplctInd?:Text RptgSrc?:Unread Acct:Account';
const ABOUT = 'RltdAcct?:Unread Intrst*:Unread';

/** Message, its part for one account, and what differs there. */
const MESSAGES = {
  'camt.053': {
    message: 'BkToCstmrStmt',
    part: 'Stmt',
    table: `
Document = BkToCstmrStmt:Message
Message = GrpHdr:Header Stmt+:Part SplmtryData*:Unread
Part = Id:Text StmtPgntn?:Unread ElctrncSeqNb?:Text ${HEAD} ${ABOUT} Bal+:Balance TxsSummry?:Unread Ntry*:Entry
  AddtlStmtInf?:Text
`,
  },
  'camt.052': {
    message: 'BkToCstmrAcctRpt',
    part: 'Rpt',
    table: `
Document = BkToCstmrAcctRpt:Message
Message = GrpHdr:Header Rpt+:Part SplmtryData*:Unread
Part = Id:Text RptPgntn?:Unread ElctrncSeqNb?:Text ${HEAD} ${ABOUT} Bal*:Balance TxsSummry?:Unread Ntry*:Entry
  AddtlRptInf?:Text
`,
  },
  'camt.054': {
    message: 'BkToCstmrDbtCdtNtfctn',
    part: 'Ntfctn',
    table: `
Document = BkToCstmrDbtCdtNtfctn:Message
Message = GrpHdr:Header Ntfctn+:Part SplmtryData*:Unread
Part = Id:Text NtfctnPgntn?:Unread ElctrncSeqNb?:Text ${HEAD} ${ABOUT} TxsSummry?:Unread Ntry*:Entry AddtlNtfctnInf?:Text
`,
  },
} as const;

export interface CamtMessage {
  name: keyof typeof MESSAGES;
  /** `camt.053.001.08` */
  format: string;
  message: string;
  part: string;
  grammar: Grammar;
}

const NAMESPACE = /(camt\.05[234])\.(?:001|00[23])\.(\d{2})(?!\d)/;
const VERSION_MAX = 14;
const made = new Map<string, Grammar>();

/** The message of a document. Throws `UnreadableFile`: `unsupported-version`, `not-a-statement`. */
export function camtMessageOf({ name, namespace, line }: Root): CamtMessage {
  const [found = '', message, digits] = NAMESPACE.exec(namespace) ?? [];
  if (name !== 'Document' || message === undefined) throw unreadable(line, 'not-a-statement', NOT_A_STATEMENT);
  const version = Number(digits);
  if (version < 2 || version > VERSION_MAX) {
    const text = `${found} is not supported; ask the bank for version .02 to .${VERSION_MAX}, best .08`;
    throw unreadable(line, 'unsupported-version', text);
  }
  const its = MESSAGES[message as keyof typeof MESSAGES];
  const key = `${message} ${version}`;
  const grammar = made.get(key) ?? defineGrammar(version, ENTRIES, its.table);
  made.set(key, grammar);
  const format = `${message}.001.${digits}`;
  return { name: message as keyof typeof MESSAGES, format, message: its.message, part: its.part, grammar };
}

const NOT_A_STATEMENT = 'this is neither a camt.053, camt.052 or camt.054 nor an MT940 or MT942';
