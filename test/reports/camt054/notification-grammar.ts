import { COMPONENTS } from '../../../src/files/iso20022/components.ts';
import { defineGrammar } from '../../../src/files/iso20022/grammar.ts';
import { readMessage } from '../read-message.ts';

/**
 * BankToCustomerDebitCreditNotification .08 (of 2019), in the order of the standard, without most of the optional elements
 * that an advice of ours never has. Notation: `src/files/iso20022/grammar.ts`.
 */
const MESSAGE = `
Document = BkToCstmrDbtCdtNtfctn:Message
Message = GrpHdr:GroupHeader Ntfctn+:Notification
GroupHeader = MsgId:35 CreDtTm:DateTime MsgRcpt?:Party AddtlInf?:500
Notification = Id:35 ElctrncSeqNb?:Number LglSeqNb?:Number CreDtTm?:DateTime CpyDplctInd?:4 Acct:Account
  RltdAcct?:Account TxsSummry?:Summary Ntry*:Entry AddtlNtfctnInf?:500
Summary = TtlNtries?:Total TtlCdtNtries?:Total TtlDbtNtries?:Total
Total = NbOfNtries?:NumericText Sum?:Decimal
Entry = NtryRef?:35 Amt:Amount CdtDbtInd:CreditOrDebit RvslInd?:Boolean Sts:EntryStatus BookgDt?:DateOrDateTime
  ValDt?:DateOrDateTime AcctSvcrRef?:35 BkTxCd:BankCode AmtDtls?:AmountDetails NtryDtls*:EntryDetails AddtlNtryInf?:500
EntryStatus = Cd:4 | Prtry:35
BankCode = Domn?:Domain Prtry?:OwnCode
Domain = Cd:4 Fmly:Family
Family = Cd:4 SubFmlyCd:4
OwnCode = Cd:35 Issr?:35
EntryDetails = TxDtls*:Transaction
Transaction = Refs?:References Amt?:Amount CdtDbtInd?:CreditOrDebit AmtDtls?:AmountDetails BkTxCd?:BankCode
  RltdPties?:Parties Purp?:Code4 RmtInf?:Remittance AddtlTxInf?:500
References = MsgId?:35 AcctSvcrRef?:35 PmtInfId?:35 InstrId?:35 EndToEndId?:35 UETR?:Uuid TxId?:35 MndtId?:35 ChqNb?:35
AmountDetails = InstdAmt?:ExchangedAmount TxAmt?:ExchangedAmount CntrValAmt?:ExchangedAmount
ExchangedAmount = Amt:Amount
Parties = InitgPty?:PartyOrAgent Dbtr?:PartyOrAgent DbtrAcct?:Account UltmtDbtr?:PartyOrAgent Cdtr?:PartyOrAgent
  CdtrAcct?:Account UltmtCdtr?:PartyOrAgent
PartyOrAgent = Pty:Party | Agt:Agent
`;

export const readNotification = (xml: string) =>
  readMessage(
    xml,
    (namespace) => {
      if (namespace !== 'camt.054.001.08') throw new Error(`not an advice: ${namespace}`);
      return defineGrammar(9, COMPONENTS, MESSAGE);
    },
    ['Ntfctn', 'Ntry'],
  );
