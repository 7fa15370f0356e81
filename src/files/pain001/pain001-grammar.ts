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
 * CustomerCreditTransferInitiation, versions .03 (2009) to .12. Notation, and why it is not a package:
 * `../iso20022/grammar.ts`.
 */
const MESSAGE = `
Document = CstmrCdtTrfInitn:Initiation
Initiation = GrpHdr:GroupHeader PmtInf+:Payment SplmtryData*:Supplement@4-
GroupHeader = MsgId:35 CreDtTm:DateTime Authstn{0,2}:Authorisation NbOfTxs:NumericText CtrlSum?:Decimal InitgPty:Party
  FwdgAgt?:Agent InitnSrc?:Source@10-
Source = Nm:140 Prvdr?:35 Vrsn?:35
Authorisation = Cd:AuthorisationCode | Prtry:128
AuthorisationCode ~ AUTH FDET FSUM ILEV

Payment = PmtInfId:35 PmtMtd:PaymentMethod ReqdAdvcTp?:Advices@10- BtchBookg?:Boolean NbOfTxs?:NumericText
  CtrlSum?:Decimal PmtTpInf?:PaymentType ReqdExctnDt:Date@-7 ReqdExctnDt:DateOrDateTime@8- PoolgAdjstmntDt?:Date Dbtr:Party
  DbtrAcct:Account DbtrAgt:Agent DbtrAgtAcct?:Account InstrForDbtrAgt?:140@4- UltmtDbtr?:Party
  ChrgBr?:ChargeBearer ChrgsAcct?:Account ChrgsAcctAgt?:Agent CdtTrfTxInf+:Transaction
PaymentMethod ~ CHK TRF TRA
Advices = CdtAdvc?:Advice DbtAdvc?:Advice
Advice = Cd:AdviceCode | Prtry:35
AdviceCode ~ ADND ADWD
PaymentType = InstrPrty?:Priority SvcLvl?:Code4@-8 SvcLvl*:Code4@9- LclInstrm?:LocalInstrument CtgyPurp?:Code4

Transaction = PmtId:PaymentId PmtTpInf?:PaymentType Amt:AmountType XchgRateInf?:ExchangeRate ChrgBr?:ChargeBearer
  MndtRltdInf?:Mandate@10- ChqInstr?:Cheque UltmtDbtr?:Party IntrmyAgt1?:Agent IntrmyAgt1Acct?:Account IntrmyAgt2?:Agent
  IntrmyAgt2Acct?:Account IntrmyAgt3?:Agent IntrmyAgt3Acct?:Account CdtrAgt?:Agent CdtrAgtAcct?:Account Cdtr?:Party
  CdtrAcct?:Account UltmtCdtr?:Party InstrForCdtrAgt*:AgentInstruction InstrForDbtrAgt?:140@-9 InstrForDbtrAgt?:DebtorInstruction@10- Purp?:Code4
  RgltryRptg{0,10}:RegulatoryReporting Tax?:Tax RltdRmtInf{0,10}:RelatedRemittance RmtInf?:Remittance
  SplmtryData*:Supplement@5-
PaymentId = InstrId?:35 EndToEndId:35 UETR?:Uuid@9-
ExchangeRate = UnitCcy?:Currency@4- XchgRate?:Rate RateTp?:RateType CtrctId?:35
RateType ~ SPOT SALE AGRD
AgentInstruction = Cd?:AgentInstructionCode@-9 Cd?:4@10- InstrInf?:140
AgentInstructionCode ~ CHQB HOLD PHOB TELB
DebtorInstruction = Cd?:4 InstrInf?:140

Mandate = MndtId?:35 Tp?:MandateType DtOfSgntr?:Date DtOfVrfctn?:DateTime ElctrncSgntr?:13656 FrstPmtDt?:Date
  FnlPmtDt?:Date Frqcy?:Frequency Rsn?:MandateReason
MandateType = SvcLvl?:Code4 LclInstrm?:LocalInstrument CtgyPurp?:Code4 Clssfctn?:Classification
Classification = Cd:ClassificationCode | Prtry:35
ClassificationCode ~ FIXE USGB VARI
Frequency = Tp:FrequencyCode | Prd:FrequencyPeriod | PtInTm:FrequencyMoment
FrequencyCode ~ YEAR MNTH QURT MIAN WEEK DAIL ADHO INDA FRTN
FrequencyPeriod = Tp:FrequencyCode CntPerPrd:Decimal
FrequencyMoment = Tp:FrequencyCode PtInTm:TwoDigits
MandateReason = Cd:4 | Prtry:70

Cheque = ChqTp?:ChequeCode ChqNb?:35 ChqFr?:NameAndAddress DlvryMtd?:ChequeDelivery DlvrTo?:NameAndAddress
  InstrPrty?:Priority ChqMtrtyDt?:Date FrmsCd?:35 MemoFld{0,2}:35 RgnlClrZone?:35 PrtLctn?:35 Sgntr{0,5}:70@4-
ChequeCode ~ CCHQ CCCH BCHQ DRFT ELDR
ChequeDelivery = Cd:ChequeDeliveryCode | Prtry:35
ChequeDeliveryCode ~ MLDB MLCD MLFA CRDB CRCD CRFA PUDB PUCD PUFA RGDB RGCD RGFA

RegulatoryReporting = DbtCdtRptgInd?:ReportedSide Authrty?:Authority Dtls*:ReportedDetail
ReportedSide ~ CRED DEBT BOTH
Authority = Nm?:140 Ctry?:Country
ReportedDetail = Tp?:35 Dt?:Date Ctry?:Country Cd?:10 Amt?:Amount Inf*:35

RelatedRemittance = RmtId?:35 RmtLctnMtd?:RemittanceMethod@-5 RmtLctnElctrncAdr?:2048@-5
  RmtLctnPstlAdr?:NameAndAddress@-5 RmtLctnDtls*:RemittanceLocation@6-
RemittanceLocation = Mtd:RemittanceMethod ElctrncAdr?:2048 PstlAdr?:NameAndAddress
RemittanceMethod ~ FAXI EDIC URID EMAL POST SMSM
`;

const VERSIONS = ['03', '04', '05', '06', '07', '08', '09', '10', '11', '12'] as const;
export type Pain001Version = `pain.001.001.${(typeof VERSIONS)[number]}`;

const made = new Map<Pain001Version, Grammar>();

/** Made when first needed. */
export function grammarOf(version: Pain001Version): Grammar {
  const grammar = made.get(version) ?? defineGrammar(Number(version.slice(-2)), COMPONENTS, MESSAGE);
  made.set(version, grammar);
  return grammar;
}

export const PAIN001_VERSIONS = VERSIONS.map((it): Pain001Version => `pain.001.001.${it}`);

/** Namespaces by version: ISO's own, and the Swiss (SIX) and German (DK) ones with the same structure. */
const NAMESPACES: readonly (readonly [pattern: RegExp, version: Pain001Version])[] = [
  ...PAIN001_VERSIONS.map((it) => [new RegExp(`^urn:iso:std:iso:20022:tech:xsd:${it}$`), it] as const),
  [/^urn:iso:std:iso:20022:tech:xsd:pain\.001\.00[23]\.03$/, 'pain.001.001.03'],
  [/^https?:\/\/www\.six-interbank-clearing\.com\/[a-z]{2}\/pain\.001\.001\.03\.ch\.\d{2}\.xsd$/, 'pain.001.001.03'],
  [/^https?:\/\/www\.six-interbank-clearing\.com\/[a-z]{2}\/pain\.001\.001\.09\.ch\.\d{2}\.xsd$/, 'pain.001.001.09'],
];
const ACCEPTED =
  'supported are pain.001.001.03 to pain.001.001.12 of ISO, the Swiss ch of .03 and .09, the German 002.03 and 003.03';

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
