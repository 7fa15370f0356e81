import type { OriginalMessage, OriginalTransaction } from '../../domain/bank-message.ts';
import { parseDecimal } from '../../domain/money.ts';
import { asWritten, element, leaf, text } from '../xml-text.ts';
import type { AnswerVersion } from './status-report.ts';

/** For a required id if the file has none that the schema allows. */
const NOT_PROVIDED = 'NOTPROVIDED';

const COUNT = /^\d{1,15}$/;
/** XML Schema allows neither the year 0000 nor offsets beyond 14 hours. */
const DATE = /^(?!0000)\d{4}-\d{2}-\d{2}$/;
const DATE_TIME =
  /^(?!0000)\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-](0\d|1[0-3]):[0-5]\d|[+-]14:00)?$/;
const UETR = /^[a-f0-9]{8}-[a-f0-9]{4}-4[a-f0-9]{3}-[89ab][a-f0-9]{3}-[a-f0-9]{12}$/;
const CURRENCY = /^[A-Z]{3}$/;
const DIGITS_MAX = 18;
const AMOUNT_DECIMALS_MAX = 5;
const SUM_DECIMALS_MAX = 17;

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
      leaf('OrgnlCreDtTm', dated(DATE_TIME, message?.createdAt)),
      leaf('OrgnlNbOfTxs', matching(COUNT, message?.transactions)),
      leaf('OrgnlCtrlSum', decimal(message?.controlSum, SUM_DECIMALS_MAX)),
    ].join(''),

    /** For `OrgnlPmtInfAndSts`, by index of the block. */
    payment(position: number): string {
      const { paymentId, transactions, controlSum } = message?.payments[position] ?? {};
      return [
        leaf('OrgnlPmtInfId', asWritten(paymentId) ?? NOT_PROVIDED),
        leaf('OrgnlNbOfTxs', matching(COUNT, transactions)),
        leaf('OrgnlCtrlSum', decimal(controlSum, SUM_DECIMALS_MAX)),
      ].join('');
    },

    /** For `TxInfAndSts`: `ids` precede the status, `reference` comes last. */
    transaction({ instructionId, endToEndId, uetr, amount, currency, requestedExecution }: OriginalTransaction) {
      const date = leaf(version === 'pain.002.001.10' ? 'Dt' : 'ReqdExctnDt', dated(DATE, requestedExecution));
      return {
        ids: [
          leaf('OrgnlInstrId', asWritten(instructionId)),
          leaf('OrgnlEndToEndId', asWritten(endToEndId)),
          version === 'pain.002.001.10' ? leaf('OrgnlUETR', matching(UETR, uetr)) : '',
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
  const value = decimal(amount, AMOUNT_DECIMALS_MAX);
  if (value === undefined || !CURRENCY.test(currency)) return '';
  return element('Amt', `<InstdAmt Ccy="${currency}">${text(value)}</InstdAmt>`);
}

const matching = (pattern: RegExp, value: string | undefined): string | undefined =>
  value !== undefined && pattern.test(value) ? value : undefined;

/** The value, if it also is a day of the calendar. */
function dated(pattern: RegExp, value: string | undefined): string | undefined {
  const day = matching(pattern, value)?.slice(0, 10);
  const midnight = new Date(`${day}T00:00:00Z`);
  return day !== undefined && !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day)
    ? value
    : undefined;
}

function decimal(value: string | undefined, decimalsMax: number): string | undefined {
  const parsed = value === undefined ? undefined : parseDecimal(value);
  if (value === undefined || parsed === undefined || parsed.scale > decimalsMax || parsed.digits < 0n) return undefined;
  return value.replace(/\D/g, '').length <= DIGITS_MAX ? value : undefined;
}
