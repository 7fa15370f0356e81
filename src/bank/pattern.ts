import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Context, createContext, Script } from 'node:vm';
import type { RE2JS } from 're2js';

/**
 * Runs regular expressions that come from the bank (required-details). Most run in linear time within a number of steps; the few
 * that need a backtracking engine run under a time limit, and so does all code that reads a pattern. So no pattern can stop the
 * process, and the patterns of one payee hold it for less than 100 ms together.
 */

/** Remaining budget for the patterns of one payee; every new pattern and every match uses some of it. */
export interface PatternBudget {
  /** For reading patterns that were not read before, of CPU time. */
  readMs: number;
  /** For the linear engine: program size times characters, some ten nanoseconds per step. */
  steps: number;
  /** For the backtracking engine, of CPU time. */
  ms: number;
}

/** Thousands of times what the interface's patterns need. */
export const patternBudget = (): PatternBudget => ({ readMs: 50, steps: 1_500_000, ms: 20 });

/** Limit of characters times repeats, which determine the memory that a pattern takes. */
const SIZE_MAX = 50_000;
/** For the backtracking engine, which reads a pattern at one go: 10,000 characters take it 250 ms. */
const BACKTRACKING_LENGTH_MAX = 1_000;
const CACHE_MAX = 500;

/** `undecided`: neither engine reads the pattern in time, only the bank can judge. */
type PatternResult = 'match' | 'mismatch' | 'too-slow' | 'undecided';

type Matcher = (value: string, budget: PatternBudget) => PatternResult;

const cache = new Map<string, Matcher>();

const undecided: Matcher = () => 'undecided';

/**
 * Whether `pattern` matches anywhere in `value`; anchoring is up to the pattern. The dialect is not shown: RE2 reads
 * `[\d-A-Za-z]` (interface section 2) like Java and PCRE, with the range A to Z, where JavaScript takes only A and Z.
 */
export function matchPattern(pattern: string, value: string, budget = patternBudget()): PatternResult {
  if (budget.steps <= 0) return 'too-slow';
  const matcher = cache.get(pattern) ?? read(pattern, budget);
  return matcher?.(value, budget) ?? 'undecided';
}

/** Undefined: what other patterns have left of the budget is not enough. A pattern that takes all of a budget is never read. */
function read(pattern: string, budget: PatternBudget): Matcher | undefined {
  const isWhole = budget.readMs >= patternBudget().readMs;
  const matcher = sizeOf(pattern) > SIZE_MAX ? undecided : matcherOf(pattern, budget);
  if (matcher === undefined && !isWhole) return undefined;
  if (cache.size >= CACHE_MAX) cache.clear();
  cache.set(pattern, matcher ?? undecided);
  return matcher;
}

function matcherOf(pattern: string, budget: PatternBudget): Matcher | undefined {
  linearEngine();
  const left = { ms: budget.readMs };
  try {
    const compiled = inTime(left, (timeout) => compile(pattern, timeout));
    return compiled === 'too-slow' ? undefined : linear(compiled);
  } catch {
    // Look-around, back-references, very long repeats.
    return pattern.length > BACKTRACKING_LENGTH_MAX ? undecided : backtracking(pattern);
  } finally {
    budget.readMs = left.ms;
  }
}

function compile(pattern: string, timeout: number): RE2JS {
  try {
    return COMPILE.runInContext(Object.assign(linearEngine(), { pattern }), { timeout });
  } catch (error) {
    // It was stopped at any place, and may have left tables half made that what it compiled before uses too.
    if (isTimeout(error)) {
      delete realms.linear;
      cache.clear();
    }
    throw error;
  }
}

/** `{1,1000}` compiles to a thousand copies of what precedes it. */
function sizeOf(pattern: string): number {
  const repeats = pattern.matchAll(/\{(\d{1,9})(?:,(\d{0,9}))?\}/g);
  return pattern.length * repeats.reduce((sum, [, least, most]) => sum + Math.max(Number(least), Number(most ?? 0)), 1);
}

const linear =
  (compiled: RE2JS): Matcher =>
  (value, budget) => {
    budget.steps -= compiled.programSize() * (value.length + 1);
    if (budget.steps < 0) return 'too-slow';
    return compiled.matcher(value).find() ? 'match' : 'mismatch';
  };

const COMPILE = new Script('RE2JS.compile(RE2JS.translateRegExp(pattern))');
const TEST = new Script('new RegExp(pattern).test(value)');

/** The scripts in them are ours and the engine's, the bank's text is data. Making one takes longer than most matches. */
const realms: { linear?: Context; backtracking?: Context } = {};
let engine: Script | undefined;

/** RE2JS in a realm of its own, which is thrown away with its unfinished work when it is stopped. */
function linearEngine(): Context {
  engine ??= new Script(
    `(() => { const exports = {}; ${readFileSync(createRequire(import.meta.url).resolve('re2js'), 'utf8')}
    return exports.RE2JS; })()`,
  );
  if (realms.linear === undefined) {
    const realm = createContext({});
    realms.linear = Object.assign(realm, { RE2JS: engine.runInContext(realm) });
  }
  return realms.linear;
}

const backtracking =
  (pattern: string): Matcher =>
  (value, budget) => {
    realms.backtracking = Object.assign(realms.backtracking ?? createContext({}), { pattern, value });
    const realm = realms.backtracking;
    try {
      const matches = inTime(budget, (timeout): boolean => TEST.runInContext(realm, { timeout }));
      if (matches === 'too-slow') return matches;
      return matches ? 'match' : 'mismatch';
    } catch {
      return 'undecided';
    }
  };

/** Node 22 has only that of the whole process. */
const cpuUsage = process.threadCpuUsage ?? process.cpuUsage;

/** Runs something under the rest of a budget of CPU time. What it throws itself is thrown. */
function inTime<Result>(budget: { ms: number }, run: (timeout: number) => Result): Result | 'too-slow' {
  while (budget.ms >= 1) {
    const begun = cpuUsage();
    try {
      return run(Math.floor(budget.ms));
    } catch (error) {
      if (!isTimeout(error)) throw error;
      // By the clock: on a busy machine something quick may have waited that long for its turn.
      budget.ms -= 1;
    } finally {
      const { user, system } = cpuUsage(begun);
      budget.ms -= (user + system) / 1_000;
    }
  }
  return 'too-slow';
}

/** The error comes from the other realm, so `instanceof Error` fails. */
const isTimeout = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
