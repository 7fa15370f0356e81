import { hash } from 'node:crypto';
import {
  type Attributes,
  type Context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from '@opentelemetry/resources';
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
import type { BatchTrace, PayoutRecord } from '../../store/store.ts';
import { type CurrentSpan, currentSpan, duringSpan, spanOf, traceparentOf } from './current-span.ts';

/**
 * One payout is one trace, without anything of it in workflow code: the id of its first span is derived from the workflow id, so
 * that every worker, and anybody who knows the reference, gets the same one. Below the workflow are its activities, below these
 * their calls of the bank. The trace is that of the request that brought the payout, as stored with its batch; the rows of a
 * larger file, and what came by no traced request, have one each, with an id that is derived as well.
 *
 * All contents of spans come from lists in the code, except workflow id, batch and reference, which are opaque: no account, name,
 * amount, error message or URL.
 */
export interface Tracing {
  activity: ActivityInterceptorsFactory;
  /** Work for a payout outside its own activities, as a span of its trace. */
  within<T>(workflowId: string, name: string, work: () => Promise<T>): Promise<T>;
  /** A request of the gateway, below the span of its sender if it names one. */
  request(method: string, sender: CurrentSpan | undefined): RequestSpan;
  /** Observes a call of the bank by an activity or a request; undefined if that is not traced. */
  bankCall(operation: string): CallObserver | undefined;
  /** Makes the span of the workflow itself, once, when its end is stored. */
  ended(row: EndedRow, at: number): Promise<void>;
  /** Sends the remaining spans. */
  close(): Promise<void>;
}

export interface RequestSpan {
  ids: CurrentSpan;
  /** `route`: its template; undefined: there is none. */
  answered(route: string | undefined, status: number): void;
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

export interface TracingOptions {
  /** Receives OTLP over HTTP. */
  url: string;
  /** Whether calls of the bank carry `traceparent`. */
  toBank: boolean;
  /** Of the bank. */
  bankUrl: string;
  /** Of this build. */
  version: string;
  /** OpenTelemetry's `deployment.environment.name`; undefined: only the environment of the process knows. */
  deployment: string | undefined;
  /** The request that brought a payout; undefined: none is known. */
  broughtBy(workflowId: string): Promise<BatchTrace | undefined>;
  /** Called for spans that were not accepted; they are lost. */
  onRefused(error: Error): void;
}

/** Starts tracing. `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` are read here, `OTEL_EXPORTER_OTLP_*` by the exporter. */
export function startTracing(options: TracingOptions): Tracing {
  const ids = new GivenIds();
  const exporter = reporting(new OTLPTraceExporter({ url: options.url, timeoutMillis: EXPORT_MS }), options.onRefused);
  const provider = new TracerProvider({
    idGenerator: ids,
    resource: resourceOf(options),
    spanProcessors: [new BatchSpanProcessor({ exporter, exportTimeoutMillis: EXPORT_MS })],
  });
  const tracer = provider.getTracer(SERVICE, options.version);
  const placeOf = places(options.broughtBy);
  const within: Within = async (workflowId, name, work, more = {}) => {
    const attributes = { temporalWorkflowID: workflowId, ...more };
    const span = tracer.startSpan(name, { attributes }, under(await placeOf(workflowId)));
    try {
      return await duringSpan(idsOf(span), work);
    } catch (error) {
      noteFailure(span, error);
      throw error;
    } finally {
      span.end();
    }
  };
  return {
    activity: activitySpans(within),
    within,
    request: (method, sender) => requestSpan(tracer, method, sender),
    bankCall: bankSpans(tracer, options),
    async ended(row, at) {
      const { parent, link, ...own } = await placeOf(row.workflowId);
      const context = parent === undefined ? ROOT_CONTEXT : under(parent);
      const given = { startTime: new Date(row.createdAt), links: link === undefined ? [] : [link] };
      // Dates, because numbers from before the start of this process would be taken as times of its own clock.
      const span = ids.taking(own, () => tracer.startSpan(`RunWorkflow:${workflowTypeOf(row.kind)}`, given, context));
      span.setAttributes({
        temporalWorkflowID: row.workflowId,
        'payout.reference': row.reference,
        'payout.state': row.state,
        ...(row.batchId !== null && { 'payout.batch': row.batchId }),
        ...(row.reasonCode !== null && { 'payout.reason': row.reasonCode }),
      });
      span.end(new Date(at));
    },
    // Errors with the last spans were already passed to `onRefused`.
    close: () => provider.shutdown().catch(() => undefined),
  };
}

const SERVICE = 'durable-payouts';

/** What the environment says counts. */
const resourceOf = ({ version, deployment }: TracingOptions): Resource =>
  resourceFromAttributes({
    'service.name': SERVICE,
    'service.version': version,
    ...(deployment !== undefined && { 'deployment.environment.name': deployment }),
  }).merge(detectResources({ detectors: [serviceInstanceIdDetector, envDetector] }));

interface SpanIds {
  traceId: string;
  spanId: string;
}

/** Where the spans of a payout are: the span is that of its workflow. */
interface Place extends SpanIds {
  /** The request in whose trace it is. */
  parent?: SpanIds;
  /** The request that brought it among others. */
  link?: Link;
}

/** More than a process has under way; forgotten ones are read again. */
const PLACES_MAX = 10_000;

function places(broughtBy: TracingOptions['broughtBy']): (workflowId: string) => Promise<Place> {
  const known = new Map<string, Place>();
  return async (workflowId) => {
    const kept = known.get(workflowId);
    if (kept !== undefined) return kept;
    const own = traceOf(workflowId);
    try {
      const place = placeIn(own, await broughtBy(workflowId));
      for (const [first] of known.size < PLACES_MAX ? [] : known) {
        known.delete(first);
        break;
      }
      known.set(workflowId, place);
      return place;
    } catch {
      return own;
    }
  };
}

function placeIn(own: Place, brought: BatchTrace | undefined): Place {
  const request = spanOf(brought?.traceparent);
  if (request === undefined) return own;
  if (brought?.total === 1) return { traceId: request.traceId, spanId: own.spanId, parent: request };
  return { ...own, link: { context: sampled(request) } };
}

const sampled = ({ traceId, spanId }: SpanIds): SpanContext => ({
  traceId,
  spanId,
  traceFlags: TraceFlags.SAMPLED,
  isRemote: true,
});

/** For a payout: its workflow's span, which is itself sent only when the workflow ends. */
const under = (parent: SpanIds): Context => trace.setSpanContext(ROOT_CONTEXT, sampled(parent));

function idsOf(span: Span): CurrentSpan {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return { traceId, spanId, isSampled: (traceFlags & TraceFlags.SAMPLED) !== 0 };
}

type Within = <T>(workflowId: string, name: string, work: () => Promise<T>, more?: Attributes) => Promise<T>;

const activitySpans =
  (within: Within): ActivityInterceptorsFactory =>
  ({ info }) => ({
    inbound: {
      async execute(input, next) {
        const { workflowExecution: of, workflowType = '', activityType, attempt, isLocal } = info;
        if (of === undefined || !TRACED.has(workflowType)) return next(input);
        const attributes = { temporalRunID: of.runId, 'payout.attempt': attempt, 'payout.local': isLocal };
        return within(of.workflowId, `RunActivity:${activityType}`, () => next(input), attributes);
      },
    },
  });

const HTTP_SERVER_ERROR = 500;

/** As https://opentelemetry.io/docs/specs/semconv/http/http-spans/ has it, without `url.path`, which names what is asked for. */
function requestSpan(tracer: Tracer, method: string, sender: CurrentSpan | undefined): RequestSpan {
  const parent = sender && trace.setSpanContext(ROOT_CONTEXT, { ...sampled(sender), traceFlags: flagsOf(sender) });
  const attributes = { 'http.request.method': method };
  const span = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, parent ?? ROOT_CONTEXT);
  return {
    ids: idsOf(span),
    answered(route, status) {
      span.setAttribute('http.response.status_code', status);
      if (route !== undefined) span.updateName(`${method} ${route}`).setAttribute('http.route', route);
      if (status >= HTTP_SERVER_ERROR) failed(span, String(status));
      span.end();
    },
  };
}

const flagsOf = ({ isSampled }: CurrentSpan): TraceFlags => (isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE);

/** As for any HTTP client, without `url.full`, which has ids of accounts and people. */
function bankSpans(tracer: Tracer, { bankUrl, toBank }: TracingOptions): Tracing['bankCall'] {
  const { hostname, port, protocol } = new URL(bankUrl);
  const server = { 'server.address': hostname, 'server.port': Number(port) || (protocol === 'https:' ? 443 : 80) };
  return (operation) => {
    const within = currentSpan();
    if (within?.isSampled !== true) return undefined;
    const [method = '', template = ''] = operation.split(' ');
    const attributes = { 'http.request.method': method, 'url.template': template, ...server };
    const span = tracer.startSpan(operation, { kind: SpanKind.CLIENT, attributes }, under(within));
    return {
      headers: toBank ? { traceparent: traceparentOf(idsOf(span)) } : undefined,
      ended(result, _ms, status) {
        span.setAttribute('bank.result', result);
        if (status !== undefined) span.setAttribute('http.response.status_code', status);
        if (result !== 'ok') failed(span, status === undefined || status < HTTP_CLIENT_ERROR ? result : String(status));
        span.end();
      },
    };
  };
}

const HTTP_CLIENT_ERROR = 400;

function failed(span: Span, type: string): void {
  span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR });
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
