import { AsyncLocalStorage } from 'node:async_hooks';
import { hash } from 'node:crypto';
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  type IdGenerator,
  RandomIdGenerator,
  type SpanExporter,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { CompleteAsyncError } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { CallObserver } from '../../bank/calls.ts';
import { PAYOUT_KINDS, workflowTypeOf } from '../../domain/names.ts';
import type { PayoutRecord } from '../../store/store.ts';

/**
 * One payout is one trace, without anything of it in workflow code: the ids of the trace and its first span are derived from the
 * workflow id, so that every worker, and anybody who knows the reference, gets the same ones. Below the workflow are its
 * activities, below these their calls of the bank.
 *
 * All contents of spans come from lists in the code, except workflow id, batch and reference, which are opaque: no account, name,
 * amount or error message.
 */
export interface Tracing {
  activity: ActivityInterceptorsFactory;
  /** Work for a payout outside its own activities, as a span of its trace. */
  within<T>(workflowId: string, name: string, work: () => Promise<T>): Promise<T>;
  /** Observes a call of the bank in the activity that makes it; undefined if that is not traced. */
  bankCall(operation: string): CallObserver | undefined;
  /** The span of the workflow itself, made once, when its end is stored. */
  ended(row: EndedRow, at: number): void;
  /** Sends the remaining spans. */
  close(): Promise<void>;
}

type EndedRow = Pick<
  PayoutRecord,
  'workflowId' | 'kind' | 'reference' | 'batchId' | 'createdAt' | 'state' | 'reasonCode'
>;

/** Workflows about one row; those of a watch or batch run for days and would be traces without an end. */
const TRACED: ReadonlySet<string> = new Set(PAYOUT_KINDS.map(workflowTypeOf));

const TRACE_BYTES = 16;
const SPAN_BYTES = 8;
/** Limited, so that an unavailable receiver does not delay a shutdown. */
const EXPORT_MS = 5_000;

/** Ids of a payout's trace and its workflow span, always the same. */
export function traceOf(workflowId: string): { traceId: string; spanId: string } {
  const digest = hash('sha256', `trace of ${workflowId}`, 'buffer');
  return {
    traceId: digest.toString('hex', 0, TRACE_BYTES),
    spanId: digest.toString('hex', TRACE_BYTES, TRACE_BYTES + SPAN_BYTES),
  };
}

/**
 * @param url receives OTLP over HTTP
 * @param toBank whether calls of the bank carry `traceparent`
 * @param onRefused called for spans that were not accepted; they are lost
 */
export function startTracing(
  { url, toBank }: { url: string; toBank: boolean },
  onRefused: (error: Error) => void,
): Tracing {
  const ids = new GivenIds();
  const exporter = reporting(new OTLPTraceExporter({ url, timeoutMillis: EXPORT_MS }), onRefused);
  const provider = new TracerProvider({
    idGenerator: ids,
    resource: resourceFromAttributes({ 'service.name': 'durable-payouts' }),
    spanProcessors: [new BatchSpanProcessor({ exporter, exportTimeoutMillis: EXPORT_MS })],
  });
  const tracer = provider.getTracer('durable-payouts');
  const current = new AsyncLocalStorage<Context>();
  async function within<T>(
    workflowId: string,
    name: string,
    work: () => Promise<T>,
    more: Attributes = {},
  ): Promise<T> {
    const attributes = { temporalWorkflowID: workflowId, ...more };
    const span = tracer.startSpan(name, { attributes }, under(workflowId));
    try {
      return await current.run(trace.setSpan(ROOT_CONTEXT, span), work);
    } catch (error) {
      noteFailure(span, error);
      throw error;
    } finally {
      span.end();
    }
  }
  return {
    activity: ({ info }) => ({
      inbound: {
        async execute(input, next) {
          const { workflowExecution: of, workflowType = '', activityType, attempt, isLocal } = info;
          if (of === undefined || !TRACED.has(workflowType)) return next(input);
          const { workflowId, runId } = of;
          const attributes = { temporalRunID: runId, 'payout.attempt': attempt, 'payout.local': isLocal };
          return within(workflowId, `RunActivity:${activityType}`, () => next(input), attributes);
        },
      },
    }),
    within,
    bankCall(operation) {
      const context = current.getStore();
      if (context === undefined) return undefined;
      const [method = '', template = ''] = operation.split(' ');
      const attributes = { 'http.request.method': method, 'url.template': template };
      const span = tracer.startSpan(operation, { kind: SpanKind.CLIENT, attributes }, context);
      return {
        headers: toBank ? { traceparent: traceparentOf(span) } : undefined,
        ended(result) {
          span.setAttribute('bank.result', result);
          if (result !== 'ok') span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
    ended({ workflowId, kind, reference, batchId, createdAt, state, reasonCode }, at) {
      // Dates, because numbers from before the start of this process would be taken as times of its own clock.
      const span = ids.taking(traceOf(workflowId), () =>
        tracer.startSpan(
          `RunWorkflow:${workflowTypeOf(kind)}`,
          { root: true, startTime: new Date(createdAt) },
          ROOT_CONTEXT,
        ),
      );
      span.setAttributes({
        temporalWorkflowID: workflowId,
        'payout.reference': reference,
        'payout.state': state,
        ...(batchId !== null && { 'payout.batch': batchId }),
        ...(reasonCode !== null && { 'payout.reason': reasonCode }),
      });
      span.end(new Date(at));
    },
    // Errors with the last spans were already passed to `onRefused`.
    close: () => provider.shutdown().catch(() => undefined),
  };
}

function reporting(exporter: SpanExporter, onRefused: (error: Error) => void): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error !== undefined) onRefused(result.error);
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
}

/** The workflow's span, which is itself sent only when the workflow ends. */
const under = (workflowId: string): Context =>
  trace.setSpanContext(ROOT_CONTEXT, { ...traceOf(workflowId), traceFlags: TraceFlags.SAMPLED, isRemote: true });

/** By the failure's type, which our code names; its message may contain the bank's text. "Not yet" is not an error. */
function noteFailure(span: Span, error: unknown): void {
  if (error instanceof CompleteAsyncError) return;
  if (!(error instanceof ApplicationFailure)) {
    span.setStatus({ code: SpanStatusCode.ERROR });
    return;
  }
  span.setAttribute('error.type', error.type ?? 'unknown');
  if (error.category !== ApplicationFailureCategory.BENIGN) span.setStatus({ code: SpanStatusCode.ERROR });
}

/** W3C Trace Context. */
function traceparentOf(span: Span): string {
  const { traceId, spanId } = span.spanContext();
  return `00-${traceId}-${spanId}-01`;
}

/** Random ids, except for a span started inside `taking`. */
class GivenIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  #given: { traceId: string; spanId: string } | undefined;

  taking<T>(given: { traceId: string; spanId: string }, start: () => T): T {
    this.#given = given;
    try {
      return start();
    } finally {
      this.#given = undefined;
    }
  }

  generateTraceId(): string {
    return this.#given?.traceId ?? this.#random.generateTraceId();
  }

  generateSpanId(): string {
    return this.#given?.spanId ?? this.#random.generateSpanId();
  }
}
