import { type Context, createContext, Script } from 'node:vm';
import { RE2JS } from 're2js';

/**
 * Runs regular expressions that come from the bank (required-details). Most run in linear time within a number of steps; the few
 * that need a backtracking engine run under a time limit. So no pattern can stop the process.
 */

/** Remaining budget for the patterns of one payee; every match uses some of it. */
export interface PatternBudget {
  /** For the linear engine: program size times characters, some ten nanoseconds per step. */
  steps: number;
  /** For the backtracking engine, of CPU time. */
  ms: number;
}

/** Thousands of times what the interface's patterns need. */
export const patternBudget = (): PatternBudget => ({ steps: 2_000_000, ms: 50 });

/** Limit of characters times repeats, which also determine the compile time. */
const SIZE_MAX = 50_000;
const CACHE_MAX = 500;

/** `undecided`: neither engine accepts the pattern, only the bank can judge. */
type PatternResult = 'match' | 'mismatch' | 'too-slow' | 'undecided';

type Matcher = (value: string, budget: PatternBudget) => PatternResult;

const cache = new Map<string, Matcher>();

/**
 * Whether `pattern` matches anywhere in `value`; anchoring is up to the pattern. The dialect is not shown: RE2 reads
 * `[\d-A-Za-z]` (interface section 2) like Java and PCRE, with the range A to Z, where JavaScript takes only A and Z.
 */
export function matchPattern(pattern: string, value: string, budget = patternBudget()): PatternResult {
  if (budget.steps <= 0) return 'too-slow';
  let matcher = cache.get(pattern);
  if (matcher === undefined) {
    matcher = sizeOf(pattern) > SIZE_MAX ? () => 'undecided' : (linear(pattern) ?? backtracking(pattern));
    budget.steps -= sizeOf(pattern);
    if (cache.size >= CACHE_MAX) cache.clear();
    cache.set(pattern, matcher);
  }
  return matcher(value, budget);
}

/** `{1,1000}` compiles to a thousand copies of what precedes it. */
function sizeOf(pattern: string): number {
  const repeats = pattern.matchAll(/\{(\d{1,9})(?:,(\d{0,9}))?\}/g);
  return pattern.length * repeats.reduce((sum, [, least, most]) => sum + Math.max(Number(least), Number(most ?? 0)), 1);
}

function linear(pattern: string): Matcher | undefined {
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
    return (value, budget) => {
      budget.steps -= compiled.programSize() * (value.length + 1);
      if (budget.steps < 0) return 'too-slow';
      return compiled.matcher(value).find() ? 'match' : 'mismatch';
    };
  } catch {
    return undefined; // look-around, back-references, very long repeats
  }
}

const SCRIPT = new Script('new RegExp(pattern).test(value)');
/** One for all matches, because making one takes longer than most of them: the script in it is ours, the bank's text is data. */
let realm: Context | undefined;
/** Node 22 has only that of the whole process. */
const cpuUsage = process.threadCpuUsage ?? process.cpuUsage;

function backtracking(pattern: string): Matcher {
  return (value, budget) => {
    realm = Object.assign(realm ?? createContext({}), { pattern, value });
    while (budget.ms >= 1) {
      const begun = cpuUsage();
      try {
        return SCRIPT.runInContext(realm, { timeout: Math.floor(budget.ms) }) === true ? 'match' : 'mismatch';
      } catch (error) {
        if (!isTimeout(error)) return 'undecided';
        // By the clock: on a busy machine a quick match may have waited that long for its turn.
        budget.ms -= 1;
      } finally {
        const { user, system } = cpuUsage(begun);
        budget.ms -= (user + system) / 1_000;
      }
    }
    return 'too-slow';
  };
}

/** The error comes from the other realm, so `instanceof Error` fails. */
const isTimeout = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
