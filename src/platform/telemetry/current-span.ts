import { AsyncLocalStorage } from 'node:async_hooks';

/** What is being worked on, for log lines, calls of the bank and what is claimed meanwhile. */
export interface CurrentSpan {
  /** 32 hex digits. */
  traceId: string;
  /** 16 hex digits. */
  spanId: string;
  /** Whether it is sent to the receiver of traces. */
  isSampled: boolean;
  /** Of a request of the gateway. */
  requestId?: string;
}

const current = new AsyncLocalStorage<CurrentSpan>();

export const currentSpan = (): CurrentSpan | undefined => current.getStore();

/** Runs `work`, and what it starts, as part of a span. */
export const duringSpan = <T>(span: CurrentSpan, work: () => T): T => current.run(span, work);

/** https://www.w3.org/TR/trace-context/#traceparent-header: version, trace, parent and flags; a later version may go on behind them. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;

/** Undefined for anything that is no `traceparent`. */
export function spanOf(traceparent: unknown): CurrentSpan | undefined {
  const [, traceId, spanId, flags = ''] = TRACEPARENT.exec(typeof traceparent === 'string' ? traceparent : '') ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** Only with the flags that level 1 of W3C Trace Context defines. */
export const traceparentOf = ({ traceId, spanId, isSampled }: CurrentSpan): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
