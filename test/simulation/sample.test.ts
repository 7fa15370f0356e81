import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { hunt, type PlantedBug, simulate } from './as-command.ts';
import { MUTANTS } from './mutants/all-mutants.ts';
import { plant } from './product-hooks.ts';
import type { Summary } from './report.ts';

/** What takes seconds; more seeds, and a hunt for each kind of planted bug: `simulation.test.ts`. */
describe('a sample of the simulation', () => {
  it('breaks no rule', async () => {
    const { code, out, err } = await simulate('--seeds', '20', '--json');
    expect(err).toBe('');
    const summary = JSON.parse(out) as Summary;
    expect(summary.violations).toEqual([]);
    expect(code).toBe(0);
    expect(summary.seeds).toBe(20);
  });

  it('catches a planted bug, and prints the one command that repeats what it has caught', async () => {
    const bug: PlantedBug = ['switch-not-asked', 'I18', 8];
    const { code, out } = await hunt(bug);
    expect(code).toBe(1);
    const [, seed = ''] = new RegExp(`npm run simulate -- --seed (\\d+) --mutant ${bug[0]}$`, 'm').exec(out) ?? [];
    const repeated = await simulate('--seed', seed, '--mutant', bug[0]);
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
        expect(from, name).toBe('../../../src/bank/transport.ts');
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
    const edits = [{ file: 'src/platform/log.ts', find: 'nothing of the kind', replace: '' }];
    expect(() => plant({ ...mutant, number: 'X', name: 'gone', what: '', edits })).toThrow('no longer applies');
  });
});
