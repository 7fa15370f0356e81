import { type BrokenColumns, brokenColumns, cut, filled } from '../fixed-width/lines.ts';
import { takeTransfer } from '../fixed-width/transfer-sink.ts';
import type { RowSink } from '../input.ts';
import type { MessageContext } from '../messages/message-context.ts';
import { ENTRY_RULES, RETURN_ENTRY } from './entry-rules.ts';
import { ADDENDA, ENTRY, REMITTANCE_ADDENDA } from './nacha-layout.ts';

export interface EntryBatch {
  /** Index among the message's payments, from 0. */
  payment: number;
  fileId: string;
  companyId: string;
  entryClass: 'PPD' | 'CCD';
  /** ISO 8601. */
  effectiveDate: string | undefined;
}

/** An entry whose addenda may still follow. */
export class PendingEntry {
  private readonly record: string;
  private readonly place: { line: number; row: number };
  private readonly batch: EntryBatch;
  private readonly findings: (BrokenColumns & { line?: number })[];
  private addendaRecords = 0;
  private remittance = '';

  constructor(record: string, place: { line: number; row: number }, batch: EntryBatch) {
    this.record = record;
    this.place = place;
    this.batch = batch;
    this.findings = brokenColumns(record, ENTRY_RULES);
  }

  addenda(record: string, line: number): void {
    this.addendaRecords += 1;
    const type = cut(record, ADDENDA.type);
    const found = (broken: BrokenColumns): void => void this.findings.push({ ...broken, line });
    if (type === '98' || type === '99') found({ columns: ADDENDA.type, ...RETURN_ENTRY, value: type });
    else if (type !== REMITTANCE_ADDENDA) found({ columns: ADDENDA.type, ...UNKNOWN_ADDENDA, value: type });
    if (this.addendaRecords > 1) found({ columns: ADDENDA.type, ...ONE_ADDENDA });
    if (cut(record, ADDENDA.entrySequence) !== cut(this.record, ENTRY.trace).slice(-7)) {
      found({ columns: ADDENDA.entrySequence, ...OTHER_ENTRY });
    }
    this.remittance = cut(record, ADDENDA.information).trim();
  }

  /** Hands the entry over as a row; no more addenda may follow. */
  take(sink: RowSink, context: MessageContext): void {
    const indicator = cut(this.record, ENTRY.addendaIndicator);
    if (indicator !== (this.addendaRecords > 0 ? '1' : '0')) {
      this.findings.push({ columns: ENTRY.addendaIndicator, ...WRONG_INDICATOR, value: indicator });
    }
    const { record, place, batch } = this;
    const transfer = {
      ...place,
      messageId: batch.fileId,
      payment: batch.payment,
      debtorAccount: batch.companyId,
      cents: cut(record, ENTRY.amount),
      currency: 'USD',
      requestedExecution: batch.effectiveDate,
      service: { localInstrument: batch.entryClass },
      creditor: {
        name: filled(cut(record, ENTRY.name)),
        type: batch.entryClass === 'PPD' ? ('personal' as const) : ('business' as const),
        account: filled(cut(record, ENTRY.account)),
        clearing: { system: 'USABA', member: cut(record, ENTRY.routing) },
        bankCountry: 'US',
      },
      endToEndId: cut(record, ENTRY.trace).trim(),
      // Trace numbers begin anew in each file: next month's equal salary would count as already taken.
      isOfFile: true,
      instructionId: filled(cut(record, ENTRY.individualId)),
      remittance: filled(this.remittance),
    };
    takeTransfer({ sink, context }, transfer, this.findings);
  }
}

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
