import type { Client } from '@temporalio/client';
import type { Config } from '../config.ts';
import { pruneEvents } from '../events/prune.ts';
import type { Log } from '../log.ts';
import { cardEventSweep } from '../services/card-events/deliver.ts';
import type { ActivityDeps } from '../services/deps.ts';
import { resumeUnended } from '../services/reconciliation/resume-unended.ts';
import { keepNamespace, NamespaceTakenError } from '../temporal/namespace-claim.ts';
import { keepLog } from './audit-log.ts';
import { bankClockAlarm } from './bank-clock-alarm.ts';

/** Any claimed batch without an end is started (again), and so is any watch that is missing. */
const EVERY_MS = 30_000;

interface UpkeepOptions {
  config: Config;
  deps: ActivityDeps;
  client: Client;
  log: Log;
  /** The namespace belongs to another store now. */
  taken(error: NamespaceTakenError): void;
}

/** What a worker does beside its tasks, now and again and again: each thing by itself, and one that fails stops no other. */
export async function startUpkeep({ config, deps, client, log, taken }: UpkeepOptions): Promise<AsyncDisposable> {
  const { store, bank, settings } = deps;
  const resume = oneAtATime(
    () => resumeUnended(deps, (error, id) => log.warn({ error, id }, 'not started')),
    (error) => log.warn({ error }, 'resuming failed'),
  );
  const sweep = oneAtATime(
    cardEventSweep(deps, (error, { paymentId }) => log.warn({ error, paymentId }, 'card event not delivered')),
    (error) => log.warn({ error }, 'sweeping card events failed'),
  );
  const keep = oneAtATime(
    () => keepNamespace(client, store.id),
    (error) => {
      if (error instanceof NamespaceTakenError) taken(error);
      else log.warn({ error }, 'the claim on the namespace could not be read');
    },
  );
  const sign = oneAtATime(
    () => keepLog(config, store, Date.now()),
    (error) => log.warn({ error }, 'the audit log was not signed'),
  );
  const prune = oneAtATime(
    () => pruneEvents(store, config.events.keepMs, Date.now()),
    (error) => log.warn({ error }, 'events were not pruned'),
  );
  const checkClock = bankClockAlarm(bank.clock, settings.clockSkewMs, log);
  await resume();
  // It may ask the acquirer, and nobody waits for that.
  void sweep();
  await sign();
  checkClock();
  const timer = setInterval(() => {
    checkClock();
    // Said of a changed file, should nobody ask for it meanwhile.
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

/** A call while one is under way is that one. It never rejects. */
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
