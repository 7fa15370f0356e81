import { withDeadline } from '../../api/deadline.ts';
import { isBankError } from '../../api/errors.ts';
import type { AttemptResult } from '../../domain/submission.ts';
import type { ActivityDeps } from '../deps.ts';
import type { LongRun } from '../long-run.ts';
import type { Caller } from '../sending/send-once.ts';
import { type OrderRead, type ReadOrderInput, readOrder } from './read-order.ts';

/** Which order is looked at, and what it is judged by. */
export type FirstLook = Pick<ReadOrderInput, 'claim' | 'leg' | 'closedMeans' | 'maxSlippage'>;

/** What the bank shows of an order that is paid, as far as its payout says so. */
export type PaidOrder = Pick<OrderRead, 'status' | 'fee' | 'feeCurrency' | 'aboveCap' | 'bookedRate'>;

/** What a first look adds to the answer of its send. */
interface Looked {
  /** The order is paid, and that is stored as the payout's end. */
  paid?: PaidOrder;
  /** It may be, and that may be stored, which the store has not confirmed: no watch tells of the order then. */
  isUntold?: true;
}

export type Submitted = AttemptResult & Looked;

/** Sends at a bank that settles at once are looked at once more; elsewhere hardly any is. */
export interface FirstLooks {
  /** Never fails, and never takes back what was sent: without an answer the payout follows its order as ever. */
  afterSend(run: Run, send: () => Promise<AttemptResult>, look: FirstLook | undefined): Promise<Submitted>;
}

interface Run {
  caller: Caller;
  longRun: Pick<LongRun, 'sleep' | 'signal'>;
}

/** A send and its look end well before the time limit of the activity, whose answer must not be lost for the look. */
const SLOW_MS = 5_000;

/**
 * The end of an order in the answer of its send: no notice, no timer and no further task of the workflow. `afterMs`: how long after
 * its acceptance an order is read; 0: never.
 */
export function firstLooks(deps: ActivityDeps, afterMs = deps.settings.firstLookMs): FirstLooks {
  const pace = new Pace();
  async function looked({ caller, longRun }: Run, input: ReadOrderInput): Promise<Looked> {
    let isPaid = false;
    try {
      await longRun.sleep(afterMs);
      const read = await withDeadline(SLOW_MS, longRun.signal, (signal) => readOrder(deps, caller, input, signal));
      isPaid = read.meaning === 'paid' && read.differences.length === 0;
      const { status, fee, feeCurrency, aboveCap, bookedRate } = read;
      return isPaid ? { paid: { status, fee, feeCurrency, aboveCap, bookedRate } } : {};
    } catch (error) {
      // The order is out, and recorded: whoever follows it meets the same trouble, and says so. Without the bank nothing was stored.
      return isBankError(error) ? {} : { isUntold: true };
    } finally {
      pace.note(isPaid);
    }
  }
  return {
    async afterSend(run, send, look) {
      const began = deps.now();
      const result = await send();
      if (look === undefined || afterMs === 0 || result.outcome !== 'accepted') return result;
      if (result.orderId === '' || deps.now() - began > SLOW_MS || !pace.isDue()) return result;
      const becomes = { paid: { state: 'completed', reason: null } } as const;
      return { ...result, ...(await looked(run, { ...look, orderId: result.orderId, becomes })) };
    },
  };
}

/** Orders that go by before the next look, at most. */
const RAREST = 63;

/**
 * While looks find orders paid, each order is looked at. After one that does not, one order at a time is, ever more rarely: a slow
 * bank is hardly asked in vain, and one that has become quick is found out.
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
