import { withDeadline } from '../../bank/deadline.ts';
import { isBankError } from '../../bank/errors.ts';
import type { PaidOrder } from '../../domain/order-judgement.ts';
import type { AttemptResult } from '../../domain/submission.ts';
import type { Caller } from '../../store/claimed-row.ts';
import type { ActivityDeps } from '../deps.ts';
import type { LongRun } from '../long-run.ts';
import { asPaid, type ReadOrderInput, readOrder } from './read-order.ts';

export type FirstLook = Pick<ReadOrderInput, 'claim' | 'leg' | 'closedMeans' | 'maxSlippage'>;

/** What a first look adds to the result of a send. */
interface Looked {
  /** The order is paid, and the payout's end is stored. */
  paid?: PaidOrder;
  /** The end may have been stored but the store did not confirm it: no watch would signal this order then. */
  isUntold?: true;
}

export type Submitted = AttemptResult & Looked;

export interface Run {
  caller: Caller;
  longRun: Pick<LongRun, 'sleep' | 'signal'>;
}

/**
 * Of the send, and of the look. Together well below the 45 s of the activity, whose result must not be lost because of the look.
 */
const SLOW_MS = 10_000;

/**
 * Returns what sends an order and reads it once, `firstLookMs` after that (0: never), at a bank that settles at once; elsewhere
 * hardly ever. An end is returned with the result of the send, which saves a signal, a timer and a workflow task. Never fails
 * because of the look: without its answer the payout follows its order as usual.
 */
export function firstLooks(deps: ActivityDeps) {
  const afterMs = deps.settings.firstLookMs;
  const pace = new Pace();
  async function looked({ caller, longRun }: Run, input: ReadOrderInput): Promise<Looked> {
    let paid: PaidOrder | undefined;
    try {
      await longRun.sleep(afterMs);
      const read = await withDeadline(SLOW_MS, longRun.signal, (signal) => readOrder(deps, caller, input, signal));
      paid = asPaid(read);
      return { paid };
    } catch (error) {
      // The order is sent and recorded: whoever follows it meets the error and reports it. If the bank failed, nothing was
      // stored.
      return isBankError(error) ? {} : { isUntold: true };
    } finally {
      pace.note(paid !== undefined);
    }
  }
  return async (run: Run, send: () => Promise<AttemptResult>, look: FirstLook | undefined): Promise<Submitted> => {
    const began = deps.now();
    const result = await send();
    if (look === undefined || afterMs === 0 || result.outcome !== 'accepted') return result;
    if (result.orderId === '' || deps.now() - began > SLOW_MS || !pace.isDue()) return result;
    const becomes = { paid: { state: 'completed', reason: null } } as const;
    return { ...result, ...(await looked(run, { ...look, orderId: result.orderId, becomes })) };
  };
}

/** Most orders to skip before the next look. */
const RAREST = 63;

/**
 * While looks find orders paid, every order is looked at. After one that is not paid, single orders are tried, ever more rarely:
 * a slow bank is hardly asked in vain, and one that has become fast is noticed.
 */
class Pace {
  #isWorthIt = false;
  #isAsking = false;
  #pause = 0;
  #skip = 0;

  isDue(): boolean {
    if (this.#isWorthIt) return true;
    if (this.#isAsking) return false;
    if (this.#skip > 0) {
      this.#skip -= 1;
      return false;
    }
    this.#isAsking = true;
    return true;
  }

  note(isPaid: boolean): void {
    this.#isAsking = false;
    this.#isWorthIt = isPaid;
    this.#pause = isPaid ? 0 : Math.min(2 * this.#pause + 1, RAREST);
    this.#skip = this.#pause;
  }
}
