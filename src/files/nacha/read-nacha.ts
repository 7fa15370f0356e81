import type { OriginalMessage } from '../../domain/bank-message.ts';
import { formatMinor } from '../../domain/money.ts';
import { type Columns, calendarDate, cut, digitsOf } from '../fixed-width/lines.ts';
import { RecordReader, readerOf } from '../fixed-width/record-reader.ts';
import { ControlTotals } from './control-totals.ts';
import {
  BATCH_CONTROL,
  BATCH_HEADER,
  BLOCKING_FACTOR,
  FILE_CONTROL,
  FILE_HEADER,
  FORMAT,
  NACHA_WIDTH,
  PADDING,
} from './nacha-layout.ts';
import { type EntryBatch, pendingEntry } from './pending-entry.ts';

/** Position in the file, which decides what may come next. */
type Position = 'start' | 'file' | 'batch' | 'end';

interface Batch extends EntryBatch {
  header: string;
  totals: ControlTotals;
  rows: number;
}

class NachaReader extends RecordReader {
  protected readonly currency = 'USD';
  private position: Position = 'start';
  private message: OriginalMessage | undefined;
  /** None for other entry classes: their records have another layout and are skipped, and the file is refused. */
  private batch: Batch | undefined;
  private entry: ReturnType<typeof pendingEntry> | undefined;
  private readonly totals = new ControlTotals();
  /** Every batch was read, so the file's totals can be checked. */
  private isComplete = true;
  private records = 0;
  private padding = 0;

  take(record: string, line: number): void {
    this.line = line;
    const type = record.slice(0, 1);
    if (this.position === 'end') {
      if (record !== PADDING)
        throw this.unreadable('record-after-total', 'only lines of nines may follow the file control');
      this.padding += 1;
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
    else if (this.padding > 0 && (this.records + this.padding) % BLOCKING_FACTOR !== 0)
      this.lacks('wrong-block-count', `lines of nines must fill the last block of ${BLOCKING_FACTOR}`);
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
  }

  private openBatch(record: string): void {
    const entryClass = cut(record, BATCH_HEADER.entryClass);
    const effectiveDate = this.dateOf(record, BATCH_HEADER.effectiveDate);
    const companyId = cut(record, BATCH_HEADER.companyId).trim();
    const payments = this.message?.payments ?? [];
    payments.push({ paymentId: `${companyId}.${cut(record, BATCH_HEADER.batchNumber).trim()}` });
    this.position = 'batch';
    this.batch = undefined;
    if (entryClass !== 'PPD' && entryClass !== 'CCD') {
      const message = 'only batches of entry class PPD and CCD are supported; send the others to the bank another way';
      this.found({ columns: BATCH_HEADER.entryClass, rule: 'unsupported-entry-class', message, value: entryClass });
      this.isComplete = false;
      return;
    }
    this.batch = {
      header: record,
      totals: new ControlTotals(),
      rows: 0,
      payment: payments.length - 1,
      companyId,
      entryClass,
      fileId: this.message?.messageId ?? '',
      effectiveDate,
    };
  }

  private openEntry(record: string): void {
    const { batch } = this;
    if (batch === undefined) return;
    this.row += 1;
    batch.rows += 1;
    batch.totals.add(record);
    this.totals.add(record);
    const { line, row } = this;
    this.entry = pendingEntry(record, { line, row }, batch);
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

  /** Hands over the previous entry, now that all its addenda are known. */
  private takeEntry(): void {
    this.entry?.take(this.sink, this.context);
    this.entry = undefined;
  }

  private closeBatch(record: string): void {
    const { batch } = this;
    this.position = 'file';
    if (batch === undefined) return;
    for (const [name, columns] of BATCH_TWINS) {
      if (cut(record, columns) === cut(batch.header, BATCH_HEADER[name])) continue;
      this.found({ columns, rule: 'batch-mismatch', message: 'the batch header has a different value here' });
    }
    this.compare(record, BATCH_CONTROL, batch.totals, 'batch');
    const payment = this.message?.payments[batch.payment];
    if (payment === undefined) return;
    payment.transactions = `${batch.rows}`;
    payment.controlSum = formatMinor(batch.totals.credits, this.currency);
  }

  private closeFile(record: string): void {
    this.position = 'end';
    const { message, totals } = this;
    if (message === undefined) return;
    const batches = BigInt(message.payments.length);
    const blocks = BigInt(Math.ceil(this.records / BLOCKING_FACTOR));
    if (digitsOf(cut(record, FILE_CONTROL.batches)) !== batches) {
      const wrong = `the file has ${batches} batches`;
      this.found({ columns: FILE_CONTROL.batches, rule: 'wrong-batch-count', message: wrong });
    }
    if (digitsOf(cut(record, FILE_CONTROL.blocks)) !== blocks) {
      const wrong = `the file has ${blocks} blocks of ${BLOCKING_FACTOR} records`;
      this.found({ columns: FILE_CONTROL.blocks, rule: 'wrong-block-count', message: wrong });
    }
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
    const count = `the ${of} has ${entries} entries and addenda`;
    const sum = `the routing numbers of the ${of} do not add up to this hash`;
    this.checkTotal(record, columns.entries, BigInt(entries), { rule: 'wrong-transaction-count', message: count });
    this.checkTotal(record, columns.hash, hash % HASH_MODULUS, { rule: 'wrong-entry-hash', message: sum });
    this.checkSum(record, columns.debits, debits, `the debits of the ${of} add up to`);
    this.checkSum(record, columns.credits, credits, `the credits of the ${of} add up to`);
  }

  /** YYMMDD; undefined if blank. */
  private dateOf(record: string, columns: Columns): string | undefined {
    const value = cut(record, columns);
    if (value.trim() === '') return undefined;
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
  start: 'a file header (type 1)',
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
 * Reads a NACHA file: credits of PPD and CCD batches. Debits, prenotes and returns are findings about their rows; whatever makes
 * totals, layout or a batch doubtful is a finding about the file.
 */
export const readNacha = readerOf({ width: NACHA_WIDTH, mayRunOn: true }, NachaReader);
