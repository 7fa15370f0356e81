import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { END_STATES } from '../../domain/payout-state.ts';
import { INCIDENTS } from '../../domain/reconciliation.ts';
import { ownVersion, sdkVersion } from '../../store/own-files.ts';
import type { AttemptOutcome, OpenWork } from '../../store/store.ts';

/**
 * Metrics of a process. No label contains an account, a name, a reference or a uid: all values come from lists in the code, so
 * that metrics may be read by people who may not see payouts, and their number does not grow with payouts.
 */
export type Metrics = ReturnType<typeof createMetrics>;

/** From a fast read to the time limit of a write. */
const BANK_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30];
const REQUEST_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60];

const OUTCOMES = Object.keys({
  accepted: true,
  'not-sent': true,
  refused: true,
  exists: true,
  ambiguous: true,
} satisfies Record<AttemptOutcome, true>);

/** Decisions of people, by the first word of an audit entry's action; refusals of anything else count as `other`. */
export const DECISIONS: readonly string[] = [
  ...['approve', 'reject', 'cancel', 'resolve', 'acknowledge', 'pause', 'drain', 'resume'],
  ...['amount', 'sign-in', 'other'],
];

/** What makes the metrics of a registry. */
function instruments(registry: Registry) {
  const registers = [registry];
  return {
    counter: (name: string, help: string) => new Counter({ name, help, registers }),
    /**
     * A counter with one label. Every series starts at 0: if its first sample were already a count, Prometheus would see no
     * increase.
     */
    counterBy: <Label extends string>(name: string, help: string, label: Label, values: readonly string[]) => {
      const counted = new Counter({ name, help, labelNames: [label], registers });
      for (const value of values) counted.labels(value).inc(0);
      return counted;
    },
    gauge: <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
      new Gauge({ name, help, labelNames, registers }),
    histogram: <Label extends string>(name: string, help: string, labelNames: readonly Label[], buckets: number[]) =>
      new Histogram({ name, help, labelNames, buckets, registers }),
  };
}

/**
 * With its own registry, since a process may have a worker and a gateway. `ofProcess`: includes memory, CPU and event loop of the
 * process.
 */
export function createMetrics({ ofProcess = false } = {}) {
  const registry = processRegistry(ofProcess);
  const { counter, counterBy, gauge, histogram } = instruments(registry);
  return {
    registry,
    ended: counterBy('payouts_ended_total', 'Payouts that this process has ended, by end', 'state', END_STATES),
    attempts: counterBy('payouts_attempts_total', 'Sends of this process, by outcome', 'outcome', OUTCOMES),
    orderReads: counterBy('payouts_looks_total', 'Queries of the bank about the state of orders', 'by', ['id', 'list']),
    incidentsRecorded: counterBy(
      'payouts_incidents_total',
      'Incidents that this process has recorded',
      'kind',
      Object.keys(INCIDENTS),
    ),
    reconciled: counter(
      'payouts_reconciled_total',
      'Users and currencies that this process has compared with the bank',
    ),
    returns: counter('payouts_returns_total', 'Orders that returned money'),
    unaskedOrders: counter('payouts_unasked_orders_total', 'Orders at the bank that we did not send'),
    decisionsRefused: counterBy(
      'payouts_decisions_refused_total',
      'Decisions of people that this process has refused',
      'decision',
      DECISIONS,
    ),
    payloadsRefused: counter('payouts_payloads_refused_total', 'Workflows with a refused payload'),
    bankCalls: histogram(
      'payouts_bank_call_seconds',
      'One call of the bank, including a token request if needed',
      ['operation', 'result'],
      BANK_SECONDS,
    ),
    answers: histogram(
      'payouts_gateway_answer_seconds',
      'Answers of the gateway',
      ['method', 'route', 'status'],
      REQUEST_SECONDS,
    ),
    ready: gauge('payouts_ready', '1 while a part is usable', ['part']),
    bankClockOffset: gauge('payouts_bank_clock_offset_seconds', "How far the bank's clock is ahead of this machine's"),
    open: gauge('payouts_open', 'Payouts in the store that have not ended', ['state']),
    oldest: gauge('payouts_oldest_seconds', 'Age of the oldest of them, since it was claimed or entered its state', [
      'state',
      'since',
    ]),
    unknown: gauge('payouts_unknown_outcomes', 'Sends whose outcome is still unknown after the proof window'),
    unknownOldest: gauge('payouts_unknown_outcome_oldest_seconds', 'Age of the oldest of them; 0 if there is none'),
    openIncidents: gauge('payouts_incidents_open', 'Incidents that nobody has acknowledged', ['kind']),
    switchesOff: gauge('payouts_switches_off', 'Switches that are off', ['scope']),
    cardsForPeople: gauge(
      'payouts_card_payments_for_people',
      'Card payments that need an operator, or whose end the acquirer contradicts',
    ),
    oldestPoll: gauge(
      'payouts_watch_oldest_sweep_seconds',
      'Time since the last poll of the watch that is furthest behind',
    ),
    unsigned: gauge('payouts_audit_unsigned_seconds', 'Age of the oldest unsigned entry of the audit log'),
    storeUnread: gauge('payouts_store_unread', '1 while the figures of the store could not be read'),
  };
}

/** Gauges that are named as counters; `promtool check metrics` refuses them, and they are there by type without `_total`. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** With the build and, where asked, memory, CPU and event loop. */
function processRegistry(ofProcess: boolean): Registry {
  const registry = new Registry();
  if (ofProcess) collectDefaultMetrics({ register: registry });
  for (const misnamed of MISNAMED) registry.removeSingleMetric(misnamed);
  const build = { version: ownVersion(), sdk: sdkVersion() };
  const help = 'Always 1; versions of this build and of its Temporal SDK';
  const labelNames = Object.keys(build);
  new Gauge({ name: 'payouts_build_info', help, labelNames, registers: [registry] }).set(build, 1);
  return registry;
}

/** How long figures are reused: however many scrape, the store is read once. */
const FRESH_MS = 5_000;

interface FiguresDeps {
  /** Rejects if the store cannot be read. */
  openWork(now: number): Promise<OpenWork>;
  /** Milliseconds; undefined if not known yet. */
  clockOffsetMs(): number | undefined;
  now: () => number;
}

/** Updates the gauges about the store before they are shown. If the store cannot be read, they are removed. */
export function storeFigures(metrics: Metrics, { openWork, clockOffsetMs, now }: FiguresDeps): () => Promise<void> {
  let last: { at: number; read: Promise<void> } | undefined;
  const read = async (at: number): Promise<void> => {
    const offset = clockOffsetMs();
    if (offset !== undefined) metrics.bankClockOffset.set(offset / 1_000);
    try {
      show(metrics, await openWork(at), at);
      metrics.storeUnread.set(0);
    } catch {
      for (const gauge of labelled(metrics)) gauge.reset();
      // A reset would leave these at 0, which would be a statement.
      for (const gauge of unlabelled(metrics)) gauge.remove();
      metrics.storeUnread.set(1);
    }
  };
  return () => {
    const at = now();
    if (last === undefined || at - last.at > FRESH_MS) last = { at, read: read(at) };
    return last.read;
  };
}

const labelled = (metrics: Metrics) => [metrics.open, metrics.oldest, metrics.openIncidents, metrics.switchesOff];

const unlabelled = (metrics: Metrics) => [
  ...[metrics.cardsForPeople, metrics.unknown, metrics.unknownOldest, metrics.oldestPoll, metrics.unsigned],
];

function show(metrics: Metrics, openWork: OpenWork, at: number): void {
  // Otherwise states without rows would keep their old values.
  for (const gauge of labelled(metrics)) gauge.reset();
  const age = (since: number | null): number => (since === null ? 0 : Math.max(0, at - since) / 1_000);
  for (const { state, count, oldestCreatedAt, oldestSince } of openWork.open) {
    metrics.open.set({ state }, count);
    metrics.oldest.set({ state, since: 'claimed' }, age(oldestCreatedAt));
    metrics.oldest.set({ state, since: 'changed' }, age(oldestSince));
  }
  for (const { kind, count } of openWork.incidents) metrics.openIncidents.set({ kind }, count);
  for (const { scope, count } of openWork.switchesOff) metrics.switchesOff.set({ scope }, count);
  metrics.cardsForPeople.set(openWork.cardsForPeople);
  metrics.unknown.set(openWork.unknown.count);
  metrics.unknownOldest.set(age(openWork.unknown.oldestSentAt));
  metrics.oldestPoll.set(age(openWork.oldestPollAt));
  metrics.unsigned.set(age(openWork.oldestUnsignedAt));
}
