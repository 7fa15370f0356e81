import type { Client } from '@temporalio/client';
import type { Config } from '../config.ts';
import type { Log } from '../domain/log.ts';
import { pruneEvents } from '../events/prune.ts';
import { cardEventSweep } from '../services/card-events/deliver.ts';
import type { ActivityDeps } from '../services/deps.ts';
import { resumeUnended } from '../services/reconciliation/resume-unended.ts';
import { keepNamespace, NamespaceTakenError } from '../temporal/namespace-claim.ts';
import { bankClockAlarm } from './bank-warnings.ts';
import { keepLog } from './keep-audit-log.ts';

/** Interval at which claimed batches without an end are (re)started, and so are missing watches. */
const EVERY_MS = 30_000;

interface UpkeepOptions {
  config: Config;
  deps: ActivityDeps;
  client: Client;
  log: Log;
  /** The namespace now belongs to another store. */
  taken(error: NamespaceTakenError): void;
}

/** The periodic work of a worker beside its tasks. Each job runs by itself, and one that fails does not stop the others. */
export async function startUpkeep({ config, deps, client, log, taken }: UpkeepOptions): Promise<AsyncDisposable> {
  const { store, bank, settings } = deps;
  const job = (work: () => Promise<unknown>, failed: string) =>
    oneAtATime(work, (error) => log.warn({ error }, failed));
  const notStarted = (error: unknown, id: string) => log.warn({ error, id }, 'not started');
  const resume = job(() => resumeUnended(deps, notStarted), 'resuming failed');
  const sweep = job(
    cardEventSweep(deps, (error, { paymentId }) => log.warn({ error, paymentId }, 'card event not delivered')),
    'sweeping card events failed',
  );
  const keep = oneAtATime(
    () => keepNamespace(client, store.id),
    (error) => {
      if (error instanceof NamespaceTakenError) taken(error);
      else log.warn({ error }, 'the claim on the namespace could not be read');
    },
  );
  const sign = job(() => keepLog(config, store, Date.now()), 'the audit log was not signed');
  const prune = job(() => pruneEvents(store, config.events.keepMs, Date.now()), 'events were not pruned');
  const checkClock = bankClockAlarm(bank.clock, settings.clockSkewMs, log);
  await resume();
  // Not awaited: it may have to ask the acquirer.
  void sweep();
  await sign();
  checkClock();
  const timer = setInterval(() => {
    checkClock();
    // So that a change of the file is reported even if nothing asks for the policy.
    config.policyFile?.current();
    for (const task of [resume, sweep, keep, sign, prune]) void task();
  }, EVERY_MS);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await sign();
    },
  };
}

/** While one call is under way, further calls get its promise, which never rejects. */
function oneAtATime(work: () => Promise<unknown>, failed: (error: unknown) => void): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= work()
      .then(() => {}, failed)
      .finally(() => {
        running = undefined;
      });
    return running;
  };
}
