/**
 * Message components shared by the ISO 20022 messages of the payments domain, by the version of pain.001 that has them.
 * pain.002.001.03 has those of 3; pain.002.001.10 and camt.054.001.08 have those of 9. Notation: `grammar.ts`.
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
Organisation = BICOrBEI?:Bic@-3 AnyBIC?:Bic@4-8 AnyBIC?:Bicfi@9- LEI?:Lei@9- Othr*:OtherPartyId
Person = DtAndPlcOfBirth?:Birth Othr*:OtherPartyId
OtherPartyId = Id:35@-11 Id:256@12- SchmeNm?:Code4 Issr?:35
OtherId = Id:35 SchmeNm?:Code4 Issr?:35
Birth = BirthDt:Date PrvcOfBirth?:35 CityOfBirth:35 CtryOfBirth:Country
Contact = NmPrfx?:NamePrefix Nm?:140 PhneNb?:Phone MobNb?:Phone FaxNb?:Phone URLAdr?:2048@12- EmailAdr?:2048@-11
  EmailAdr?:256@12- Othr?:35@-8 EmailPurp?:35@9- JobTitl?:35@9- Rspnsblty?:35@9- Dept?:70@9- Othr*:OtherContact@9-
  PrefrdMtd?:ContactMethod@9-
NamePrefix ~ DOCT MADM MISS MIST MIKS@9-
OtherContact = ChanlTp:4 Id?:128
ContactMethod ~ LETT MAIL PHON FAXX CELL ONLI@12-

Address = AdrTp?:AddressCode@-8 AdrTp?:AddressType@9- CareOf?:140@12- Dept?:70 SubDept?:70 StrtNm?:70@-11
  StrtNm?:140@12- BldgNb?:16 BldgNm?:35@9-11 BldgNm?:140@12- Flr?:70@9- UnitNb?:16@12- PstBx?:16@9- Room?:70@9-
  PstCd?:16 TwnNm?:35@-11 TwnNm?:140@12- TwnLctnNm?:35@9-11 TwnLctnNm?:140@12- DstrctNm?:35@9-11 DstrctNm?:140@12-
  CtrySubDvsn?:35 Ctry?:Country AdrLine{0,7}:70
AddressCode ~ ADDR PBOX HOME BIZZ MLTO DLVY
AddressType = Cd:AddressCode | Prtry:OwnAddressType
OwnAddressType = Id:FourCharacters Issr:35 SchmeNm?:35
NameAndAddress = Nm:140 Adr:Address

Agent = FinInstnId:Institution BrnchId?:Branch
Institution = BIC?:Bic@-3 BICFI?:Bic@4-8 BICFI?:Bicfi@9- ClrSysMmbId?:ClearingMember LEI?:Lei@9- Nm?:140
  PstlAdr?:Address Othr?:OtherId
ClearingMember = ClrSysId?:ClearingSystem MmbId:35
Branch = Id?:35 LEI?:Lei@9- Nm?:140 PstlAdr?:Address

Account = Id:AccountId@-10 Id?:AccountId@11- Tp?:AccountType@-3 Tp?:Code4@4- Ccy?:Currency Nm?:70 Prxy?:Proxy@9-
AccountId = IBAN:Iban | Othr:OtherAccount
OtherAccount = Id:34 SchmeNm?:Code4 Issr?:35
AccountType = Cd:AccountTypeCode | Prtry:35
AccountTypeCode ~ CASH CHAR COMM TAXE CISH TRAS SACC CACC SVGS ONDP MGLD NREX MOMA LOAN SLRY ODFT
Proxy = Tp?:Code4 Id:2048

AmountType = InstdAmt:Amount | EqvtAmt:EquivalentAmount
EquivalentAmount = Amt:Amount CcyOfTrf:Currency

Remittance = Ustrd*:140 Strd*:StructuredRemittance
StructuredRemittance = RfrdDocInf*:ReferredDocument RfrdDocAmt?:DocumentAmount CdtrRefInf?:CreditorReference Invcr?:Party
  Invcee?:Party TaxRmt?:RemittedTax@6- GrnshmtRmt?:Garnishment@6- AddtlRmtInf{0,3}:140
ReferredDocument = Tp?:DocumentType Nb?:35 RltdDt?:Date@-11 RltdDt?:TypedDate@12- LineDtls*:DocumentLine@7-
TypedDate = Tp:Code4 Dt:Date
DocumentType = CdOrPrtry:DocumentCodeOrOwn Issr?:35
DocumentCodeOrOwn = Cd:DocumentCode@-11 | Cd:4@12- | Prtry:35
DocumentCode ~ MSIN CNFA DNFA CINV CREN DEBN HIRI SBIN CMCN SOAC DISP BOLD VCHR AROI TSUT PUOR@6-
DocumentLine = Id+:DocumentLineId Desc?:2048 Amt?:DocumentAmount
DocumentLineId = Tp?:CodeWithIssuer Nb?:35 RltdDt?:Date
CodeWithIssuer = CdOrPrtry:Code4 Issr?:35
DocumentAmount = DuePyblAmt?:Amount@-11 DscntApldAmt?:Amount@-3 DscntApldAmt*:TypedAmount@4-11 CdtNoteAmt?:Amount@-11
  TaxAmt?:Amount@-3 TaxAmt*:TypedAmount@4-11 RmtAmtAndTp*:NamedAmount@12- AdjstmntAmtAndRsn*:Adjustment
  RmtdAmt?:Amount@-11
NamedAmount = Tp:Code4 Amt:Amount
TypedAmount = Tp?:Code4 Amt:Amount
Adjustment = Amt:Amount CdtDbtInd?:CreditOrDebit Rsn?:4 AddtlInf?:140
CreditOrDebit ~ CRDT DBIT
CreditorReference = Tp?:ReferenceType Ref?:35
ReferenceType = CdOrPrtry:ReferenceCodeOrOwn Issr?:35
ReferenceCodeOrOwn = Cd:ReferenceCode@-11 | Cd:4@12- | Prtry:35
ReferenceCode ~ RADM RPIN FXDR DISP PUOR SCOR
Garnishment = Tp:CodeWithIssuer Grnshee?:Party GrnshmtAdmstr?:Party RefNb?:140 Dt?:Date RmtdAmt?:Amount
  FmlyMdclInsrncInd?:Boolean MplyeeTermntnInd?:Boolean

RemittedTax = Cdtr?:TaxPayee Dbtr?:TaxPayer UltmtDbtr?:TaxPayer AdmstnZone?:35 RefNb?:140 Mtd?:35
  TtlTaxblBaseAmt?:Amount TtlTaxAmt?:Amount Dt?:Date SeqNb?:Number Rcrd*:TaxRecord
Tax = Cdtr?:TaxPayee Dbtr?:TaxPayer UltmtDbtr?:TaxPayer@12- AdmstnZn?:35@-8 AdmstnZone?:35@9- RefNb?:140 Mtd?:35
  TtlTaxblBaseAmt?:Amount TtlTaxAmt?:Amount Dt?:Date SeqNb?:Number Rcrd*:TaxRecord
TaxPayee = TaxId?:35 RegnId?:35 TaxTp?:35
TaxPayer = TaxId?:35 RegnId?:35 TaxTp?:35 Authstn?:TaxAuthorisation
TaxAuthorisation = Titl?:35 Nm?:140
TaxRecord = Tp?:35 Ctgy?:35 CtgyDtls?:35 DbtrSts?:35 CertId?:35 FrmsCd?:35 Prd?:TaxPeriod TaxAmt?:TaxAmount
  AddtlInf?:140
TaxPeriod = Yr?:Date@-10 Yr?:Year@11- Tp?:TaxPeriodCode FrToDt?:DateRange
TaxPeriodCode ~ MM01 MM02 MM03 MM04 MM05 MM06 MM07 MM08 MM09 MM10 MM11 MM12 QTR1 QTR2 QTR3 QTR4 HLF1 HLF2
DateRange = FrDt:Date ToDt:Date
TaxAmount = Rate?:Rate TaxblBaseAmt?:Amount TtlAmt?:Amount Dtls*:TaxDetail
TaxDetail = Prd?:TaxPeriod Amt:Amount

Supplement = PlcAndNm?:350 Envlp:Any
`;
