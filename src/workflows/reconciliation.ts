import {
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  log,
  setCurrentDetails,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import { addFindings, countsOf, type Findings, NOTHING_FOUND, type Pass } from '../domain/reconciliation.ts';
import type { PlannedKey } from '../services/reconciliation/reconcile.ts';
import { reconcileNowSignal } from './messages.ts';
import { comparisons, plans, restarts } from './proxies.ts';

export interface ReconciliationInput {
  /** One pass, then return. */
  once?: boolean;
  /** How far back; absent: as the worker is set. */
  days?: number;
  /** The pass that was under way when the run before continued as new. */
  underWay?: Pass;
}

const NEW_PASS: Pass = { after: null, keys: 0, unreadKeys: 0, findings: NOTHING_FOUND };
const KEYS_AT_ONCE = 4;

/**
 * Compares what is stored with what the bank shows, again and again: every user and currency with payouts of the last
 * days, one list read each. Finds what comes after the end of a payout, when nobody watches its order any more.
 */
export async function reconciliation(given?: ReconciliationInput): Promise<Pass> {
  const input = given ?? {};
  const { once = false, days } = input;
  let pass = input.underWay ?? NEW_PASS;
  let asked = false;
  setHandler(
    reconcileNowSignal,
    () => {
      asked = true;
    },
    { description: 'Make a pass now. From a worker that has come up; no argument.' },
  );
  for (;;) {
    if (pass.after === null) {
      asked = false;
      // Workers and batches start it too; what the bank shows is compared whatever this came to.
      await restarts.resumeUnended
        .executeWithOptions({ summary: 'starts what should run and does not' }, [])
        .catch((error: unknown) => log.warn('not everything that should run was started', { error }));
    }
    const { keys, everyMs } = await plans.planReconciliation.executeWithOptions(
      { summary: 'the next users and currencies to compare' },
      [{ days, after: pass.after }],
    );
    if (keys.length > 0) {
      pass = await compare(pass, keys);
    } else {
      setCurrentDetails(details(pass));
      if (once) return pass;
      await untilAsked(() => asked, everyMs);
      pass = NEW_PASS;
    }
    if (workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof reconciliation>({ once, days, underWay: pass });
    }
  }
}

/** Sleeps until the next pass is due or asked for. */
async function untilAsked(asked: () => boolean, everyMs: number): Promise<void> {
  const pause = new CancellationScope();
  const due = pause
    .run(() => sleep(everyMs, { summary: 'until the next pass' }))
    .catch((error: unknown) => {
      if (!isCancellation(error) || !asked()) throw error;
    });
  await Promise.race([due, condition(asked)]);
  pause.cancel();
  await due;
}

/** The keys of one page, a few side by side. */
async function compare(pass: Pass, keys: readonly PlannedKey[]): Promise<Pass> {
  const left = [...keys];
  let { unreadKeys, findings } = pass;
  const lane = async (): Promise<void> => {
    for (let key = left.shift(); key !== undefined; key = left.shift()) {
      const found = await compareKey(key);
      if (found === undefined) unreadKeys += 1;
      else findings = addFindings(findings, found);
    }
  };
  await Promise.all(Array.from({ length: KEYS_AT_ONCE }, lane));
  const { uid, currency } = keys.at(-1) ?? { uid: '', currency: '' };
  return { after: { uid, currency }, keys: pass.keys + keys.length, unreadKeys, findings };
}

/** Undefined when the bank did not answer for as long as one key is worth. */
async function compareKey(key: PlannedKey): Promise<Findings | undefined> {
  const summary = `compares the ${key.currency} orders of one user`;
  try {
    return await comparisons.reconcileOrders.executeWithOptions({ summary }, [key]);
  } catch (error) {
    if (isCancellation(error)) throw error;
    return undefined;
  }
}

const details = (pass: Pass): string =>
  ['| last pass | |', '|---|---|', ...countsOf(pass).map(([name, count]) => `| ${name} | ${count} |`)].join('\n');
