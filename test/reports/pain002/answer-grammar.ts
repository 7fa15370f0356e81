import { COMPONENTS } from '../../../src/files/iso20022/components.ts';
import { defineGrammar } from '../../../src/files/iso20022/grammar.ts';
import { readMessage } from '../read-message.ts';

/**
 * CustomerPaymentStatusReport .03 (2009) and .10 (2019), without the optional elements that an answer of ours never has:
 * parties, charges, tracker data. Notation: `src/files/iso20022/grammar.ts`.
 */
const MESSAGE = `
Document = CstmrPmtStsRpt:Report
Report = GrpHdr:GroupHeader OrgnlGrpInfAndSts:OriginalGroup OrgnlPmtInfAndSts*:OriginalPayment
GroupHeader = MsgId:35 CreDtTm:DateTime
OriginalGroup = OrgnlMsgId:35 OrgnlMsgNmId:35 OrgnlCreDtTm?:DateTime OrgnlNbOfTxs?:NumericText OrgnlCtrlSum?:Decimal
  GrpSts?:GroupStatus@-8 GrpSts?:4@9- StsRsnInf*:StatusReason NbOfTxsPerSts*:PerStatus
OriginalPayment = OrgnlPmtInfId:35 OrgnlNbOfTxs?:NumericText OrgnlCtrlSum?:Decimal PmtInfSts?:GroupStatus@-8
  PmtInfSts?:4@9- StsRsnInf*:StatusReason NbOfTxsPerSts*:PerStatus TxInfAndSts*:Transaction
Transaction = StsId?:35 OrgnlInstrId?:35 OrgnlEndToEndId?:35 OrgnlUETR?:Uuid@9- TxSts?:Status@-8 TxSts?:4@9-
  StsRsnInf*:StatusReason AccptncDtTm?:DateTime AcctSvcrRef?:35 ClrSysRef?:35 OrgnlTxRef?:Reference
GroupStatus ~ ACTC RCVD PART RJCT PDNG ACCP ACSP ACSC ACWC
Status ~ ACTC RJCT PDNG ACCP ACSP ACSC ACWC
StatusReason = Rsn?:Reason AddtlInf*:105
Reason = Cd:4 | Prtry:35
PerStatus = DtldNbOfTxs:NumericText DtldSts:Status@-8 DtldSts:4@9- DtldCtrlSum?:Decimal
Reference = Amt?:AmountType ReqdExctnDt?:Date@-8 ReqdExctnDt?:DateOrDateTime@9-
`;

/** The version of pain.001 that has the same components. */
const VERSIONS: Readonly<Record<string, number>> = { 'pain.002.001.03': 3, 'pain.002.001.10': 9 };

export const readAnswer = (xml: string) =>
  readMessage(
    xml,
    (namespace) => {
      const version = VERSIONS[namespace];
      if (version === undefined) throw new Error(`not an answer: ${namespace}`);
      return defineGrammar(version, COMPONENTS, MESSAGE);
    },
    ['TxInfAndSts', 'StsRsnInf'],
  );
