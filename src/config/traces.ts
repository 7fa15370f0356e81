import { key, type ValuesOf } from './key.ts';
import { flag, tracesUrl } from './values.ts';

export const TRACE_KEYS = {
  PAYOUTS_TRACES_URL: key(
    tracesUrl,
    null,
    'where a worker sends the traces of payouts by OTLP over HTTP, e.g. https://collector.example.com/v1/traces; absent: nowhere',
  ),
  PAYOUTS_TRACES_TO_BANK: key(flag, 'false', 'send the bank the trace of each traced call, in the header traceparent'),
} as const;

/** Where spans go; `toBank`: calls of the bank carry `traceparent`. */
export type TracesConfig = NonNullable<ReturnType<typeof tracesOf>>;

export const tracesOf = ({ PAYOUTS_TRACES_URL: url, PAYOUTS_TRACES_TO_BANK: toBank }: ValuesOf<typeof TRACE_KEYS>) =>
  url === undefined ? undefined : { url, toBank };
