import { EMPTY_MAPPING } from '../../../src/files/messages/mapping.ts';
import type { MessageContext } from '../../../src/files/messages/message-context.ts';
import { PayeeDirectory } from '../../../src/files/messages/payee-directory.ts';
import { DAYS } from '../messages/transfers.ts';

/** Records of NACHA files for tests, right unless a value is given. */

export const COMPANY = '1000000001';

/** Knows the company that pays. */
export const CONTEXT: MessageContext = {
  mapping: {
    ...EMPTY_MAPPING,
    accounts: new Map([[COMPANY, { uid: 'u-1001', account_id: 'acc-u1001-usd' }]]),
  },
  payees: new PayeeDirectory(),
  ...DAYS,
};

export interface Entry {
  code?: string;
  routing?: string;
  account?: string;
  cents?: bigint | string;
  id?: string;
  name?: string;
  indicator?: string;
  trace?: string;
  addenda?: string[];
}

export interface BatchOf {
  entryClass?: string;
  date?: string;
  company?: string;
  serviceClass?: string;
  entries: Entry[];
}

const ODFI = '00000001';

export const fileHeader = ({ date = '260330', time = '0905', format = '094101' } = {}): string =>
  `101 000000013${COMPANY}${date}${time}A${format}${'SAMPLE BANK'.padEnd(23)}${'SAMPLE INC'.padEnd(23)}${' '.repeat(8)}`;

export const batchHeader = (
  { entryClass = 'PPD', date = '260331', company = COMPANY, serviceClass = '220' }: BatchOf,
  number: number,
): string =>
  `5${serviceClass}${'SAMPLE INC'.padEnd(16)}${' '.repeat(20)}${company}${entryClass}${'PAYROLL'.padEnd(10)}${' '.repeat(6)}${date}   1${ODFI}${digits(number, 7)}`;

export const entry = (
  {
    code = '22',
    routing = '000000013',
    account = '00020002',
    cents = 187_550n,
    id = 'EMP-1',
    name = 'MARIA SAMPLE',
    trace,
    addenda = [],
    indicator = addenda.length > 0 ? '1' : '0',
  }: Entry,
  sequence: number,
): string =>
  `6${code}${routing}${account.padEnd(17)}${typeof cents === 'string' ? cents : digits(cents, 10)}${id.padEnd(15)}${name.padEnd(22)}  ${indicator}${trace ?? traceOf(sequence)}`;

export const addenda = (information: string, sequence: number, type = '05'): string =>
  `7${type}${information.padEnd(80)}0001${digits(sequence, 7)}`;

interface Sums {
  records: number;
  hash: bigint;
  debits: bigint;
  credits: bigint;
}

const controlSums = ({ records, hash, debits, credits }: Sums, width: number): string =>
  digits(records, width) + digits(hash % 10n ** 10n, 10) + digits(debits, 12) + digits(credits, 12);

/** A whole file around batches, with the totals that fit them; entries are numbered through. */
export function nachaOf(batches: readonly BatchOf[], { lineEnd = '\n', padded = true } = {}): string {
  const records = [fileHeader()];
  const all: Sums = { records: 0, hash: 0n, debits: 0n, credits: 0n };
  let sequence = 0;
  for (const [index, batch] of batches.entries()) {
    const sums: Sums = { records: 0, hash: 0n, debits: 0n, credits: 0n };
    records.push(batchHeader(batch, index + 1));
    for (const one of batch.entries) {
      sequence += 1;
      const { code = '22', cents = 187_550n, routing = '000000013', addenda: infos = [] } = one;
      records.push(entry(one, sequence), ...infos.map((info) => addenda(info, sequence)));
      sums.records += 1 + infos.length;
      sums.hash += BigInt(routing.slice(0, 8));
      const amount = typeof cents === 'bigint' ? cents : 0n;
      if (code.slice(1) >= '5') sums.debits += amount;
      else sums.credits += amount;
    }
    const { company = COMPANY, serviceClass = '220' } = batch;
    records.push(`8${serviceClass}${controlSums(sums, 6)}${company}${' '.repeat(25)}${ODFI}${digits(index + 1, 7)}`);
    all.records += sums.records;
    all.hash += sums.hash;
    all.debits += sums.debits;
    all.credits += sums.credits;
  }
  const blocks = Math.ceil((records.length + 1) / 10);
  records.push(`9${digits(batches.length, 6)}${digits(blocks, 6)}${controlSums(all, 8)}${' '.repeat(39)}`);
  while (padded && records.length % 10 !== 0) records.push('9'.repeat(94));
  return records.map((record) => record + lineEnd).join('');
}

export const traceOf = (sequence: number): string => `${ODFI}${digits(sequence, 7)}`;

const digits = (value: bigint | number, width: number): string => `${value}`.padStart(width, '0');
