import { ALWAYS, COMPARED, columnsOf, OWNER, type RecordFields } from '../fixed-width/records.ts';

/** The records of an Australian direct entry file, by the columns of the Cemtex format, and what becomes of each field. */

const RECORD_TYPE = {
  columns: [1, 1],
  name: 'record type',
  carried: 'the order of the records',
  refused: '`bad-record`',
} as const;
const UNUSED = { name: 'unused', carried: 'blank in the format' } as const;
const ID = { carried: "the message's id" } as const;

const HEAD_FIELDS = {
  recordType: RECORD_TYPE,
  /** Some banks have the BSB and the account of the payer here, which each record repeats. */
  payer: {
    columns: [2, 18],
    name: "payer's BSB and account",
    carried: '`account_id`, by the trace account of each record',
  },
  reelSequence: { columns: [19, 20], name: 'reel sequence number', ...ID },
  institution: { columns: [21, 23], name: 'financial institution', carried: 'the bank of the configuration' },
  blank: { columns: [24, 30], ...UNUSED },
  userName: { columns: [31, 56], name: 'name of the user', ...OWNER },
  userId: { columns: [57, 62], name: 'number of the user', ...ID },
  description: { columns: [63, 74], name: 'description of the entries', ...ALWAYS, shown: () => '' },
  processingDate: { columns: [75, 80], name: 'processing date', carried: '`execute_on`', refused: '`bad-date`' },
  processingTime: { columns: [81, 84], name: 'processing time', ...ALWAYS, shown: () => '' },
  rest: { columns: [85, 120], ...UNUSED },
} as const satisfies RecordFields;

const CARRIED_CODES: ReadonlySet<string> = new Set(['50', '53', '13']);

const DETAIL_FIELDS = {
  recordType: RECORD_TYPE,
  bsb: { columns: [2, 8], name: 'BSB', carried: '`bsb`', refused: '`bad-bsb`' },
  account: { columns: [9, 17], name: 'account number', carried: '`account_no`' },
  indicator: {
    columns: [18, 18],
    name: 'indicator',
    notCarried: 'unless blank',
    refused: '`bad-indicator`',
    shown: (value: string) =>
      value === 'N' ? ', which says that the details are new' : ', which says that tax is withheld',
  },
  transactionCode: {
    columns: [19, 20],
    name: 'transaction code',
    carried: '50 is what is done; 53 (pay) is `beneficiary_type` `personal`',
    notCarried: 'other credits',
    refused: '`debit-entry`, `unknown-transaction-code`',
    isMissed: (value: string) => !CARRIED_CODES.has(value),
    shown: () => ', which says what kind of credit it is',
  },
  amount: { columns: [21, 30], name: 'amount', carried: '`amount`', refused: '`bad-amount`' },
  title: { columns: [31, 62], name: 'title of the account', carried: '`account_name`, `company_name`' },
  lodgementReference: { columns: [63, 80], name: 'lodgement reference', carried: '`id`, `note`' },
  traceBsb: {
    columns: [81, 87],
    name: 'trace BSB',
    carried: '`account_id`, by `accounts` of the mapping file',
    refused: '`bad-bsb`',
  },
  traceAccount: {
    columns: [88, 96],
    name: 'trace account',
    carried: '`account_id`, by `accounts` of the mapping file',
  },
  remitter: { columns: [97, 112], name: 'name of the remitter', ...OWNER },
  withholdingTax: { columns: [113, 120], name: 'withholding tax', carried: 'none', refused: '`withholding-tax`' },
} as const satisfies RecordFields;

const TOTAL_FIELDS = {
  recordType: RECORD_TYPE,
  bsb: { columns: [2, 8], name: 'BSB', carried: 'always 999-999', refused: '`bad-record`' },
  blank: { columns: [9, 20], ...UNUSED },
  net: { columns: [21, 30], name: 'net total', ...COMPARED, refused: '`wrong-control-sum`' },
  credits: { columns: [31, 40], name: 'total of credits', ...COMPARED, refused: '`wrong-control-sum`' },
  debits: {
    columns: [41, 50],
    name: 'total of debits',
    ...COMPARED,
    refused: '`wrong-control-sum`, `unbalanced-debit`',
  },
  blanks: { columns: [51, 74], ...UNUSED },
  count: { columns: [75, 80], name: 'number of records', ...COMPARED, refused: '`wrong-transaction-count`' },
  rest: { columns: [81, 120], ...UNUSED },
} as const satisfies RecordFields;

/** By record, in the order of a file. */
export const ABA_FIELDS = {
  'descriptive record (0)': HEAD_FIELDS,
  'detail record (1)': DETAIL_FIELDS,
  'totals record (7)': TOTAL_FIELDS,
} as const satisfies Record<string, RecordFields>;

export const HEAD = columnsOf(HEAD_FIELDS);
export const DETAIL = columnsOf(DETAIL_FIELDS);
export const TOTAL = columnsOf(TOTAL_FIELDS);
