import { EMPTY_MAPPING } from '../../../src/files/messages/mapping.ts';
import type { MessageContext } from '../../../src/files/messages/message-context.ts';
import { PayeeDirectory } from '../../../src/files/messages/payee-directory.ts';
import { DAYS } from '../messages/transfers.ts';

/** Records of direct entry files for tests, right unless a value is given. */

export const TRACE = { bsb: '000-100', account: '11110001' };

/** Knows the account that pays. */
export const CONTEXT: MessageContext = {
  mapping: {
    ...EMPTY_MAPPING,
    accounts: new Map([[`${TRACE.bsb}${TRACE.account}`, { uid: 'u-1001', account_id: 'acc-u1001-aud' }]]),
    beneficiaryType: 'business',
  },
  payees: new PayeeDirectory(),
  ...DAYS,
};

export interface Detail {
  bsb?: string;
  account?: string;
  indicator?: string;
  code?: string;
  cents?: bigint | string;
  title?: string;
  reference?: string;
  traceAccount?: string;
  tax?: string;
}

export const head = ({ date = '310326', description = 'PAYROLL', sequence = '01' } = {}): string =>
  `0${' '.repeat(17)}${sequence}SAM${' '.repeat(7)}${'SAMPLE PTY LTD'.padEnd(26)}301500${description.padEnd(12)}${date}${' '.repeat(40)}`;

export const detail = ({
  bsb = '000-001',
  account = '00050005',
  indicator = ' ',
  code = '50',
  cents = 156_020n,
  title = 'KIM SAMPLE',
  reference = 'SAL-2026-03-1',
  traceAccount = TRACE.account,
  tax = '00000000',
}: Detail = {}): string =>
  [
    `1${bsb}${account.padStart(9)}${indicator}${code}${typeof cents === 'string' ? cents : digits(cents, 10)}`,
    `${title.padEnd(32)}${reference.padEnd(18)}${TRACE.bsb}${traceAccount.padStart(9)}${'SAMPLE PTY LTD'.padEnd(16)}${tax}`,
  ].join('');

export const total = (credits: bigint, debits: bigint, count: number): string => {
  const net = credits > debits ? credits - debits : debits - credits;
  return `7999-999${' '.repeat(12)}${[net, credits, debits].map((cents) => digits(cents, 10)).join('')}${' '.repeat(24)}${digits(count, 6)}${' '.repeat(40)}`;
};

/** A whole file around details, with the totals that fit them. */
export function abaOf(details: readonly Detail[], lineEnd = '\r\n'): string {
  const sumOf = (debit: boolean): bigint =>
    details
      .filter(({ code }) => (code === '13') === debit)
      .reduce((sum, { cents = 156_020n }) => sum + (typeof cents === 'bigint' ? cents : 0n), 0n);
  const records = [head(), ...details.map(detail), total(sumOf(false), sumOf(true), details.length)];
  return records.map((record) => record + lineEnd).join('');
}

const digits = (value: bigint | number, width: number): string => `${value}`.padStart(width, '0');
