/**
 * Message components shared by the ISO 20022 messages of the payments domain, in two editions: that of pain.001.001.03 and
 * pain.002.001.03 (2009), and that of pain.001.001.09 and pain.002.001.10 (2019). Notation: `grammar.ts`.
 */
export const COMPONENTS = `
Code4 = Cd:4 | Prtry:35
ClearingSystem = Cd:5 | Prtry:35
LocalInstrument = Cd:35 | Prtry:35
ChargeBearer ~ DEBT CRED SHAR SLEV
Priority ~ HIGH NORM
DateOrDateTime = Dt:Date | DtTm:DateTime

Party = Nm?:140 PstlAdr?:Address Id?:PartyId CtryOfRes?:Country CtctDtls?:Contact
PartyId = OrgId:Organisation | PrvtId:Person
Organisation = BICOrBEI?:Bic@2009 AnyBIC?:Bicfi@2019 LEI?:Lei@2019 Othr*:OtherId
Person = DtAndPlcOfBirth?:Birth Othr*:OtherId
OtherId = Id:35 SchmeNm?:Code4 Issr?:35
Birth = BirthDt:Date PrvcOfBirth?:35 CityOfBirth:35 CtryOfBirth:Country
Contact = NmPrfx?:NamePrefix Nm?:140 PhneNb?:Phone MobNb?:Phone FaxNb?:Phone EmailAdr?:2048 Othr?:35@2009
  EmailPurp?:35@2019 JobTitl?:35@2019 Rspnsblty?:35@2019 Dept?:70@2019 Othr*:OtherContact@2019
  PrefrdMtd?:ContactMethod@2019
NamePrefix ~ DOCT MADM MISS MIST MIKS@2019
OtherContact = ChanlTp:4 Id?:128
ContactMethod ~ LETT MAIL PHON FAXX CELL

Address = AdrTp?:AddressCode@2009 AdrTp?:AddressType@2019 Dept?:70 SubDept?:70 StrtNm?:70 BldgNb?:16
  BldgNm?:35@2019 Flr?:70@2019 PstBx?:16@2019 Room?:70@2019 PstCd?:16 TwnNm?:35 TwnLctnNm?:35@2019
  DstrctNm?:35@2019 CtrySubDvsn?:35 Ctry?:Country AdrLine{0,7}:70
AddressCode ~ ADDR PBOX HOME BIZZ MLTO DLVY
AddressType = Cd:AddressCode | Prtry:OwnAddressType
OwnAddressType = Id:FourCharacters Issr:35 SchmeNm?:35
NameAndAddress = Nm:140 Adr:Address

Agent = FinInstnId:Institution BrnchId?:Branch
Institution = BIC?:Bic@2009 BICFI?:Bicfi@2019 ClrSysMmbId?:ClearingMember LEI?:Lei@2019 Nm?:140 PstlAdr?:Address
  Othr?:OtherId
ClearingMember = ClrSysId?:ClearingSystem MmbId:35
Branch = Id?:35 LEI?:Lei@2019 Nm?:140 PstlAdr?:Address

Account = Id:AccountId Tp?:AccountType@2009 Tp?:Code4@2019 Ccy?:Currency Nm?:70 Prxy?:Proxy@2019
AccountId = IBAN:Iban | Othr:OtherAccount
OtherAccount = Id:34 SchmeNm?:Code4 Issr?:35
AccountType = Cd:AccountTypeCode | Prtry:35
AccountTypeCode ~ CASH CHAR COMM TAXE CISH TRAS SACC CACC SVGS ONDP MGLD NREX MOMA LOAN SLRY ODFT
Proxy = Tp?:Code4 Id:2048

AmountType = InstdAmt:Amount | EqvtAmt:EquivalentAmount
EquivalentAmount = Amt:Amount CcyOfTrf:Currency

Remittance = Ustrd*:140 Strd*:StructuredRemittance
StructuredRemittance = RfrdDocInf*:ReferredDocument RfrdDocAmt?:DocumentAmount CdtrRefInf?:CreditorReference Invcr?:Party
  Invcee?:Party TaxRmt?:RemittedTax@2019 GrnshmtRmt?:Garnishment@2019 AddtlRmtInf{0,3}:140
ReferredDocument = Tp?:DocumentType Nb?:35 RltdDt?:Date LineDtls*:DocumentLine@2019
DocumentType = CdOrPrtry:DocumentCodeOrOwn Issr?:35
DocumentCodeOrOwn = Cd:DocumentCode | Prtry:35
DocumentCode ~ MSIN CNFA DNFA CINV CREN DEBN HIRI SBIN CMCN SOAC DISP BOLD VCHR AROI TSUT PUOR@2019
DocumentLine = Id+:DocumentLineId Desc?:2048 Amt?:DocumentAmount
DocumentLineId = Tp?:CodeWithIssuer Nb?:35 RltdDt?:Date
CodeWithIssuer = CdOrPrtry:Code4 Issr?:35
DocumentAmount = DuePyblAmt?:Amount DscntApldAmt?:Amount@2009 DscntApldAmt*:TypedAmount@2019 CdtNoteAmt?:Amount
  TaxAmt?:Amount@2009 TaxAmt*:TypedAmount@2019 AdjstmntAmtAndRsn*:Adjustment RmtdAmt?:Amount
TypedAmount = Tp?:Code4 Amt:Amount
Adjustment = Amt:Amount CdtDbtInd?:CreditOrDebit Rsn?:4 AddtlInf?:140
CreditOrDebit ~ CRDT DBIT
CreditorReference = Tp?:ReferenceType Ref?:35
ReferenceType = CdOrPrtry:ReferenceCodeOrOwn Issr?:35
ReferenceCodeOrOwn = Cd:ReferenceCode | Prtry:35
ReferenceCode ~ RADM RPIN FXDR DISP PUOR SCOR
Garnishment = Tp:CodeWithIssuer Grnshee?:Party GrnshmtAdmstr?:Party RefNb?:140 Dt?:Date RmtdAmt?:Amount
  FmlyMdclInsrncInd?:Boolean MplyeeTermntnInd?:Boolean

RemittedTax = Cdtr?:TaxPayee Dbtr?:TaxPayer UltmtDbtr?:TaxPayer AdmstnZone?:35 RefNb?:140 Mtd?:35
  TtlTaxblBaseAmt?:Amount TtlTaxAmt?:Amount Dt?:Date SeqNb?:Number Rcrd*:TaxRecord
Tax = Cdtr?:TaxPayee Dbtr?:TaxPayer AdmstnZn?:35@2009 AdmstnZone?:35@2019 RefNb?:140 Mtd?:35
  TtlTaxblBaseAmt?:Amount TtlTaxAmt?:Amount Dt?:Date SeqNb?:Number Rcrd*:TaxRecord
TaxPayee = TaxId?:35 RegnId?:35 TaxTp?:35
TaxPayer = TaxId?:35 RegnId?:35 TaxTp?:35 Authstn?:TaxAuthorisation
TaxAuthorisation = Titl?:35 Nm?:140
TaxRecord = Tp?:35 Ctgy?:35 CtgyDtls?:35 DbtrSts?:35 CertId?:35 FrmsCd?:35 Prd?:TaxPeriod TaxAmt?:TaxAmount
  AddtlInf?:140
TaxPeriod = Yr?:Date Tp?:TaxPeriodCode FrToDt?:DateRange
TaxPeriodCode ~ MM01 MM02 MM03 MM04 MM05 MM06 MM07 MM08 MM09 MM10 MM11 MM12 QTR1 QTR2 QTR3 QTR4 HLF1 HLF2
DateRange = FrDt:Date ToDt:Date
TaxAmount = Rate?:Rate TaxblBaseAmt?:Amount TtlAmt?:Amount Dtls*:TaxDetail
TaxDetail = Prd?:TaxPeriod Amt:Amount

Supplement = PlcAndNm?:350 Envlp:Any
`;
