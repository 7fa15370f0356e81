import {
  condition,
  continueAsNew,
  isCancellation,
  log,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { ReconciliationPlan } from '../activities/reconcile.ts';
import { someAtOnce } from '../domain/iterate.ts';
import {
  addFindings,
  countsOf,
  NOTHING_FOUND,
  type ReconciliationFindings,
  type ReconciliationPass,
} from '../domain/reconciliation.ts';
import { reconcileNowSignal } from './messages.ts';
import { comparisons, plans, restarts } from './proxies.ts';

interface ReconciliationInput {
  /** Make one pass, then return. */
  once?: boolean;
  /** How many days back; absent: the worker's setting. */
  days?: number;
  /** The unfinished pass, if the previous run continued as new during it. */
  underWay?: ReconciliationPass;
}

const NEW_PASS: ReconciliationPass = { after: null, keys: 0, unreadKeys: 0, findings: NOTHING_FOUND };
const KEYS_AT_ONCE = 4;

/**
 * Compares the store with the bank, pass after pass: every user and currency with payouts of the last days, one list read each.
 * Finds what happens after a payout's end, when nothing watches its order any more.
 */
export async function reconciliation(given?: ReconciliationInput): Promise<ReconciliationPass> {
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
      // Workers and batches do this too, so a failure here does not stop the comparison.
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
      await condition(() => asked, everyMs, { summary: 'until the next pass' });
      pass = NEW_PASS;
    }
    if (workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof reconciliation>({ once, days, underWay: pass });
    }
  }
}

/** Compares the keys of one page, a few concurrently. */
async function compare(pass: ReconciliationPass, keys: ReconciliationPlan['keys']): Promise<ReconciliationPass> {
  let { unreadKeys, findings } = pass;
  await someAtOnce(keys, KEYS_AT_ONCE, async (key) => {
    const found = await compareKey(key);
    if (found === undefined) unreadKeys += 1;
    else findings = addFindings(findings, found);
  });
  const { uid, currency } = keys.at(-1) ?? { uid: '', currency: '' };
  return { after: { uid, currency }, keys: pass.keys + keys.length, unreadKeys, findings };
}

/** Undefined if the bank did not answer within the time limit for one key. */
async function compareKey(key: ReconciliationPlan['keys'][number]): Promise<ReconciliationFindings | undefined> {
  const summary = `compares the ${key.currency} orders of one user`;
  try {
    return await comparisons.reconcileOrders.executeWithOptions({ summary }, [key]);
  } catch (error) {
    if (isCancellation(error)) throw error;
    return undefined;
  }
}

const details = (pass: ReconciliationPass): string =>
  ['| last pass | |', '|---|---|', ...countsOf(pass).map(([name, count]) => `| ${name} | ${count} |`)].join('\n');
