import type { HttpAnswer, HttpRequest, Transport } from './transport.ts';

export interface BankClock {
  /**
   * Milliseconds by which the bank's clock is ahead of ours: median of samples, each accurate to half a second plus half its
   * round trip. Undefined until an answer carries the time; a bank whose answers never do has no offset.
   */
  offset(): number | undefined;
}

const SAMPLES = 15;
/** The `Date` header is truncated to whole seconds (RFC 9110, 5.6.7): on average the bank's clock is this much ahead of it. */
const HALF_SECOND_MS = 500;
/** A larger step means that the wall clock was set or the machine slept: earlier samples are void. */
const STEP_MS = 1_000;

interface Clocks {
  /** Milliseconds, monotonic. */
  clock: () => number;
  /** Epoch milliseconds. */
  now: () => number;
}

interface Sample {
  ms: number;
  /** Wall clock minus monotonic clock; changes when one of them jumps. */
  lead: number;
}

/**
 * Measures the bank's clock by the `Date` of its answers, compared with the middle of each request. The median tolerates a few
 * answers that were delayed in one direction only.
 */
export function measured(transport: Transport, clocks: Clocks): { transport: Transport; clock: BankClock } {
  let samples: readonly Sample[] = [];
  const lead = (): number => clocks.now() - clocks.clock();
  const exchange = async (request: HttpRequest): Promise<HttpAnswer> => {
    const [leadBefore, sentAt] = [lead(), clocks.clock()];
    const answer = await transport.exchange(request);
    const bankTime = dateOf(answer);
    if (bankTime !== undefined && isSteady(leadBefore, lead())) {
      const middle = leadBefore + (sentAt + clocks.clock()) / 2;
      samples = [...samples, { ms: bankTime + HALF_SECOND_MS - middle, lead: leadBefore }].slice(-SAMPLES);
    }
    return answer;
  };
  const clock: BankClock = {
    offset: () => medianOf(samples.filter((sample) => isSteady(sample.lead, lead())).map(({ ms }) => ms)),
  };
  return { transport: { ...transport, exchange }, clock };
}

const isSteady = (before: number, after: number): boolean => Math.abs(after - before) < STEP_MS;

function medianOf(samples: readonly number[]): number | undefined {
  const middle = samples.toSorted((a, b) => a - b)[Math.floor(samples.length / 2)];
  return middle && Math.round(middle);
}

/** Epoch milliseconds; undefined without a date, and for cached answers, whose date is when they were cached. */
function dateOf({ headers }: HttpAnswer): number | undefined {
  const { date, age } = headers;
  const bankTime = typeof date === 'string' && (age === undefined || age === '0') ? Date.parse(date) : Number.NaN;
  return Number.isNaN(bankTime) ? undefined : bankTime;
}
