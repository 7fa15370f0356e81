import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { COMPILE_CACHE } from '../support/compile-cache.ts';
import { MUTANTS } from './mutants/all-mutants.ts';
import { plant } from './product-hooks.ts';
import type { Summary } from './report.ts';
import type { SeedOutcome } from './run-seed.ts';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
const run = promisify(execFile);

/** Runs the simulation in a process of its own: its clocks and its Temporal are not those of a test. */
async function simulate(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  try {
    const env = { ...process.env, ...COMPILE_CACHE };
    const { stdout, stderr } = await run(process.execPath, [MAIN, ...args], { env, maxBuffer: 64 * 1024 * 1024 });
    return { code: 0, out: stdout, err: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, out: stdout, err: stderr };
  }
}

const hunt = (mutant: string, from: number) =>
  simulate('--seeds', '100', '--from', `${from}`, '--jobs', '1', '--mutant', mutant);

describe('the simulation', () => {
  it('breaks no rule in the seeds of a fixed budget', { timeout: 600_000 }, async () => {
    // Other seeds every day, told so that a failure can be repeated.
    const from = `${Math.floor(Date.now() / 86_400_000) * 200}`;
    console.log(`npm run simulate -- --seeds 200 --from ${from}`);
    const { code, out, err } = await simulate('--seeds', '200', '--from', from, '--json');
    expect(err).toBe('');
    const summary = JSON.parse(out) as Summary;
    expect(summary.violations).toEqual([]);
    expect(code).toBe(0);
    expect(summary.seeds).toBe(200);
    expect(summary.decidableParked).toBe(0);
    const worlds = ['older copy, told', 'older copy, untold', 'foreign calls', 'odd start', 'next generation taken'];
    const runs = ['kill', 'pause', 'terminated', 'reset, messages kept', 'reset, messages dropped'];
    for (const kind of [...runs, ...worlds, 'write drop-after', 'write commit-late']) {
      expect(summary.faults, `${kind} never fired`).toHaveProperty(kind);
    }
  });

  it('breaks no rule where people, the bank and the end of a question come in one moment', {
    timeout: 600_000,
  }, async () => {
    const { out, err } = await simulate('--seeds', '60', '--at-once', '--json');
    expect(err).toBe('');
    const { violations, faults } = JSON.parse(out) as Summary;
    expect(violations).toEqual([]);
    const acts = ['approve', 'reject', 'cancel', 'payee changed', 'fee changed', 'decided at the bank'];
    for (const act of acts) expect(faults, `${act} never came`).toHaveProperty([`at once: ${act}`]);
    for (const kind of ['payout', 'hold', 'bank']) expect(faults).toHaveProperty([`at once, ${kind}`]);
  });

  it('runs a seed the same way every time, alone or after others', { timeout: 600_000 }, async () => {
    const traces = await Promise.all(
      [1, 3].map(async (jobs) => {
        const { out } = await simulate('--seeds', '9', '--jobs', `${jobs}`, '--json');
        return (JSON.parse(out) as Summary).traces;
      }),
    );
    expect(traces[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(new Set(traces).size).toBe(1);
    const alone = await Promise.all([7, 7, 9].map((seed) => simulate('--seed', `${seed}`, '--json')));
    const [first, again, other] = alone.map(({ out }) => (JSON.parse(out) as SeedOutcome).traceHash);
    expect(again).toBe(first);
    expect(other).not.toBe(first);
  });

  // Seeds begin where a bug is caught soon. One process ends with the first seed that breaks a rule; two would each go on to
  // one of their own.
  it.each([
    ['new-reference-on-retry', 'I2', 4],
    ['lost-answer-not-sent', 'I3', 12],
    ['unknown-code-refused', 'I[15]', 20],
    ['maker-may-approve', 'I8', 1],
    ['float-amount', 'I15', 3],
    ['switch-not-asked', 'I18', 8],
    ['store-not-compared', 'I6', 137],
    ['generation-not-checked', 'I2', 16],
    ['run-not-compared', 'I19', 7],
    ['clocks-not-compared', 'I5', 331],
    ['clock-set-right-unnoticed', 'I13', 3_485],
    ['generation-by-a-word', 'I1', 228],
  ])('catches %s by %s', { timeout: 600_000 }, async (mutant, invariant, from) => {
    const { code, out } = await hunt(mutant, from);
    expect(code).toBe(1);
    expect(out).toMatch(new RegExp(`  ${invariant} `));
  });

  it('prints the one command that repeats what it has caught', async () => {
    const mutant = 'switch-not-asked';
    const { out } = await hunt(mutant, 8);
    const [, seed = ''] = new RegExp(`npm run simulate -- --seed (\\d+) --mutant ${mutant}$`, 'm').exec(out) ?? [];
    const repeated = await simulate('--seed', seed, '--mutant', mutant);
    expect(repeated.code).toBe(1);
    expect(repeated.out).toMatch(/ VIOLATION I18 /);
  });

  it('refuses what it does not understand', async () => {
    for (const args of [['--seeds', '0'], ['--mutant', 'no-such-bug'], ['--fast']]) {
      const { code, err } = await simulate(...args);
      expect(code).toBe(2);
      expect(err).toContain('npm run simulate');
    }
  });
});

describe('the model bank', () => {
  it('shares nothing with the product but the shape of a transport', () => {
    const folder = new URL('./bank/', import.meta.url);
    for (const name of readdirSync(folder)) {
      const imports = [...readFileSync(new URL(name, folder), 'utf8').matchAll(/^import (.*) from '([^']+)';$/gm)];
      const ofProduct = imports.filter(([, , from]) => from?.includes('/src/'));
      for (const [, what, from] of ofProduct) {
        expect(from, name).toBe('../../../src/api/transport.ts');
        expect(what, name).toMatch(/^type /);
      }
    }
  });
});

describe('the planted bugs', () => {
  it('apply to the product as it is', () => {
    for (const mutant of MUTANTS) expect(() => plant(mutant)).not.toThrow();
  });

  it('are at least 24, each with a name and a number of its own', () => {
    expect(MUTANTS.length).toBeGreaterThanOrEqual(24);
    expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
    expect(new Set(MUTANTS.map(({ number }) => number)).size).toBe(MUTANTS.length);
  });

  it('are refused when the text they replace is gone', () => {
    const [mutant] = MUTANTS;
    const edits = [{ file: 'src/log.ts', find: 'nothing of the kind', replace: '' }];
    expect(() => plant({ ...mutant, number: 'X', name: 'gone', what: '', edits })).toThrow('no longer applies');
  });
});
