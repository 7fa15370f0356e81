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
export function pendingEntry(record: string, place: { line: number; row: number }, batch: EntryBatch) {
  const findings: (BrokenColumns & { line?: number })[] = brokenColumns(record, ENTRY_RULES);
  let addendaRecords = 0;
  let remittance = '';
  return {
    addenda(addenda: string, line: number): void {
      addendaRecords += 1;
      const type = cut(addenda, ADDENDA.type);
      const found = (broken: BrokenColumns): void => void findings.push({ ...broken, line });
      if (type === '98' || type === '99') found({ columns: ADDENDA.type, ...RETURN_ENTRY, value: type });
      else if (type !== REMITTANCE_ADDENDA) found({ columns: ADDENDA.type, ...UNKNOWN_ADDENDA, value: type });
      if (addendaRecords > 1) found({ columns: ADDENDA.type, ...ONE_ADDENDA });
      if (cut(addenda, ADDENDA.entrySequence) !== cut(record, ENTRY.trace).slice(-7)) {
        found({ columns: ADDENDA.entrySequence, ...OTHER_ENTRY });
      }
      remittance = cut(addenda, ADDENDA.information).trim();
    },

    /** Hands the entry over as a row; no more addenda may follow. */
    take(sink: RowSink, context: MessageContext): void {
      const indicator = cut(record, ENTRY.addendaIndicator);
      if (indicator !== (addendaRecords > 0 ? '1' : '0')) {
        findings.push({ columns: ENTRY.addendaIndicator, ...WRONG_INDICATOR, value: indicator });
      }
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
        remittance: filled(remittance),
      };
      takeTransfer({ sink, context }, transfer, findings);
    },
  };
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
