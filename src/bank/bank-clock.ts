import type { HttpAnswer, HttpRequest, Transport } from './transport.ts';

export interface BankClock {
  /**
   * Milliseconds by which the bank's clock is ahead of ours: median of samples, each accurate to half a second plus half its
   * round trip. Undefined until an answer carries the time; a bank whose answers never do has no offset. Answers to reads and
   * those to writes and requests for a token are measured apart, and the later time counts: a cache, which answers only reads,
   * dates them too early.
   */
  offset(): number | undefined;
}

const SAMPLES = 15;
/** The `Date` header is truncated to whole seconds (RFC 9110, 5.6.7): on average the bank's clock is this much ahead of it. */
const HALF_SECOND_MS = 500;
/**
 * Every read asks that no cache answers it (`no-cache`), so that hardly an `Age` is honest. The interface shows no headers at all.
 */
const AGE_MAX_MS = 1_000;
/**
 * How far the `Date` of an answer may be behind the measured clock when it is asked for: a measurement is off by half of the
 * longest call, which takes 30 s, and servers of one bank by as much from each other.
 */
const DATE_BEHIND_MAX_MS = 30_000;
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
 * Measures the bank's clock by the `Date` of its answers, compared with the middle of each request, and marks answers that were
 * made before they were asked for. The median tolerates a few answers that were delayed in one direction only.
 */
export function measured(transport: Transport, clocks: Clocks): { transport: Transport; clock: BankClock } {
  let written: readonly Sample[] = [];
  let read: readonly Sample[] = [];
  const lead = (): number => clocks.now() - clocks.clock();
  const exchange = async (request: HttpRequest): Promise<HttpAnswer> => {
    const [leadBefore, sentAt] = [lead(), clocks.clock()];
    const answer = await transport.exchange(request);
    const askedAt = leadBefore + sentAt + (offset() ?? Number.NaN);
    const bankTime = isSteady(leadBefore, lead()) ? dateOf(answer) : undefined;
    const behindMs = askedAt - ((bankTime ?? Number.NaN) + 2 * HALF_SECOND_MS);
    const isBehind = behindMs > DATE_BEHIND_MAX_MS;
    // No cache answers a write: the bank has set its clock back.
    if (isBehind && request.method !== 'GET') [written, read] = [[], []];
    if (bankTime !== undefined) {
      const middle = leadBefore + (sentAt + clocks.clock()) / 2;
      const sample = { ms: bankTime + HALF_SECOND_MS - middle, lead: leadBefore };
      if (request.method === 'GET') read = [...read, sample].slice(-SAMPLES);
      else written = [...written, sample].slice(-SAMPLES);
    }
    return { ...answer, isStale: isBehind || ageMs(answer) > AGE_MAX_MS };
  };
  const valid = (samples: readonly Sample[]) =>
    samples.filter((sample) => isSteady(sample.lead, lead())).map(({ ms }) => ms);
  const offset = (): number | undefined => {
    const medians = [written, read].flatMap((samples) => medianOf(valid(samples)) ?? []);
    return medians.length === 0 ? undefined : Math.max(...medians);
  };
  const clock: BankClock = { offset };
  return { transport: { ...transport, exchange }, clock };
}

const isSteady = (before: number, after: number): boolean => Math.abs(after - before) < STEP_MS;

function medianOf(samples: readonly number[]): number | undefined {
  const middle = samples.toSorted((a, b) => a - b)[Math.floor(samples.length / 2)];
  return middle && Math.round(middle);
}

/** 0 without the header; an `Age` that cannot be read is above every limit. */
function ageMs({ headers: { age = '0' } }: HttpAnswer): number {
  return /^\d+$/.test(String(age)) ? Number(age) * 1_000 : Number.POSITIVE_INFINITY;
}

/** Epoch milliseconds; undefined without a date, and for cached answers, whose date is when they were cached. */
function dateOf({ headers }: HttpAnswer): number | undefined {
  const { date, age } = headers;
  const bankTime = typeof date === 'string' && (age === undefined || age === '0') ? Date.parse(date) : Number.NaN;
  return Number.isNaN(bankTime) ? undefined : bankTime;
}
