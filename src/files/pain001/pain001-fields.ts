import { printable } from '../../domain/finding.ts';
import type { PaymentTypeRule } from '../messages/mapping.ts';
import { ORDINARY_INSTRUMENTS, ORDINARY_LEVELS } from '../messages/message-instruction.ts';
import type { Fate } from '../not-carried.ts';
import type { Fields } from './pain001-grammar.ts';
import { adviceAddress, type Transaction } from './transaction.ts';

/** What decides whether a field is carried. */
interface Reported {
  /** Of the part that has the field. */
  own: Fields;
  transaction: Fields;
  /** The rule of the mapping file that was applied. */
  rule?: PaymentTypeRule | undefined;
}

interface Field extends Fate {
  /** Absent: always, where `notCarried` is given. */
  isMissed?(reported: Reported): boolean;
  /** Elements whose code the warning shows. */
  codes?: readonly string[];
  /** What a code asks for. */
  means?: Readonly<Record<string, string>>;
  /** What carries it after all. */
  fix?: string;
  /** Absent: its path. */
  name?: string;
}

type Part = 'GrpHdr' | 'PmtInf' | 'CdtTrfTxInf' | 'SplmtryData';

const BY_RULE =
  'a rule of paymentTypes in the mapping file can carry it (`payouts template mapping --from FILE` proposes one)';
const ALWAYS = { notCarried: 'always' };
const OWNER = { carried: '`uid`, `account_id`: the owner of the account, as the bank knows them' };
const ANSWER = { carried: 'the answer' };
const TOTAL = { carried: 'compared with the transactions', refused: '`wrong-transaction-count`, `wrong-control-sum`' };
const CHARGES = { carried: '`charge_type`, for SHAR and SLEV', refused: '`bad-charge-type`' };

const levelsOf = ({ own }: Reported): string[] => own.all('PmtTpInf/SvcLvl/Cd', 'PmtTpInf/SvcLvl/Prtry');
const isBankNamed = ({ transaction }: Reported): boolean =>
  transaction.one(`${AGENT}/BIC`, `${AGENT}/BICFI`) !== undefined || transaction.has(`${AGENT}/ClrSysMmbId/ClrSysId`);
const hasText = ({ transaction }: Reported): boolean =>
  transaction.one('RmtInf/Ustrd', 'RmtInf/Strd/CdtrRefInf/Ref') !== undefined;
const hasStreet = ({ transaction }: Reported): boolean => transaction.one('Cdtr/PstlAdr/StrtNm') !== undefined;

const AGENT = 'CdtrAgt/FinInstnId';
const OF_AGENT: Field = {
  carried: 'with a BIC or a clearing code, which name the bank',
  notCarried: 'without them',
  isMissed: (reported) => !isBankNamed(reported),
};

/** What a transaction leaves out of it is that of its block. */
const PAYMENT_TYPE: Readonly<Record<string, Field>> = {
  'PmtTpInf/InstrPrty': {
    carried: 'NORM is what is done',
    notCarried: 'HIGH',
    isMissed: ({ own }) => own.one('PmtTpInf/InstrPrty') === 'HIGH',
    codes: [''],
    name: 'InstrPrty',
  },
  'PmtTpInf/SvcLvl': {
    carried: `\`payment_type\`: ${ORDINARY_LEVELS.join(', ')}, and those of the rule of \`paymentTypes\` that is applied`,
    notCarried: 'others',
    isMissed: (reported) =>
      levelsOf(reported).some((it) => !ORDINARY_LEVELS.includes(it) && it !== reported.rule?.serviceLevel),
    codes: ['/Cd'],
    means: { SDVA: 'payment on the same day', URGP: 'an urgent payment', URNS: 'an urgent payment' },
    fix: BY_RULE,
    name: 'SvcLvl',
  },
  'PmtTpInf/LclInstrm': {
    carried: `\`payment_type\`: ${ORDINARY_INSTRUMENTS.join(', ')}, and that of the rule of \`paymentTypes\` that is applied`,
    notCarried: 'others',
    isMissed: ({ rule, own }) =>
      rule?.localInstrument === undefined &&
      !ORDINARY_INSTRUMENTS.includes(own.one('PmtTpInf/LclInstrm/Cd', 'PmtTpInf/LclInstrm/Prtry') ?? ''),
    codes: ['/Cd'],
    means: { INST: 'an instant transfer' },
    fix: BY_RULE,
    name: 'LclInstrm',
  },
  'PmtTpInf/CtgyPurp': {
    ...ALWAYS,
    codes: ['/Cd'],
    means: { INTC: 'a transfer within a group', SALA: 'a confidential salary payment' },
    name: 'CtgyPurp',
  },
};

const OF_TRANSACTION: Readonly<Record<string, Field>> = {
  PmtId: { carried: '`id`; the answer' },
  ...PAYMENT_TYPE,
  'Amt/InstdAmt': { carried: '`amount`, `currency`' },
  'Amt/EqvtAmt': { refused: '`equivalent-amount`' },
  XchgRateInf: ALWAYS,
  'XchgRateInf/CtrctId': { refused: '`agreed-rate`' },
  'XchgRateInf/RateTp': {
    notCarried: 'SPOT and SALE',
    refused: '`agreed-rate` for AGRD',
    isMissed: ({ own }) => own.one('XchgRateInf/RateTp') !== 'AGRD',
    name: 'XchgRateInf',
  },
  ChrgBr: CHARGES,
  MndtRltdInf: ALWAYS,
  ChqInstr: ALWAYS,
  UltmtDbtr: ALWAYS,
  IntrmyAgt1: ALWAYS,
  IntrmyAgt1Acct: ALWAYS,
  IntrmyAgt2: ALWAYS,
  IntrmyAgt2Acct: ALWAYS,
  IntrmyAgt3: ALWAYS,
  IntrmyAgt3Acct: ALWAYS,
  [`${AGENT}/BIC`]: { carried: '`swift_code`, `region_country`' },
  [`${AGENT}/BICFI`]: { carried: '`swift_code`, `region_country`' },
  [`${AGENT}/ClrSysMmbId`]: { ...OF_AGENT, carried: 'the field of its clearing system (`clearingFields`)' },
  [`${AGENT}/LEI`]: OF_AGENT,
  [`${AGENT}/Nm`]: OF_AGENT,
  [`${AGENT}/PstlAdr`]: OF_AGENT,
  [`${AGENT}/PstlAdr/Ctry`]: { carried: '`region_country`' },
  [`${AGENT}/Othr`]: {
    ...OF_AGENT,
    notCarried: 'without them, except NOTPROVIDED',
    isMissed: (reported) => !isBankNamed(reported) && reported.own.one(`${AGENT}/Othr/Id`) !== 'NOTPROVIDED',
  },
  'CdtrAgt/BrnchId': ALWAYS,
  CdtrAgtAcct: ALWAYS,
  'Cdtr/Nm': { carried: '`account_name`, `company_name`' },
  'Cdtr/PstlAdr/AdrTp': ALWAYS,
  'Cdtr/PstlAdr/CareOf': ALWAYS,
  'Cdtr/PstlAdr/Dept': ALWAYS,
  'Cdtr/PstlAdr/SubDept': ALWAYS,
  'Cdtr/PstlAdr/BldgNm': ALWAYS,
  'Cdtr/PstlAdr/Flr': ALWAYS,
  'Cdtr/PstlAdr/UnitNb': ALWAYS,
  'Cdtr/PstlAdr/Room': ALWAYS,
  'Cdtr/PstlAdr/TwnLctnNm': ALWAYS,
  'Cdtr/PstlAdr/DstrctNm': ALWAYS,
  'Cdtr/PstlAdr/StrtNm': { carried: '`address_address1`' },
  'Cdtr/PstlAdr/BldgNb': {
    carried: '`address_address1`, after the street',
    notCarried: 'without a street',
    isMissed: (reported) => !hasStreet(reported),
  },
  'Cdtr/PstlAdr/PstBx': {
    carried: '`address_address1`, in place of a street',
    notCarried: 'beside a street',
    isMissed: hasStreet,
  },
  'Cdtr/PstlAdr/PstCd': { carried: '`address_postcode`' },
  'Cdtr/PstlAdr/TwnNm': { carried: '`address_city`' },
  'Cdtr/PstlAdr/CtrySubDvsn': { carried: '`address_state`' },
  'Cdtr/PstlAdr/Ctry': { carried: '`address_country`' },
  'Cdtr/PstlAdr/AdrLine': { carried: '`address_address1`', refused: '`address-lines-only`, `too-many-address-lines`' },
  'Cdtr/Id': { carried: '`beneficiary_type`: a person or an organisation', notCarried: 'the identification itself' },
  'Cdtr/CtryOfRes': ALWAYS,
  'Cdtr/CtctDtls': ALWAYS,
  'Cdtr/CtctDtls/MobNb': { carried: '`mobile`' },
  'CdtrAcct/Id': { carried: '`iban_no` or `account_no`' },
  'CdtrAcct/Id/Othr/SchmeNm': {
    carried: 'BBAN is any account number',
    notCarried: 'others',
    isMissed: ({ own }) => own.one('CdtrAcct/Id/Othr/SchmeNm/Cd', 'CdtrAcct/Id/Othr/SchmeNm/Prtry') !== 'BBAN',
  },
  'CdtrAcct/Id/Othr/Issr': ALWAYS,
  'CdtrAcct/Tp': ALWAYS,
  'CdtrAcct/Ccy': {
    carried: 'that of the amount',
    notCarried: 'another',
    isMissed: ({ own }) => own.one('CdtrAcct/Ccy') !== own.one('Amt/InstdAmt/@Ccy'),
  },
  'CdtrAcct/Nm': {
    carried: 'that of the payee',
    notCarried: 'another',
    isMissed: ({ own }) => own.one('CdtrAcct/Nm') !== own.one('Cdtr/Nm'),
  },
  'CdtrAcct/Prxy': ALWAYS,
  UltmtCdtr: ALWAYS,
  InstrForCdtrAgt: ALWAYS,
  InstrForDbtrAgt: ALWAYS,
  Purp: { carried: '`reason`' },
  RgltryRptg: ALWAYS,
  Tax: ALWAYS,
  RltdRmtInf: {
    carried: '`advice_to`, where the method is EMAL',
    notCarried: 'otherwise',
    isMissed: ({ transaction }) => adviceAddress(transaction) === undefined,
  },
  'RmtInf/Ustrd': { carried: '`note`' },
  'RmtInf/Strd/RfrdDocInf': ALWAYS,
  'RmtInf/Strd/RfrdDocInf/Nb': {
    carried: '`note`, if there is no text for it',
    notCarried: 'otherwise',
    isMissed: hasText,
    name: 'RmtInf/Strd/RfrdDocInf',
  },
  'RmtInf/Strd/RfrdDocAmt': ALWAYS,
  'RmtInf/Strd/CdtrRefInf/Ref': { carried: '`note`' },
  'RmtInf/Strd/CdtrRefInf/Tp': {
    notCarried: 'always: the reference is passed on as text',
    name: 'RmtInf/Strd/CdtrRefInf/Tp (the reference is passed on as text)',
  },
  'RmtInf/Strd/Invcr': ALWAYS,
  'RmtInf/Strd/Invcee': ALWAYS,
  'RmtInf/Strd/TaxRmt': ALWAYS,
  'RmtInf/Strd/GrnshmtRmt': ALWAYS,
  'RmtInf/Strd/AddtlRmtInf': ALWAYS,
  SplmtryData: ALWAYS,
};

const OF_PAYMENT: Readonly<Record<string, Field>> = {
  PmtInfId: { ...ANSWER, refused: '`duplicate-payment-id`' },
  PmtMtd: {
    carried: 'TRF is what is done',
    notCarried: 'TRA: the transfer is made without its advice',
    isMissed: ({ own }) => own.one('PmtMtd') === 'TRA',
    name: 'PmtMtd TRA (the advice)',
    refused: '`not-a-transfer`',
  },
  ReqdAdvcTp: ALWAYS,
  BtchBookg: {
    carried: 'false is what is done',
    notCarried: 'true: the bank books each payment by itself',
    isMissed: ({ own }) => ['true', '1'].includes(own.one('BtchBookg') ?? ''),
    codes: [''],
    means: { true: 'one booking of the whole block', 1: 'one booking of the whole block' },
  },
  NbOfTxs: TOTAL,
  CtrlSum: TOTAL,
  ...PAYMENT_TYPE,
  ReqdExctnDt: { carried: '`execute_on`' },
  'ReqdExctnDt/DtTm': { carried: '`execute_on`: the day', notCarried: 'the time' },
  PoolgAdjstmntDt: ALWAYS,
  Dbtr: OWNER,
  DbtrAcct: {
    carried: '`uid`, `account_id`, by `accounts` of the mapping file',
    refused: '`unmapped-account`, `debtor-currency`',
  },
  DbtrAgt: { carried: 'the bank of the configuration' },
  DbtrAgtAcct: ALWAYS,
  InstrForDbtrAgt: ALWAYS,
  UltmtDbtr: ALWAYS,
  ChrgBr: CHARGES,
  ChrgsAcct: ALWAYS,
  ChrgsAcctAgt: ALWAYS,
};

const OF_HEADER: Readonly<Record<string, Field>> = {
  MsgId: { ...ANSWER, refused: '`message-id-reused`' },
  CreDtTm: ANSWER,
  Authstn: {
    carried: 'AUTH asks for no approval at the bank',
    notCarried: 'others',
    isMissed: ({ own }) => own.all('Authstn/Cd', 'Authstn/Prtry').some((it) => it !== 'AUTH'),
  },
  NbOfTxs: TOTAL,
  CtrlSum: TOTAL,
  InitgPty: { carried: 'the maker: the person who hands the file over' },
  FwdgAgt: ALWAYS,
  InitnSrc: ALWAYS,
};

/** Every field of the message by its part; an element that is not listed has the fate of the one that contains it. */
export const FIELDS: Readonly<Record<Part, Readonly<Record<string, Field>>>> = {
  GrpHdr: OF_HEADER,
  PmtInf: OF_PAYMENT,
  CdtTrfTxInf: OF_TRANSACTION,
  SplmtryData: { '': ALWAYS },
};

const found = new Map<string, readonly [path: string, field: Field] | undefined>();

/** The entry of an element or of the nearest one that contains it; undefined if none is listed. */
export function fieldOf(part: Part, path: string): readonly [path: string, field: Field] | undefined {
  const key = `${part} ${path}`;
  if (found.has(key)) return found.get(key);
  let own: string | undefined = path.replace(/\/@\w+$/, '');
  while (own !== undefined && FIELDS[part][own] === undefined) {
    own = own.includes('/') ? own.slice(0, own.lastIndexOf('/')) : undefined;
  }
  const field = own === undefined ? undefined : FIELDS[part][own];
  const entry = own === undefined || field === undefined ? undefined : ([own, field] as const);
  found.set(key, entry);
  return entry;
}

/** A field that is checked but not passed to the bank. */
interface Missed {
  path: string;
  /** As the warning calls it. */
  name: string;
  fix?: string;
}

export function missedOf(part: Part, reported: Reported): Missed[] {
  const entries = new Map<string, Field>();
  for (const path of reported.own.paths()) {
    const [known, field] = fieldOf(part, path) ?? [path, ALWAYS];
    entries.set(known, field);
  }
  const missed = [...entries].filter(([, it]) => it.notCarried !== undefined && (it.isMissed?.(reported) ?? true));
  const named = missed.map(([path, field]) => ({ path, name: namedIn(reported.own, path, field), fix: field.fix }));
  return [...new Map(named.map((it) => [it.name, it])).values()];
}

function namedIn(own: Fields, path: string, { name = path, codes = [], means = {} }: Field): string {
  const shown = codes.flatMap((below) => own.all(path + below));
  const meant = shown.flatMap((value) => (Object.hasOwn(means, value) ? (means[value] ?? []) : []));
  return (
    [name, ...shown.map(printable)].join(' ') + (meant.length === 0 ? '' : `, which asks for ${meant.join(' and ')}`)
  );
}

/**
 * The same for a transaction, with the fields of its block where it has none of its own. `isById`: the bank has the payee under an
 * id, so its details may be absent.
 */
export function missedInTransaction(
  { fields, payment }: Transaction,
  { rule, isById }: { rule: PaymentTypeRule | undefined; isById: boolean },
): Missed[] {
  const own = missedOf('CdtTrfTxInf', { own: fields, transaction: fields, rule }).filter(
    ({ path }) => !(isById && path.startsWith('Cdtr')),
  );
  const hasOwn = (path: string): boolean => fields.has(path) || fields.one(path) !== undefined;
  const ofBlock = missedOf('PmtInf', { own: payment.fields, transaction: fields, rule }).filter(
    ({ path }) => !hasOwn(path),
  );
  return [...new Map([...own, ...ofBlock].map((it) => [it.name, it])).values()];
}
