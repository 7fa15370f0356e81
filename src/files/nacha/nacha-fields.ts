import { ALWAYS, COMPARED, columnsOf, OWNER, type RecordFields } from '../fixed-width/records.ts';

/** The records of a NACHA file, by the columns of the Nacha Operating Rules (appendix three), and what becomes of each field. */

const RECORD_TYPE = {
  columns: [1, 1],
  name: 'record type',
  carried: 'the order of the records',
  refused: '`bad-record`',
} as const;
const RESERVED = { carried: 'reserved' } as const;
const ANSWER = { carried: "the message's id" } as const;
const SAME_DAY = /^SD\d{4}$/;

const FILE_HEADER_FIELDS = {
  recordType: RECORD_TYPE,
  priority: { columns: [2, 3], name: 'priority code', carried: 'always 01' },
  destination: { columns: [4, 13], name: 'immediate destination', carried: 'the bank of the configuration' },
  origin: { columns: [14, 23], name: 'immediate origin', ...ANSWER },
  creationDate: { columns: [24, 29], name: 'file creation date', ...ANSWER, refused: '`bad-date`' },
  creationTime: { columns: [30, 33], name: 'file creation time', ...ANSWER },
  modifier: { columns: [34, 34], name: 'file id modifier', ...ANSWER },
  /** Record size 094, blocking factor 10, format code 1. */
  format: { columns: [35, 40], name: 'record size, blocking factor and format', ...COMPARED, refused: '`bad-record`' },
  destinationName: { columns: [41, 63], name: 'immediate destination name', carried: 'the bank of the configuration' },
  originName: { columns: [64, 86], name: 'immediate origin name', ...OWNER },
  referenceCode: { columns: [87, 94], name: 'reference code', carried: 'for the sender alone' },
} as const satisfies RecordFields;

const BATCH_HEADER_FIELDS = {
  recordType: RECORD_TYPE,
  serviceClass: { columns: [2, 4], name: 'service class code', ...COMPARED, refused: '`batch-mismatch`' },
  companyName: { columns: [5, 20], name: 'company name', ...OWNER },
  discretionaryData: { columns: [21, 40], name: 'company discretionary data', ...ALWAYS },
  companyId: {
    columns: [41, 50],
    name: 'company identification',
    carried: '`uid`, `account_id`, by `accounts` of the mapping file',
  },
  entryClass: {
    columns: [51, 53],
    name: 'standard entry class code',
    carried: '`beneficiary_type`: PPD and CCD',
    refused: '`unsupported-entry-class`',
  },
  entryDescription: { columns: [54, 63], name: 'company entry description', ...ALWAYS, shown: () => '' },
  descriptiveDate: {
    columns: [64, 69],
    name: 'company descriptive date',
    ...ALWAYS,
    shown: (value: string) => (SAME_DAY.test(value) ? ', which asks for settlement on the same day' : ''),
  },
  effectiveDate: { columns: [70, 75], name: 'effective entry date', carried: '`execute_on`', refused: '`bad-date`' },
  settlementDate: { columns: [76, 78], name: 'settlement date', carried: 'filled in by the ACH operator' },
  originatorStatus: {
    columns: [79, 79],
    name: 'originator status code',
    carried: '1 is a bank under the rules',
    notCarried: 'others',
    isMissed: (value: string) => value !== '1' && value !== '',
    shown: () => '',
  },
  odfi: {
    columns: [80, 87],
    name: 'originating bank',
    carried: 'the bank of the configuration',
    refused: '`batch-mismatch`',
  },
  batchNumber: { columns: [88, 94], name: 'batch number', carried: "the payment's id", refused: '`batch-mismatch`' },
} as const satisfies RecordFields;

/** For PPD and CCD. */
const ENTRY_FIELDS = {
  recordType: RECORD_TYPE,
  transactionCode: {
    columns: [2, 3],
    name: 'transaction code',
    carried: '22, to a checking account, is what is done',
    notCarried: '32',
    refused: '`debit-entry`, `prenote-entry`, `return-entry`, `unknown-transaction-code`',
    isMissed: (value: string) => value === '32',
    shown: () => ', which says that it is a savings account',
  },
  routing: { columns: [4, 12], name: 'routing number', carried: '`aba_routing_code`', refused: '`bad-routing-number`' },
  account: { columns: [13, 29], name: 'account number', carried: '`account_no`' },
  amount: { columns: [30, 39], name: 'amount', carried: '`amount`', refused: '`bad-amount`' },
  individualId: {
    columns: [40, 54],
    name: 'individual identification number',
    carried: 'the answer; `id` with `identity: "instruction-id"`',
  },
  name: { columns: [55, 76], name: 'individual or receiving company name', carried: '`account_name`, `company_name`' },
  discretionaryData: { columns: [77, 78], name: 'discretionary data', ...ALWAYS, shown: () => '' },
  addendaIndicator: { columns: [79, 79], name: 'addenda record indicator', ...COMPARED, refused: '`addenda-mismatch`' },
  trace: { columns: [80, 94], name: 'trace number', carried: '`id`', refused: '`bad-trace-number`' },
} as const satisfies RecordFields;

const ADDENDA_FIELDS = {
  recordType: RECORD_TYPE,
  type: { columns: [2, 3], name: 'addenda type code', carried: '05', refused: '`unknown-addenda`, `return-entry`' },
  information: { columns: [4, 83], name: 'payment related information', carried: '`note`' },
  sequence: { columns: [84, 87], name: 'addenda sequence number', carried: 'one addenda record is allowed' },
  entrySequence: {
    columns: [88, 94],
    name: 'entry detail sequence number',
    ...COMPARED,
    refused: '`addenda-mismatch`',
  },
} as const satisfies RecordFields;

const TOTALS = { ...COMPARED, refused: '`wrong-control-sum`' } as const;
const COUNT = { ...COMPARED, refused: '`wrong-transaction-count`' } as const;
const HASH = { ...COMPARED, refused: '`wrong-entry-hash`' } as const;
const TWIN = { carried: 'compared with the batch header', refused: '`batch-mismatch`' } as const;

const BATCH_CONTROL_FIELDS = {
  recordType: RECORD_TYPE,
  serviceClass: { columns: [2, 4], name: 'service class code', ...TWIN },
  entries: { columns: [5, 10], name: 'entry and addenda count', ...COUNT },
  hash: { columns: [11, 20], name: 'entry hash', ...HASH },
  debits: { columns: [21, 32], name: 'total of debits', ...TOTALS },
  credits: { columns: [33, 44], name: 'total of credits', ...TOTALS },
  companyId: { columns: [45, 54], name: 'company identification', ...TWIN },
  authentication: { columns: [55, 73], name: 'message authentication code', ...ALWAYS },
  reserved: { columns: [74, 79], name: 'reserved', ...RESERVED },
  odfi: { columns: [80, 87], name: 'originating bank', ...TWIN },
  batchNumber: { columns: [88, 94], name: 'batch number', ...TWIN },
} as const satisfies RecordFields;

const FILE_CONTROL_FIELDS = {
  recordType: RECORD_TYPE,
  batches: { columns: [2, 7], name: 'batch count', ...COMPARED, refused: '`wrong-batch-count`' },
  blocks: { columns: [8, 13], name: 'block count', ...COMPARED, refused: '`wrong-block-count`' },
  entries: { columns: [14, 21], name: 'entry and addenda count', ...COUNT },
  hash: { columns: [22, 31], name: 'entry hash', ...HASH },
  debits: { columns: [32, 43], name: 'total of debits', ...TOTALS },
  credits: { columns: [44, 55], name: 'total of credits', ...TOTALS },
  reserved: { columns: [56, 94], name: 'reserved', ...RESERVED },
} as const satisfies RecordFields;

/** By record, in the order of a file. */
export const NACHA_FIELDS = {
  'file header (1)': FILE_HEADER_FIELDS,
  'batch header (5)': BATCH_HEADER_FIELDS,
  'entry (6)': ENTRY_FIELDS,
  'addenda (7)': ADDENDA_FIELDS,
  'batch control (8)': BATCH_CONTROL_FIELDS,
  'file control (9)': FILE_CONTROL_FIELDS,
} as const satisfies Record<string, RecordFields>;

export const FILE_HEADER = columnsOf(FILE_HEADER_FIELDS);
export const BATCH_HEADER = columnsOf(BATCH_HEADER_FIELDS);
/** `rdfi`: the routing number without its check digit. */
export const ENTRY = { ...columnsOf(ENTRY_FIELDS), rdfi: [4, 11] } as const;
export const ADDENDA = columnsOf(ADDENDA_FIELDS);
export const BATCH_CONTROL = columnsOf(BATCH_CONTROL_FIELDS);
export const FILE_CONTROL = columnsOf(FILE_CONTROL_FIELDS);
