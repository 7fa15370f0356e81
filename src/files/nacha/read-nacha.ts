import { isRoutingNumber } from '../../domain/bank-identifiers.ts';
import type { OriginalMessage } from '../../domain/bank-message.ts';
import { counted } from '../../domain/display.ts';
import { aboutFile, printable } from '../../domain/finding.ts';
import { formatMinor } from '../../domain/money.ts';
import {
  amountRule,
  type BrokenColumns,
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
import type { RowSink } from '../input.ts';
import type { MessageContext } from '../messages/message-context.ts';
import {
  ADDENDA,
  BATCH_CONTROL,
  BATCH_HEADER,
  ENTRY,
  FILE_CONTROL,
  FILE_HEADER,
  NACHA_FIELDS,
} from './nacha-fields.ts';

/**
 * NACHA (US ACH): records of 94 characters in blocks of ten, amounts in cents. Written here because packages such as node-nacha
 * take the file as one text, check none of its totals and give no lines.
 */

const NACHA_WIDTH = 94;
const BLOCKING_FACTOR = 10;
/** What fills the last block, or is left of it. */
const PADDING = /^9+ *$/;

export const FORMAT = '094101';
const REMITTANCE_ADDENDA = '05';

/** Behind the format of a file header there may be only blanks; of a line of nines anything may be left. */
const FILLED_TO = { '1': FILE_HEADER.format[1], '9': 1 };

/** By a header, or by a first record of the right length and type: a part of a file lacks its header. */
export const looksLikeNacha = (text: string): boolean =>
  /^101[ -~]{31}094101/.test(text) || /^[15678]\d\d[ -~]{91}(?:[\r\n]|$)/.test(text);

const RETURN_ENTRY = {
  rule: 'return-entry',
  message: `returns and notifications of change come from a bank and are not payouts; ${LEAVE_OUT}`,
};

const DEBIT_ENTRY = {
  rule: 'debit-entry',
  message: `a debit, and not the one of your own account that is exactly the sum of the credits; only credits are paid; ${LEAVE_OUT}`,
};

/** A rule about the transaction code. First digit: checking 2, savings 3, general ledger 4, loan 5. Second digit: its kind. */
const transactionCode = (refused: RegExp, what: { rule: string; message: string }): FieldRule => ({
  columns: ENTRY.transactionCode,
  ...what,
  isBroken: (code) => refused.test(code),
  shown: true,
});

/** What can be wrong with one entry by itself, or why it is not paid. */
const ENTRY_RULES: readonly FieldRule[] = [
  transactionCode(/^[2-5][38]$/, {
    rule: 'prenote-entry',
    message: `a prenote moves no money and cannot be sent; ${LEAVE_OUT}`,
  }),
  transactionCode(/^[2-5][57]$/, DEBIT_ENTRY),
  transactionCode(/^[2-5][16]$/, RETURN_ENTRY),
  transactionCode(/^(?![23]2$|[2-5][135678]$)/, {
    rule: 'unknown-transaction-code',
    message: `only credits to a checking (22) or savings account (32) are paid; ${LEAVE_OUT}`,
  }),
  {
    columns: ENTRY.routing,
    rule: 'bad-routing-number',
    message: 'a routing number has nine digits, the last of which is a check digit; ask the payee for it',
    isBroken: (number) => !isRoutingNumber(number),
  },
  amountRule(ENTRY.amount),
  {
    columns: ENTRY.trace,
    rule: 'bad-trace-number',
    message: 'a trace number has fifteen digits',
    isBroken: (trace) => !/^\d{15}$/.test(trace),
    shown: true,
  },
];

/**
 * What a batch control and the file control repeat: number of entries with their addenda, sum of routing numbers, amounts in
 * cents.
 */
export class ControlTotals {
  entries = 0;
  hash = 0n;
  debits = 0n;
  credits = 0n;

  add(record: string): void {
    const cents = digitsOf(cut(record, ENTRY.amount)) ?? 0n;
    this.entries += 1;
    this.hash += digitsOf(cut(record, ENTRY.rdfi)) ?? 0n;
    if (isDebit(cut(record, ENTRY.transactionCode))) this.debits += cents;
    else this.credits += cents;
  }
}

/** The second digit of a transaction code distinguishes debits (5 to 9) from credits. */
const isDebit = (transactionCode: string): boolean => transactionCode.slice(1) >= '5';

interface EntryBatch {
  /** Index among the message's payments, from 0. */
  payment: number;
  fileId: string;
  companyId: string;
  entryClass: string;
  /** What its header asks for and the bank's API has no place for. */
  missed: readonly BrokenColumns[];
  /** ISO 8601. */
  effectiveDate: string | undefined;
}

/** Entry classes that are paid, and who is paid by them. Entries of the others have another layout behind the amount. */
const PAYEE_TYPES: Readonly<Record<string, 'personal' | 'business'>> = { PPD: 'personal', CCD: 'business' };

/** In automated accounting advices the amounts have other columns: their totals cannot be checked. */
const ADVICES = 'ADV';

/** An entry whose addenda may still follow. */
function pendingEntry(record: string, line: number, batch: EntryBatch) {
  const findings: (BrokenColumns & { line?: number })[] = brokenColumns(record, ENTRY_RULES);
  let addendaRecords = 0;
  let remittance = '';
  return {
    record,
    line,
    payment: batch.payment,

    addenda(addenda: string, at: number): void {
      addendaRecords += 1;
      const type = cut(addenda, ADDENDA.type);
      const found = (broken: BrokenColumns): void => void findings.push({ ...broken, line: at });
      if (type === '98' || type === '99') found({ columns: ADDENDA.type, ...RETURN_ENTRY, value: type });
      else if (type !== REMITTANCE_ADDENDA) found({ columns: ADDENDA.type, ...UNKNOWN_ADDENDA, value: type });
      if (addendaRecords > 1) found({ columns: ADDENDA.type, ...ONE_ADDENDA });
      if (cut(addenda, ADDENDA.entrySequence) !== cut(record, ENTRY.trace).slice(-7)) {
        found({ columns: ADDENDA.entrySequence, ...OTHER_ENTRY });
      }
      remittance = cut(addenda, ADDENDA.information).trim();
    },

    /** Hands the entry over as a row; no more addenda may follow. */
    take(row: number, sink: RowSink, context: MessageContext): void {
      const type = PAYEE_TYPES[batch.entryClass];
      if (type === undefined) {
        sink.finding({ line, row, column: null, value: printable(batch.entryClass), ...UNSUPPORTED_CLASS });
        return;
      }
      const indicator = cut(record, ENTRY.addendaIndicator);
      if (indicator !== (addendaRecords > 0 ? '1' : '0')) {
        findings.push({ columns: ENTRY.addendaIndicator, ...WRONG_INDICATOR, value: indicator });
      }
      const transfer = {
        line,
        row,
        messageId: batch.fileId,
        payment: batch.payment,
        debtorAccount: batch.companyId,
        cents: cut(record, ENTRY.amount),
        currency: 'USD',
        requestedExecution: batch.effectiveDate,
        service: { localInstrument: batch.entryClass },
        creditor: {
          name: filled(cut(record, ENTRY.name)),
          type,
          account: filled(cut(record, ENTRY.account)),
          clearing: { system: 'USABA', member: cut(record, ENTRY.routing) },
          bankCountry: 'US',
        },
        endToEndId: cut(record, ENTRY.trace).trim(),
        // Trace numbers begin anew in each file: next month's equal salary would count as already taken.
        isOfFile: true,
        instructionId: filled(cut(record, ENTRY.individualId)),
        remittance: filled(remittance),
      };
      takeTransfer({ sink, context }, transfer, findings, [
        ...batch.missed,
        ...missedIn(NACHA_FIELDS['entry (6)'], record),
      ]);
    },
  };
}

type Entry = ReturnType<typeof pendingEntry>;

const UNSUPPORTED_CLASS = {
  rule: 'unsupported-entry-class',
  message:
    'only batches of entry class PPD and CCD are paid; export the payees of this batch as PPD or CCD, or send the batch to the bank another way',
};

const UNKNOWN_ADDENDA = { rule: 'unknown-addenda', message: 'only addenda of type 05 (remittance) are supported' };
const ONE_ADDENDA = { rule: 'unknown-addenda', message: 'a PPD or CCD entry has at most one addenda record' };
const OTHER_ENTRY = {
  rule: 'addenda-mismatch',
  message: 'this must be the last seven digits of the trace number of the entry above',
};
const WRONG_INDICATOR = {
  rule: 'addenda-mismatch',
  message: 'this must be 1 if an addenda record (type 7) follows, otherwise 0',
};

/** Of a service class: no debits in the batch. */
const CREDITS_ONLY = '220';
const OFFSET = {
  rule: 'offset-debit',
  message:
    'this debit balances the credits and is not carried out: each payout is paid from the account that the mapping file names',
};

const accountIn = ({ record }: Entry): string => cut(record, ENTRY.routing) + cut(record, ENTRY.account).trim();

/** Debits of one account, which together may offset the credits of a batch or of a company. */
class Offsets {
  cents = 0n;
  private entries: Entry[] = [];

  /** Accounts of the batch's credits: a debit of one takes back what was paid on trial, and offsets nothing. */
  readonly paid = new Set<string>();

  get isEmpty(): boolean {
    return this.entries.length === 0;
  }

  get isOwn(): boolean {
    const [first] = this.entries;
    return first !== undefined && !this.paid.has(accountIn(first));
  }

  /** False for what is no debit, or one of another account than the debits before: those are to be released. */
  hold(entry: Entry): boolean {
    const { record } = entry;
    const [first = entry] = this.entries;
    if (!OFFSET_CODE.test(cut(record, ENTRY.transactionCode)) || accountIn(first) !== accountIn(entry)) return false;
    if (this.entries.length === OFFSETS_MAX) return false;
    this.entries.push(entry);
    this.cents += digitsOf(cut(record, ENTRY.amount)) ?? 0n;
    return true;
  }

  release(): Entry[] {
    const { entries } = this;
    this.entries = [];
    this.cents = 0n;
    return entries;
  }
}

/** Debits of a checking (27), savings (37) or general ledger account (47). */
const OFFSET_CODE = /^[2-4]7$/;
/** Debits of several accounts, or of a loan (55), offset nothing. */
const OTHER_DEBIT = /^[2-5][57]$/;
/** One for each batch; more are held by nobody's memory. */
const OFFSETS_MAX = 1_000;

/** Position in the file, which decides what may come next. */
type Position = 'start' | 'file' | 'batch' | 'end';

interface Batch extends EntryBatch {
  header: string;
  totals: ControlTotals;
  /** Debits that may offset the credits. */
  offsets: Offsets | undefined;
}

class NachaReader extends RecordReader {
  protected readonly currency = 'USD';
  private position: Position = 'start';
  private message: OriginalMessage | undefined;
  /** None for advices: their records are skipped, and the file is refused. */
  private batch: Batch | undefined;
  private entry: Entry | undefined;
  /** By company: what no debit of the same batch offsets. */
  private readonly open = new Map<string, { credits: bigint; offsets: Offsets }>();
  private readonly totals = new ControlTotals();
  /** Every batch was read, so the file's totals can be checked. */
  private isComplete = true;
  private records = 0;

  take(record: string, line: number): void {
    this.line = line;
    const type = record.slice(0, 1);
    if (this.position === 'end') {
      if (!PADDING.test(record))
        throw this.unreadable('record-after-total', 'only lines of nines may follow the file control');
      return;
    }
    this.records += 1;
    if (type !== '7') this.takeEntry();
    const taker = TAKERS[`${this.position} ${type}`];
    if (taker === undefined) throw this.unreadable('bad-record', `${EXPECTED[this.position]} is expected here`);
    this[taker](record);
  }

  end(): void {
    if (this.position === 'start') this.lacks('no-rows', 'the file is empty');
    else if (this.position !== 'end')
      this.lacks('truncated-file', 'the file control (type 9) is missing; the file is truncated');
    else if (this.row === 0 && this.isComplete) this.lacks('no-rows', 'the file has no entry (type 6)');
  }

  private openFile(record: string): void {
    const format = cut(record, FILE_HEADER.format);
    if (format !== FORMAT) throw this.unreadable('bad-record', `columns 35 to 40 of a file header must be ${FORMAT}`);
    const text = (columns: Columns): string => cut(record, columns).trim();
    const created = this.dateOf(record, FILE_HEADER.creationDate) ?? '';
    const [, hour, minute] = /^([01]\d|2[0-3])([0-5]\d)$/.exec(text(FILE_HEADER.creationTime)) ?? [];
    const messageId = [
      text(FILE_HEADER.origin),
      text(FILE_HEADER.creationDate) + text(FILE_HEADER.creationTime),
      text(FILE_HEADER.modifier),
    ].join('.');
    const createdAt = created === '' ? '' : `${created}T${hour ?? '00'}:${minute ?? '00'}:00`;
    this.message = { format: 'nacha', messageId, createdAt, transactions: '', payments: [] };
    this.sink.message(this.message);
    this.position = 'file';
    this.missed(missedIn(NACHA_FIELDS['file header (1)'], record));
  }

  private openBatch(record: string): void {
    const entryClass = cut(record, BATCH_HEADER.entryClass);
    const isPaid = PAYEE_TYPES[entryClass] !== undefined;
    const effectiveDate = isPaid ? this.dateOf(record, BATCH_HEADER.effectiveDate) : undefined;
    const companyId = cut(record, BATCH_HEADER.companyId).trim();
    const payments = this.message?.payments ?? [];
    payments.push({
      paymentId: `${companyId}.${cut(record, BATCH_HEADER.batchNumber).trim()}`,
      transactions: '0',
    });
    this.position = 'batch';
    this.batch = undefined;
    if (entryClass === ADVICES) {
      this.found({ columns: BATCH_HEADER.entryClass, ...UNSUPPORTED_CLASS, value: entryClass });
      this.isComplete = false;
      return;
    }
    this.batch = {
      header: record,
      totals: new ControlTotals(),
      offsets: cut(record, BATCH_HEADER.serviceClass) === CREDITS_ONLY ? undefined : new Offsets(),
      payment: payments.length - 1,
      companyId,
      entryClass,
      missed: missedIn(NACHA_FIELDS['batch header (5)'], record),
      fileId: this.message?.messageId ?? '',
      effectiveDate,
    };
  }

  private openEntry(record: string): void {
    const { batch } = this;
    if (batch === undefined) return;
    batch.totals.add(record);
    this.totals.add(record);
    this.entry = pendingEntry(record, this.line, batch);
  }

  private takeAddenda(record: string): void {
    const { batch } = this;
    if (batch === undefined) return;
    if (this.entry === undefined)
      throw this.unreadable('bad-record', 'an addenda record (type 7) must follow an entry (type 6)');
    batch.totals.entries += 1;
    this.totals.entries += 1;
    this.entry.addenda(record, this.line);
  }

  /** Hands over the previous entry, now that all its addenda are known. What may offset the credits waits for their sum. */
  private takeEntry(): void {
    const { entry, batch } = this;
    this.entry = undefined;
    if (entry === undefined || batch === undefined) return;
    if (batch.offsets?.hold(entry)) return;
    batch.offsets?.paid.add(accountIn(entry));
    if (OTHER_DEBIT.test(cut(entry.record, ENTRY.transactionCode))) {
      for (const held of batch.offsets?.release() ?? []) this.takeRow(held);
      batch.offsets = undefined;
    }
    this.takeRow(entry);
  }

  private takeRow(entry: Entry): void {
    this.row += 1;
    const payment = this.message?.payments[entry.payment];
    if (payment !== undefined) payment.transactions = `${Number(payment.transactions) + 1}`;
    entry.take(this.row, this.sink, this.context);
  }

  /** Held debits of the sum of the credits are no rows, as in ABA; others are, and are refused as such. */
  private settle(offsets: Offsets, credits: bigint): void {
    if (offsets.cents === credits) {
      for (const { line } of offsets.release()) this.sink.warning(aboutFile(line, OFFSET.rule, OFFSET.message));
    } else for (const held of offsets.release()) this.takeRow(held);
  }

  /** What a batch does not offset itself may be offset by a batch of the company that has only debits. */
  private keepOpen({ companyId, offsets, totals }: Batch): void {
    const { credits } = totals;
    if (offsets?.isOwn && offsets.cents === credits) {
      this.settle(offsets, credits);
      return;
    }
    const open = this.open.get(companyId) ?? { credits: 0n, offsets: new Offsets() };
    this.open.set(companyId, open);
    open.credits += credits;
    const isPayees = offsets !== undefined && !offsets.isEmpty && !offsets.isOwn;
    const held = offsets?.release() ?? [];
    if (!isPayees && held.every((entry) => open.offsets.hold(entry))) return;
    for (const entry of isPayees ? held : [...open.offsets.release(), ...held]) this.takeRow(entry);
  }

  private closeBatch(record: string): void {
    const { batch } = this;
    this.position = 'file';
    if (batch === undefined) return;
    // An international batch (IAT) repeats nothing of its header.
    for (const [name, columns] of PAYEE_TYPES[batch.entryClass] === undefined ? [] : BATCH_TWINS) {
      if (cut(record, columns) === cut(batch.header, BATCH_HEADER[name])) continue;
      this.found({ columns, rule: 'batch-mismatch', message: 'the batch header has a different value here' });
    }
    this.compare(record, BATCH_CONTROL, batch.totals, 'batch');
    this.missed(missedIn(NACHA_FIELDS['batch control (8)'], record));
    this.keepOpen(batch);
    const payment = this.message?.payments[batch.payment];
    if (payment === undefined) return;
    payment.controlSum = formatMinor(batch.totals.credits, this.currency);
  }

  private closeFile(record: string): void {
    this.position = 'end';
    for (const { offsets, credits } of this.open.values()) this.settle(offsets, credits);
    const { message, totals } = this;
    if (message === undefined) return;
    const batches = message.payments.length;
    const blocks = Math.ceil(this.records / BLOCKING_FACTOR);
    const inBatches = `the file has ${counted(batches, 'batch', 'batches')}`;
    const inBlocks = `the file has ${counted(blocks, 'block')} of ${BLOCKING_FACTOR} records`;
    this.checkTotal(record, FILE_CONTROL.batches, BigInt(batches), { rule: 'wrong-batch-count', message: inBatches });
    this.checkTotal(record, FILE_CONTROL.blocks, BigInt(blocks), { rule: 'wrong-block-count', message: inBlocks });
    if (this.isComplete) this.compare(record, FILE_CONTROL, totals, 'file');
    this.sink.message({
      ...message,
      transactions: `${this.row}`,
      controlSum: formatMinor(totals.credits, this.currency),
    });
  }

  private compare(
    record: string,
    columns: typeof BATCH_CONTROL | typeof FILE_CONTROL,
    { entries, hash, debits, credits }: ControlTotals,
    of: 'batch' | 'file',
  ): void {
    const count = `the ${of} has ${counted(entries, 'record')} of entries and addenda`;
    const sum = `the routing numbers of the ${of} do not add up to this hash`;
    this.checkTotal(record, columns.entries, BigInt(entries), { rule: 'wrong-transaction-count', message: count });
    this.checkTotal(record, columns.hash, hash % HASH_MODULUS, { rule: 'wrong-entry-hash', message: sum });
    this.checkSum(record, columns.debits, debits, `the debits of the ${of} add up to`);
    this.checkSum(record, columns.credits, credits, `the credits of the ${of} add up to`);
  }

  /** YYMMDD; undefined if blank or zero. */
  private dateOf(record: string, columns: Columns): string | undefined {
    const value = cut(record, columns);
    if (/^[ 0]*$/.test(value)) return undefined;
    const date = calendarDate(value.slice(0, 2), value.slice(2, 4), value.slice(4));
    if (date === undefined)
      this.found({ columns, rule: 'bad-date', message: 'not a valid date in the form YYMMDD', value });
    return date;
  }
}

/** Only the last ten digits of the entry hash are kept. */
const HASH_MODULUS = 10n ** 10n;

/** The method for a record, by position and record type. */
const TAKERS: Readonly<
  Record<string, 'openFile' | 'openBatch' | 'openEntry' | 'takeAddenda' | 'closeBatch' | 'closeFile'>
> = {
  'start 1': 'openFile',
  'file 5': 'openBatch',
  'batch 6': 'openEntry',
  'batch 7': 'takeAddenda',
  'batch 8': 'closeBatch',
  'file 9': 'closeFile',
};

const EXPECTED: Readonly<Record<Exclude<Position, 'end'>, string>> = {
  start: 'a file header (type 1), as a whole file begins with,',
  file: 'a batch header (type 5) or the file control (type 9)',
  batch: 'an entry (type 6), its addenda (type 7) or the batch control (type 8)',
};

/** Fields of a batch header that its control repeats. */
const BATCH_TWINS = [
  ['serviceClass', BATCH_CONTROL.serviceClass],
  ['companyId', BATCH_CONTROL.companyId],
  ['odfi', BATCH_CONTROL.odfi],
  ['batchNumber', BATCH_CONTROL.batchNumber],
] as const;

/**
 * Reads a NACHA file: credits of PPD and CCD batches. Entries of other classes, debits, prenotes and returns are findings about
 * their rows; debits of one account that are the sum of the credits, of their batch or of their company, offset them and are no
 * rows. What makes totals, layout or a batch doubtful is a finding about the file.
 */
export const readNacha = readerOf({ width: NACHA_WIDTH, filledTo: FILLED_TO }, NachaReader);
