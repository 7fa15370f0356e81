import type { OriginalMessage, OriginalTransaction } from '../../domain/bank-message.ts';
import { ofType } from '../../files/iso20022/simple-types.ts';
import { asWritten, element, leaf, text } from '../xml-text.ts';
import type { AnswerVersion } from './status-report.ts';

/** For a required id if the file has none that the schema allows. */
const NOT_PROVIDED = 'NOTPROVIDED';

/**
 * Elements of the original file, repeated as written. A value that the schema of the answer does not allow is left out, or is
 * NOTPROVIDED if it is required: an invalid answer would not be read at all.
 */
export function elementsOf(message: OriginalMessage | null, version: AnswerVersion) {
  return {
    /** For `OrgnlGrpInfAndSts`. */
    head: [
      leaf('OrgnlMsgId', asWritten(message?.messageId) ?? NOT_PROVIDED),
      leaf('OrgnlMsgNmId', message?.format ?? NOT_PROVIDED),
      leaf('OrgnlCreDtTm', ofType('DateTime', message?.createdAt)),
      leaf('OrgnlNbOfTxs', ofType('NumericText', message?.transactions)),
      leaf('OrgnlCtrlSum', ofType('Decimal', message?.controlSum)),
    ].join(''),

    /** For `OrgnlPmtInfAndSts`, by index of the block. */
    payment(position: number): string {
      const { paymentId, transactions, controlSum } = message?.payments[position] ?? {};
      return [
        leaf('OrgnlPmtInfId', asWritten(paymentId) ?? NOT_PROVIDED),
        leaf('OrgnlNbOfTxs', ofType('NumericText', transactions)),
        leaf('OrgnlCtrlSum', ofType('Decimal', controlSum)),
      ].join('');
    },

    /** For `TxInfAndSts`: `ids` precede the status, `reference` comes last. */
    transaction({ instructionId, endToEndId, uetr, amount, currency, requestedExecution }: OriginalTransaction) {
      const date = leaf(version === 'pain.002.001.10' ? 'Dt' : 'ReqdExctnDt', ofType('Date', requestedExecution));
      return {
        ids: [
          leaf('OrgnlInstrId', asWritten(instructionId)),
          leaf('OrgnlEndToEndId', asWritten(endToEndId)),
          version === 'pain.002.001.10' ? leaf('OrgnlUETR', ofType('Uuid', uetr)) : '',
        ].join(''),
        reference: element(
          'OrgnlTxRef',
          instructedAmount(amount, currency),
          version === 'pain.002.001.10' ? element('ReqdExctnDt', date) : date,
        ),
      };
    },
  };
}

export type OriginalElements = ReturnType<typeof elementsOf>;

function instructedAmount(amount: string, currency: string): string {
  const value = ofType('Amount', amount);
  if (value === undefined || ofType('Currency', currency) === undefined) return '';
  return element('Amt', `<InstdAmt Ccy="${currency}">${text(value)}</InstdAmt>`);
}
