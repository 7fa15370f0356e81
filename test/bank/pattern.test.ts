import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchPattern, patternBudget } from '../../src/bank/pattern.ts';
import { longestTurn } from '../support/longest-turn.ts';

/** Patterns the interface shows (sections 2 and 8) and two usual ones. */
const PATTERNS = ['^[\\d ]{6,13}$', '^[\\d ]+$', '^[a-zA-Z0-9 ]{6,15}$', '^\\+?\\d{6,15}$', '\\d'];

test('agrees with RegExp.test on the patterns of the interface', () => {
  const value = fc.oneof(fc.string(), fc.stringMatching(/^[\dA-Za-z +-]{0,20}\n?$/));
  fc.assert(
    fc.property(fc.constantFrom(...PATTERNS), value, (pattern, text) => {
      const unhurried = { ...patternBudget(), readMs: 60_000, ms: 60_000 };
      expect(matchPattern(pattern, text, unhurried)).toBe(new RegExp(pattern).test(text) ? 'match' : 'mismatch');
    }),
  );
});

test('the postcode pattern of the interface takes digits, dashes and every letter', () => {
  for (const postcode of ['10001', '10001-1234', 'SW1A1AA', 'd02x285']) {
    expect(matchPattern('^[\\d-A-Za-z]+$', postcode)).toBe('match');
  }
  for (const text of ['10 001', '10001#', '']) expect(matchPattern('^[\\d-A-Za-z]+$', text)).toBe('mismatch');
});

test('a pattern that backtracks for ever runs in linear time', () => {
  expect(matchPattern('^(a+)+$', `${'a'.repeat(50_000)}!`)).toBe('mismatch');
});

test('a pattern with look-around works, and is stopped when it takes too long', () => {
  expect(matchPattern('^(?!0)\\d+$', '12')).toBe('match');
  expect(matchPattern('^(?!0)\\d+$', '012')).toBe('mismatch');
  expect(matchPattern('^(?=a)(a+)+$', `${'a'.repeat(60)}!`)).toBe('too-slow');
});

/** Matches quick values, three under each budget, until its input ends; then says how many results were others than `match`. */
const MATCHING = `
  import { matchPattern, patternBudget } from ${JSON.stringify(new URL('../../src/bank/pattern.ts', import.meta.url).href)};
  let others = 0;
  let ended = false;
  process.stdin.resume().once('end', () => { ended = true; });
  const go = () => {
    const budget = patternBudget();
    for (const value of ['1', '2', '3']) if (matchPattern('^(?!0)\\\\d+$', value, budget) !== 'match') others += 1;
    if (ended) console.log(others);
    else setImmediate(go);
  };
  go();
  console.log('matching');
`;

test('a quick pattern is never too slow, however long the process waits for its turn', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', MATCHING], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    await once(child.stdout, 'data');
    for (let turn = 0; turn < 10; turn += 1) {
      child.kill('SIGSTOP');
      await pause(60);
      child.kill('SIGCONT');
      await pause(10);
    }
    child.stdin.end();
    const [text] = await once(child.stdout, 'data');
    expect(`${text}`.trim()).toBe('0');
  } finally {
    child.kill('SIGKILL');
  }
});

test('a pattern no engine reads decides nothing', () => {
  expect(matchPattern('[', 'x')).toBe('undecided');
});

const HELD_MAX = 100;

test.each([
  ['^(\\p{L}{1,1000})*$', 'too-slow or undecided'],
  ['^(((a{0,10}){0,10}){0,10})*$', 'too-slow or undecided'],
  [`^(${'a{1000}'.repeat(100)})*$`, 'undecided'],
  [`^(${'\\p{L}'.repeat(500)}){1000}$`, 'undecided'],
  ['^[\\d ]{6,13}$', 'mismatch'],
])('%.40s holds up nobody on 50,000 characters', async (pattern, results) => {
  const value = `${'a'.repeat(50_000)}!`;
  const match = () => expect(results.split(' or ')).toContain(matchPattern(pattern, value));
  expect(await longestTurn(match, HELD_MAX)).toBeLessThan(HELD_MAX);
});

/** What reading takes long, each of its own: case without end, many classes, many copies, many groups. */
const HEAVY: readonly ((n: number) => string)[] = [
  (n) => `(?i)${'[a-\u{10ffff}]'.repeat(500)}x{0,${n}}`,
  (n) => `(?i)${'\\p{L}'.repeat(900)}x{0,${n}}`,
  (n) => `(?i)[a-\u{10ffff}]{1,${400 + n}}\\p{L}{1,1000}`,
  (n) => `(?=a)${'(a|b)'.repeat(1_500 + n)}`,
  (n) => `(?=a)${'(?:[a-z]|[A-Z])?'.repeat(60)}${'x?'.repeat(n)}$`,
];

test.each(HEAVY.map((heavy) => [heavy(1).slice(0, 30), heavy] as const))(
  'the patterns of a payee hold up nobody together, however long each takes to read: %s',
  async (_name, heavy) => {
    let n = 0;
    const payee = () => {
      const budget = patternBudget();
      for (let field = 0; field < 96; field += 1) {
        n += 1;
        matchPattern(heavy(n), 'a'.repeat(35), budget);
      }
      expect(matchPattern(`^a{${n}}$`, 'a', patternBudget())).toBe('mismatch');
    };
    expect(await longestTurn(payee, HELD_MAX)).toBeLessThan(HELD_MAX);
  },
);

test('a pattern that takes a whole budget to read is not read again, one that met what others left is', () => {
  const heavy = `(?i)${'[a-\u{10ffff}]'.repeat(500)}y`;
  const first = patternBudget();
  expect(matchPattern(heavy, 'a', first)).toBe('undecided');
  expect(first.readMs).toBeLessThan(1);
  const quick = '^[b-d]{1,7}$';
  expect(matchPattern(quick, 'bcd', first)).toBe('undecided');
  const second = patternBudget();
  expect(matchPattern(heavy, 'a', second)).toBe('undecided');
  expect(second.readMs).toBe(patternBudget().readMs);
  expect(matchPattern(quick, 'bcd', second)).toBe('match');
});

test('any pattern on any value takes its steps of the budget, and nothing is tried without any', async () => {
  const piece = fc.constantFrom(
    'a',
    'a?',
    '\\p{L}',
    '.',
    '(a|b)',
    '(?:a*)*',
    '[^x]',
    '{0,10}',
    '{1,1000}',
    '+',
    '*?',
    '|',
  );
  const pieces = fc.array(piece, { maxLength: 12 }).map((list) => list.join(''));
  const value = fc.tuple(fc.constantFrom('a', 'ab', 'é', '\u{1f600}', ' '), fc.constantFrom(1, 35, 1_000, 50_000));
  await fc.assert(
    fc.asyncProperty(pieces, value, async (pattern, [text, times]) => {
      const match = () => {
        const budget = { ...patternBudget(), ms: 0 };
        matchPattern(pattern, text.repeat(times), budget);
        expect(budget.steps).toBeLessThanOrEqual(patternBudget().steps);
        expect(matchPattern(pattern, 'a', { readMs: 0, steps: 0, ms: 0 })).toBe('too-slow');
      };
      expect(await longestTurn(match, HELD_MAX)).toBeLessThan(HELD_MAX);
    }),
    { numRuns: 300 },
  );
});
