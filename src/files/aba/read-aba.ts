import type { OriginalMessage } from '../../domain/bank-message.ts';
import { counted } from '../../domain/display.ts';
import { formatMinor } from '../../domain/money.ts';
import {
  amountRule,
  brokenColumns,
  type Columns,
  calendarDate,
  cut,
  digitsOf,
  type FieldRule,
  filled,
  LEAVE_OUT,
  missedIn,
  RecordReader,
  readerOf,
  takeTransfer,
} from '../fixed-width/records.ts';
import { ABA_FIELDS, DETAIL, HEAD, TOTAL } from './aba-fields.ts';

/**
 * Australian direct entry (Cemtex, "ABA"): records of 120 characters, amounts in cents. Written here because the packages found
 * (aba-generator) only write such files.
 */

const ABA_WIDTH = 120;

/** Behind the date, the account and name of the remitter, and the number of records there may be only blanks. */
const FILLED_TO = { '0': HEAD.processingDate[1], '1': DETAIL.traceAccount[1], '7': TOTAL.count[1] };

const TOTAL_BSB = '999-999';

/** Credits: general, securities, family allowance, pay, pension, allotment, dividend, debenture interest. */
const CREDIT_CODES: ReadonlySet<string> = new Set(['50', '51', '52', '53', '54', '55', '56', '57']);
const DEBIT_CODE = '13';
const PAY_CODE = '53';

/** Whether a debit is to the same account that it names as the payer's. */
function isBalancing(record: string): boolean {
  const same = (one: Columns, other: Columns): boolean => cut(record, one).trim() === cut(record, other).trim();
  return (
    cut(record, DETAIL.transactionCode) === DEBIT_CODE &&
    same(DETAIL.bsb, DETAIL.traceBsb) &&
    same(DETAIL.account, DETAIL.traceAccount)
  );
}

/** By a header, or by a first record of the right length and type. */
export const looksLikeAba = (text: string): boolean =>
  /^0[ -~]{17}\d\d[A-Z]{3} {7}/.test(text) || /^[017][ -~]{119}(?:[\r\n]|$)/.test(text);

const BSB = /^\d{3}-\d{3}$/;
const unlike = (pattern: RegExp) => (value: string) => !pattern.test(value);

/** What can be wrong with one detail record by itself, or why it is not paid. */
const DETAIL_RULES: readonly FieldRule[] = [
  amountRule(DETAIL.amount),
  {
    columns: DETAIL.transactionCode,
    rule: 'debit-entry',
    message: `a debit (13) of an account other than the paying account; only credits are paid; ${LEAVE_OUT}`,
    isBroken: (code) => code === DEBIT_CODE,
    shown: true,
  },
  {
    columns: DETAIL.transactionCode,
    rule: 'unknown-transaction-code',
    message: `not one of the credit codes ${[...CREDIT_CODES].join(', ')}; ${LEAVE_OUT}`,
    isBroken: (code) => code !== DEBIT_CODE && !CREDIT_CODES.has(code),
    shown: true,
  },
  { columns: DETAIL.bsb, rule: 'bad-bsb', message: 'a BSB is written as 123-456', isBroken: unlike(BSB) },
  { columns: DETAIL.traceBsb, rule: 'bad-bsb', message: 'a trace BSB is written as 123-456', isBroken: unlike(BSB) },
  {
    columns: DETAIL.indicator,
    rule: 'bad-indicator',
    message: 'this must be blank, N (new details), W, X or Y (withholding tax)',
    isBroken: unlike(/^[ NWXY]$/),
    shown: true,
  },
  {
    columns: DETAIL.withholdingTax,
    rule: 'withholding-tax',
    message: 'the bank does not withhold tax with a payout; report it another way, and write zeros here',
    isBroken: unlike(/^ *0*$/),
  },
];

interface Head {
  message: OriginalMessage;
  /** ISO 8601; undefined if the file has no valid date. */
  processingDate: string | undefined;
}

class AbaReader extends RecordReader {
  protected readonly currency = 'AUD';
  private head: Head | undefined;
  private closed = false;
  /** Number of detail records; `row` leaves out balancing entries. */
  private details = 0;
  private credits = 0n;
  private debits = 0n;
  /** Debits to the paying account; included in `debits`. */
  private balancing = 0n;

  take(record: string, line: number): void {
    this.line = line;
    const type = record.slice(0, 1);
    if (this.closed) throw this.unreadable('record-after-total', 'nothing may follow the totals record (type 7)');
    if (this.head === undefined) {
      if (type !== '0') throw this.unreadable('bad-record', 'the first record must be a descriptive record (type 0)');
      this.head = this.takeHead(record);
    } else if (type === '1') this.takeDetail(record, this.head);
    else if (type === '7') this.takeTotal(record, this.head);
    else {
      const message = 'detail records (type 1) and one totals record (type 7) must follow the header';
      throw this.unreadable('bad-record', message);
    }
  }

  end(): void {
    if (this.head === undefined) this.lacks('no-rows', 'the file is empty');
    else if (!this.closed) this.lacks('truncated-file', 'the totals record (type 7) is missing; the file is truncated');
    else if (this.row === 0) this.lacks('no-rows', 'the file has no detail record (type 1)');
  }

  private takeHead(record: string): Head {
    const written = cut(record, HEAD.processingDate);
    const [day, month, year] = [written.slice(0, 2), written.slice(2, 4), written.slice(4)];
    const processingDate = calendarDate(year, month, day);
    if (processingDate === undefined) {
      const message = 'the processing date is not a valid date in the form DDMMYY';
      this.found({ columns: HEAD.processingDate, rule: 'bad-date', message, value: written });
    }
    const messageId = [HEAD.userId, HEAD.processingDate, HEAD.reelSequence, HEAD.description]
      .map((columns) => cut(record, columns).trim())
      .join('.');
    const message: OriginalMessage = {
      format: 'aba',
      messageId,
      createdAt: processingDate === undefined ? '' : `${processingDate}T00:00:00`,
      transactions: '',
      payments: [{ paymentId: messageId }],
    };
    this.sink.message(message);
    this.missed(missedIn(ABA_FIELDS['descriptive record (0)'], record));
    return { message, processingDate };
  }

  private takeDetail(record: string, { message, processingDate }: Head): void {
    this.details += 1;
    const field = (columns: Columns): string => cut(record, columns).trim();
    const transactionCode = field(DETAIL.transactionCode);
    const cents = cut(record, DETAIL.amount);
    const value = digitsOf(cents) ?? 0n;
    if (transactionCode === DEBIT_CODE) this.debits += value;
    else this.credits += value;
    if (isBalancing(record)) {
      this.balancing += value;
      return;
    }
    this.row += 1;
    const { row, line, sink, context, currency } = this;
    const lodgementReference = field(DETAIL.lodgementReference);
    const debtorAccount = `${field(DETAIL.traceBsb)} ${field(DETAIL.traceAccount)}`;
    const [payment] = message.payments;
    if (payment !== undefined) payment.account ??= debtorAccount;
    const transfer = {
      row,
      line,
      messageId: message.messageId,
      payment: 0,
      debtorAccount,
      cents,
      currency,
      requestedExecution: processingDate,
      service: {},
      creditor: {
        name: filled(cut(record, DETAIL.title)),
        type: transactionCode === PAY_CODE ? ('personal' as const) : undefined,
        account: filled(cut(record, DETAIL.account)),
        clearing: { system: 'AUBSB', member: field(DETAIL.bsb) },
        bankCountry: 'AU',
      },
      endToEndId: lodgementReference,
      remittance: filled(lodgementReference),
    };
    const missed = missedIn(ABA_FIELDS['detail record (1)'], record);
    takeTransfer({ sink, context }, transfer, brokenColumns(record, DETAIL_RULES), missed);
  }

  private takeTotal(record: string, head: Head): void {
    this.closed = true;
    const net = this.credits - this.debits;
    if (cut(record, TOTAL.bsb) !== TOTAL_BSB) {
      this.found({ columns: TOTAL.bsb, rule: 'bad-record', message: `a totals record has ${TOTAL_BSB} here` });
    }
    this.checkSum(record, TOTAL.net, net < 0n ? -net : net, 'the net total of the detail records is');
    this.checkSum(record, TOTAL.credits, this.credits, 'the credit total of the detail records is');
    this.checkSum(record, TOTAL.debits, this.debits, 'the debit total of the detail records is');
    if (this.balancing !== 0n && this.balancing !== this.credits) {
      const wrong = `the paying account is debited with ${formatMinor(this.balancing, this.currency)}, which is not the sum of the credits`;
      this.found({ columns: TOTAL.debits, rule: 'unbalanced-debit', message: wrong });
    }
    const message = `the file has ${counted(this.details, 'detail record')} (type 1)`;
    this.checkTotal(record, TOTAL.count, BigInt(this.details), { rule: 'wrong-transaction-count', message });
    const credits = digitsOf(cut(record, TOTAL.credits));
    this.sink.message({
      ...head.message,
      transactions: `${this.row}`,
      ...(credits === undefined ? {} : { controlSum: formatMinor(credits, this.currency) }),
    });
  }
}

/**
 * Reads an Australian direct entry file ("ABA"): one descriptive record, credits, one totals record. A debit to the paying
 * account balances the credits, as some banks require, and is not a row; any other debit is a finding about its row. What
 * makes totals or layout doubtful is a finding about the file.
 */
export const readAba = readerOf({ width: ABA_WIDTH, filledTo: FILLED_TO }, AbaReader);
