import type { Finding } from '../../domain/finding.ts';
import { formatMinor } from '../../domain/money.ts';
import type { CreditTransfer } from '../credit-transfer.ts';
import { columnFinding, cut, digitsOf, filled } from '../fixed-width/lines.ts';
import { takeTransfer } from '../fixed-width/transfer-sink.ts';
import type { RowSink } from '../input.ts';
import { documentId } from '../messages/document-id.ts';
import type { MessageContext } from '../messages/message-context.ts';
import { type BrokenEntry, entryFindings, RETURN_ENTRY } from './entry-rules.ts';
import { ADDENDA, ENTRY, REMITTANCE_ADDENDA } from './nacha-layout.ts';

/** What an entry takes from its batch. */
export interface EntryBatch {
  /** Index among the message's payments, from 0. */
  payment: number;
  fileId: string;
  companyId: string;
  entryClass: 'PPD' | 'CCD';
  /** ISO 8601. */
  effectiveDate?: string;
}

interface Place {
  file: string;
  line: number;
  row: number;
}

/** An entry whose addenda may still follow. */
export class PendingEntry {
  private readonly record: string;
  private readonly place: Place;
  private readonly batch: EntryBatch;
  private readonly findings: Finding[];
  private addendaRecords = 0;
  private remittance = '';

  constructor(record: string, place: Place, batch: EntryBatch) {
    this.record = record;
    this.place = place;
    this.batch = batch;
    this.findings = entryFindings(record).map(({ columns, ...what }) => columnFinding(place, columns, what));
  }

  addenda(record: string, line: number): void {
    this.addendaRecords += 1;
    const type = cut(record, ADDENDA.type);
    const found = (broken: BrokenEntry): void => {
      const { columns, ...what } = broken;
      this.findings.push(columnFinding({ ...this.place, line }, columns, what));
    };
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
      this.findings.push(columnFinding(this.place, ENTRY.addendaIndicator, { ...WRONG_INDICATOR, value: indicator }));
    }
    takeTransfer({ file: this.place.file, sink, context }, this.transfer(context), this.findings);
  }

  private transfer(context: MessageContext): CreditTransfer {
    const { batch, remittance } = this;
    const { row, line } = this.place;
    const cents = digitsOf(cut(this.record, ENTRY.amount));
    const amount = cents === undefined ? cut(this.record, ENTRY.amount).trim() : formatMinor(cents, 'USD');
    const individualId = cut(this.record, ENTRY.individualId).trim();
    const trace = cut(this.record, ENTRY.trace).trim();
    const position = `${batch.fileId}.${row}`;
    const requested = batch.effectiveDate === undefined ? {} : { requestedExecution: batch.effectiveDate };
    return {
      row,
      line,
      id: documentId({ endToEndId: trace, instructionId: individualId, position }, context.mapping.identity),
      debtorAccount: batch.companyId,
      debtorCurrency: 'USD',
      amount,
      currency: 'USD',
      ...requested,
      service: { localInstrument: batch.entryClass },
      creditor: {
        ...filled('name', cut(this.record, ENTRY.name)),
        type: batch.entryClass === 'PPD' ? 'personal' : 'business',
        ...filled('account', cut(this.record, ENTRY.account)),
        clearing: { system: 'USABA', member: cut(this.record, ENTRY.routing) },
        bankCountry: 'US',
      },
      ...filled('remittance', remittance),
      original: {
        payment: batch.payment,
        ...filled('instructionId', individualId),
        endToEndId: trace,
        amount,
        currency: 'USD',
        ...requested,
      },
    };
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
