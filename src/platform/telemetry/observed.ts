import type { CallObserver } from '../../bank/calls.ts';
import { PAYLOAD_REFUSED } from '../../domain/failures.ts';
import { isEnd } from '../../domain/payout-state.ts';
import type { Log } from '../../domain/settings.ts';
import type { AuditEntry, Store } from '../../store/store.ts';
import { DECISIONS, type Metrics } from './metrics.ts';
import type { Tracing } from './tracing.ts';

/** Reads that query the state of an order. */
const READS: Readonly<Record<string, 'id' | 'list'>> = {
  'GET /v1/banking/transactions/{order_id}': 'id',
  'GET /v1/banking/transactions': 'list',
};

/** Counts and times every call of the bank, and adds it to the trace. */
export function observedCalls(
  { bankCalls, orderReads }: Metrics,
  tracing?: Tracing,
): (operation: string) => CallObserver {
  return (operation) => {
    const traced = tracing?.bankCall(operation);
    return {
      headers: traced?.headers,
      ended(result, ms, status) {
        traced?.ended(result, ms, status);
        bankCalls.observe({ operation, result }, ms / 1_000);
        const by = READS[operation];
        if (by !== undefined) orderReads.inc({ by });
      },
    };
  };
}

/**
 * The store, with a log line and a count for every decision written to it: the outcome of an attempt, an end, an incident, what
 * people have signed, what was refused. It only reports what the store has decided.
 */
export function observedStore(store: Store, metrics: Metrics, log: Log, tracing?: Tracing): Store {
  const ended = async (reference: string, state: string, code: string | undefined): Promise<void> => {
    metrics.ended.inc({ state });
    log.info({ reference, state, reason: code }, 'payout ended');
    if (tracing === undefined) return;
    try {
      const row = await store.payout(reference);
      if (row !== undefined) await tracing.ended(row, row.endedAt ?? row.updatedAt);
    } catch (error) {
      log.warn({ error, reference }, 'the end of a payout could not be added to its trace');
    }
  };
  return {
    ...store,
    async changePayout(reference, change) {
      const changed = await store.changePayout(reference, change);
      if (changed && isEnd(change.state)) await ended(reference, change.state, change.reason?.code);
      return changed;
    },
    async closeUnpaid(end) {
      const closing = await store.closeUnpaid(end);
      if (closing === 'closed') await ended(end.reference, end.state, end.reason.code);
      return closing;
    },
    async cancelUnreleased(...given) {
      const count = await store.cancelUnreleased(...given);
      const [batchId] = given;
      if (count > 0) log.info({ batchId, state: 'cancelled', rows: count }, 'rows ended before they were released');
      metrics.ended.inc({ state: 'cancelled' }, count);
      return count;
    },
    async finishAttempt(reference, attempt, result) {
      await store.finishAttempt(reference, attempt, result);
      const { outcome, code } = result;
      metrics.attempts.inc({ outcome });
      log.info({ reference, attempt, outcome, code }, 'attempt ended');
    },
    async recordIncident(incident) {
      const recorded = await store.recordIncident(incident);
      if (recorded !== 'recorded') return recorded;
      const { kind, reference } = incident;
      metrics.incidentsRecorded.inc({ kind });
      log.warn({ kind, reference }, 'incident');
      return recorded;
    },
    async recordReturn(entry) {
      const kept = await store.recordReturn(entry);
      if (!kept.isNew) return kept;
      metrics.returns.inc();
      log.info({ reference: entry.reference }, 'money came back');
      return kept;
    },
    async recordUnaskedOrders(entries) {
      const count = await store.recordUnaskedOrders(entries);
      if (count === 0) return count;
      metrics.unaskedOrders.inc(count);
      log.warn({ count }, 'the bank shows orders that this store did not send');
      return count;
    },
    async takeSignedDecision(...given) {
      const isNew = await store.takeSignedDecision(...given);
      const [{ reference, question, decision }] = given;
      if (isNew) log.info({ reference, kind: question, decision }, 'decision taken');
      return isNew;
    },
    async audit(entry) {
      await store.audit(entry);
      reportRefusal(entry, metrics, log);
    },
  };
}

function reportRefusal({ action, detail, subject }: AuditEntry, metrics: Metrics, log: Log): void {
  if (action === PAYLOAD_REFUSED) {
    metrics.payloadsRefused.inc();
    return;
  }
  if (!action.endsWith('refused') && detail.outcome !== 'refused') return;
  const [, word = ''] = /^(?:asked to )?([a-z-]+)/.exec(action) ?? [];
  const decision = DECISIONS.includes(word) ? word : 'other';
  // One entry can report several.
  metrics.decisionsRefused.inc({ decision }, Number(detail.count ?? 1));
  // Without the reason, which can name people.
  log.warn({ id: subject, decision }, 'decision refused');
}
