import { createContext, Script } from 'node:vm';
import { RE2JS } from 're2js';

/**
 * Regular expressions that come from the bank (required-details). They run in linear time; the few that need a
 * backtracking engine run under a time limit, so that no pattern can stop the process.
 */

const BACKTRACKING_LIMIT_MS = 50;
const CACHE_MAX = 500;

/** `undecided`: neither engine reads the pattern, only the bank can judge. */
export type PatternResult = 'match' | 'mismatch' | 'too-slow' | 'undecided';

type Matcher = (value: string, limitMs: number) => PatternResult;

const cache = new Map<string, Matcher>();

/**
 * Whether `pattern` matches somewhere in `value`; anchors are the pattern's own business. The dialect is not shown: RE2
 * reads `[\d-A-Za-z]` (interface section 2) like Java and PCRE, A to Z included, where JavaScript takes A and Z only.
 */
export function matchPattern(pattern: string, value: string, limitMs = BACKTRACKING_LIMIT_MS): PatternResult {
  let matcher = cache.get(pattern);
  if (matcher === undefined) {
    matcher = linear(pattern) ?? backtracking(pattern);
    if (cache.size >= CACHE_MAX) cache.clear();
    cache.set(pattern, matcher);
  }
  return matcher(value, limitMs);
}

function linear(pattern: string): Matcher | undefined {
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
    return (value) => (compiled.matcher(value).find() ? 'match' : 'mismatch');
  } catch {
    return undefined; // look-around, back-references, very long repeats
  }
}

function backtracking(pattern: string): Matcher {
  const script = new Script('new RegExp(pattern).test(value)');
  return (value, limitMs) => {
    try {
      const context = createContext({ pattern, value });
      return script.runInContext(context, { timeout: limitMs }) === true ? 'match' : 'mismatch';
    } catch (error) {
      return isTimeout(error) ? 'too-slow' : 'undecided';
    }
  };
}

/** The error belongs to the other realm: `instanceof Error` does not hold. */
const isTimeout = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
