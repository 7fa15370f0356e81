import { unreadable } from '../input.ts';
import { COMPONENTS } from '../iso20022/components.ts';
import { defineGrammar, type Grammar } from '../iso20022/grammar.ts';
import type { Root } from '../iso20022/read-document.ts';

/** The values of a part of a message, by path: `Amt/InstdAmt`, `Amt/InstdAmt/@Ccy`. */
export class Fields {
  private readonly values = new Map<string, string[]>();

  add(path: string, text: string): void {
    // A substring keeps the whole string in memory: here a chunk of the file for each id that is kept.
    const own = Buffer.from(text).toString();
    const known = this.values.get(path);
    if (known === undefined) this.values.set(path, [own]);
    else known.push(own);
  }

  /** The first value as written, with its blanks. */
  raw(path: string): string | undefined {
    return this.values.get(path)?.[0];
  }

  /** The value of the first of these paths that has one, trimmed; blank means absent. */
  one(...paths: readonly string[]): string | undefined {
    for (const path of paths) {
      const text = this.raw(path)?.trim();
      if (text !== undefined && text !== '') return text;
    }
    return undefined;
  }

  /** All values of these paths, trimmed, without blank ones. */
  all(...paths: readonly string[]): string[] {
    return paths.flatMap((path) => this.values.get(path) ?? []).flatMap((text) => text.trim() || []);
  }

  /** Of all values. */
  paths(): Iterable<string> {
    return this.values.keys();
  }

  /** Whether there is any value below this element. */
  has(path: string): boolean {
    return [...this.values.keys()].some((name) => name.startsWith(`${path}/`));
  }
}

/**
 * CustomerCreditTransferInitiation, versions .03 (edition 2009) and .09 (2019). Notation, and why it is not a package:
 * `../iso20022/grammar.ts`.
 */
const MESSAGE = `
Document = CstmrCdtTrfInitn:Initiation
Initiation = GrpHdr:GroupHeader PmtInf+:Payment SplmtryData*:Supplement@2019
GroupHeader = MsgId:35 CreDtTm:DateTime Authstn{0,2}:Authorisation NbOfTxs:NumericText CtrlSum?:Decimal InitgPty:Party
  FwdgAgt?:Agent
Authorisation = Cd:AuthorisationCode | Prtry:128
AuthorisationCode ~ AUTH FDET FSUM ILEV

Payment = PmtInfId:35 PmtMtd:PaymentMethod BtchBookg?:Boolean NbOfTxs?:NumericText CtrlSum?:Decimal
  PmtTpInf?:PaymentType ReqdExctnDt:Date@2009 ReqdExctnDt:DateOrDateTime@2019 PoolgAdjstmntDt?:Date Dbtr:Party
  DbtrAcct:Account DbtrAgt:Agent DbtrAgtAcct?:Account InstrForDbtrAgt?:140@2019 UltmtDbtr?:Party
  ChrgBr?:ChargeBearer ChrgsAcct?:Account ChrgsAcctAgt?:Agent CdtTrfTxInf+:Transaction
PaymentMethod ~ CHK TRF TRA
PaymentType = InstrPrty?:Priority SvcLvl?:Code4@2009 SvcLvl*:Code4@2019 LclInstrm?:LocalInstrument CtgyPurp?:Code4

Transaction = PmtId:PaymentId PmtTpInf?:PaymentType Amt:AmountType XchgRateInf?:ExchangeRate ChrgBr?:ChargeBearer
  ChqInstr?:Cheque UltmtDbtr?:Party IntrmyAgt1?:Agent IntrmyAgt1Acct?:Account IntrmyAgt2?:Agent
  IntrmyAgt2Acct?:Account IntrmyAgt3?:Agent IntrmyAgt3Acct?:Account CdtrAgt?:Agent CdtrAgtAcct?:Account Cdtr?:Party
  CdtrAcct?:Account UltmtCdtr?:Party InstrForCdtrAgt*:AgentInstruction InstrForDbtrAgt?:140 Purp?:Code4
  RgltryRptg{0,10}:RegulatoryReporting Tax?:Tax RltdRmtInf{0,10}:RelatedRemittance RmtInf?:Remittance
  SplmtryData*:Supplement@2019
PaymentId = InstrId?:35 EndToEndId:35 UETR?:Uuid@2019
ExchangeRate = UnitCcy?:Currency@2019 XchgRate?:Rate RateTp?:RateType CtrctId?:35
RateType ~ SPOT SALE AGRD
AgentInstruction = Cd?:AgentInstructionCode InstrInf?:140
AgentInstructionCode ~ CHQB HOLD PHOB TELB

Cheque = ChqTp?:ChequeCode ChqNb?:35 ChqFr?:NameAndAddress DlvryMtd?:ChequeDelivery DlvrTo?:NameAndAddress
  InstrPrty?:Priority ChqMtrtyDt?:Date FrmsCd?:35 MemoFld{0,2}:35 RgnlClrZone?:35 PrtLctn?:35 Sgntr{0,5}:70@2019
ChequeCode ~ CCHQ CCCH BCHQ DRFT ELDR
ChequeDelivery = Cd:ChequeDeliveryCode | Prtry:35
ChequeDeliveryCode ~ MLDB MLCD MLFA CRDB CRCD CRFA PUDB PUCD PUFA RGDB RGCD RGFA

RegulatoryReporting = DbtCdtRptgInd?:ReportedSide Authrty?:Authority Dtls*:ReportedDetail
ReportedSide ~ CRED DEBT BOTH
Authority = Nm?:140 Ctry?:Country
ReportedDetail = Tp?:35 Dt?:Date Ctry?:Country Cd?:10 Amt?:Amount Inf*:35

RelatedRemittance = RmtId?:35 RmtLctnMtd?:RemittanceMethod@2009 RmtLctnElctrncAdr?:2048@2009
  RmtLctnPstlAdr?:NameAndAddress@2009 RmtLctnDtls*:RemittanceLocation@2019
RemittanceLocation = Mtd:RemittanceMethod ElctrncAdr?:2048 PstlAdr?:NameAndAddress
RemittanceMethod ~ FAXI EDIC URID EMAL POST SMSM
`;

export type Pain001Version = 'pain.001.001.03' | 'pain.001.001.09';

export const GRAMMARS: Readonly<Record<Pain001Version, Grammar>> = {
  'pain.001.001.03': defineGrammar('2009', COMPONENTS, MESSAGE),
  'pain.001.001.09': defineGrammar('2019', COMPONENTS, MESSAGE),
};

/** Namespaces by version: ISO's own, and the Swiss (SIX) and German (DK) ones with the same structure. */
const NAMESPACES: readonly (readonly [pattern: RegExp, version: Pain001Version])[] = [
  [/^urn:iso:std:iso:20022:tech:xsd:pain\.001\.00[123]\.03$/, 'pain.001.001.03'],
  [/^urn:iso:std:iso:20022:tech:xsd:pain\.001\.001\.09$/, 'pain.001.001.09'],
  [/^https?:\/\/www\.six-interbank-clearing\.com\/[a-z]{2}\/pain\.001\.001\.03\.ch\.\d{2}\.xsd$/, 'pain.001.001.03'],
  [/^https?:\/\/www\.six-interbank-clearing\.com\/[a-z]{2}\/pain\.001\.001\.09\.ch\.\d{2}\.xsd$/, 'pain.001.001.09'],
];
const ACCEPTED = 'supported are pain.001.001.03 and pain.001.001.09 (ISO, Swiss ch, German 002.03 and 003.03)';

/** The version of a pain.001. Throws `UnreadableFile`: `unsupported-version`, `not-pain001`. */
export function versionOf({ name, namespace, line }: Root): Pain001Version {
  const [, version] = NAMESPACES.find(([pattern]) => pattern.test(namespace)) ?? [];
  if (name === 'Document' && version !== undefined) return version;
  const [message = 'not an ISO 20022 message'] = /[a-z]{4}\.\d{3}\.\d{3}\.\d{2}(?!\d)/.exec(namespace) ?? [];
  throw name === 'Document' && message.startsWith('pain.001.')
    ? unreadable(line, 'unsupported-version', `${message} in this namespace is not supported; ${ACCEPTED}`)
    : unreadable(
        line,
        'not-pain001',
        `the root of the file is ${message}; a pain.001 Document is required; ${ACCEPTED}`,
      );
}
