import { COMPONENTS } from '../../../src/files/iso20022/components.ts';
import { defineGrammar, type Edition } from '../../../src/files/iso20022/grammar.ts';
import { readMessage } from '../read-message.ts';

/**
 * CustomerPaymentStatusReport .03 (edition 2009) and .10 (2019), without the optional elements that an answer of ours never has:
 * parties, charges, tracker data. Notation: `src/files/iso20022/grammar.ts`.
 */
const MESSAGE = `
Document = CstmrPmtStsRpt:Report
Report = GrpHdr:GroupHeader OrgnlGrpInfAndSts:OriginalGroup OrgnlPmtInfAndSts*:OriginalPayment
GroupHeader = MsgId:35 CreDtTm:DateTime
OriginalGroup = OrgnlMsgId:35 OrgnlMsgNmId:35 OrgnlCreDtTm?:DateTime OrgnlNbOfTxs?:NumericText OrgnlCtrlSum?:Decimal
  GrpSts?:GroupStatus@2009 GrpSts?:4@2019 StsRsnInf*:StatusReason NbOfTxsPerSts*:PerStatus
OriginalPayment = OrgnlPmtInfId:35 OrgnlNbOfTxs?:NumericText OrgnlCtrlSum?:Decimal PmtInfSts?:GroupStatus@2009
  PmtInfSts?:4@2019 StsRsnInf*:StatusReason NbOfTxsPerSts*:PerStatus TxInfAndSts*:Transaction
Transaction = StsId?:35 OrgnlInstrId?:35 OrgnlEndToEndId?:35 OrgnlUETR?:Uuid@2019 TxSts?:Status@2009 TxSts?:4@2019
  StsRsnInf*:StatusReason AccptncDtTm?:DateTime AcctSvcrRef?:35 ClrSysRef?:35 OrgnlTxRef?:Reference
GroupStatus ~ ACTC RCVD PART RJCT PDNG ACCP ACSP ACSC ACWC
Status ~ ACTC RJCT PDNG ACCP ACSP ACSC ACWC
StatusReason = Rsn?:Reason AddtlInf*:105
Reason = Cd:4 | Prtry:35
PerStatus = DtldNbOfTxs:NumericText DtldSts:Status@2009 DtldSts:4@2019 DtldCtrlSum?:Decimal
Reference = Amt?:AmountType ReqdExctnDt?:Date@2009 ReqdExctnDt?:DateOrDateTime@2019
`;

const EDITIONS: Readonly<Record<string, Edition>> = { 'pain.002.001.03': '2009', 'pain.002.001.10': '2019' };

export const readAnswer = (xml: string) =>
  readMessage(
    xml,
    (namespace) => {
      const edition = EDITIONS[namespace];
      if (edition === undefined) throw new Error(`not an answer: ${namespace}`);
      return defineGrammar(edition, COMPONENTS, MESSAGE);
    },
    ['TxInfAndSts', 'StsRsnInf'],
  );
