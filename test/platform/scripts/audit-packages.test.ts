import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { advisories, lockProblems } from '../../../scripts/audit-packages.mjs';
import { ROOT } from '../../docs/markdown.ts';

const read = (file: string) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
const lock: { packages: Record<string, Record<string, unknown>> } = read('package-lock.json');
const manifest = read('package.json');

/** The lock file with one package changed or added. */
const withPackage = (path: string, members: Record<string, unknown>) => ({
  packages: { ...lock.packages, [path]: { ...lock.packages[path], ...members } },
});
const without = (path: string) => ({
  packages: Object.fromEntries(Object.entries(lock.packages).filter(([it]) => it !== path)),
});
const fine = { version: '1.0.0', integrity: 'sha512-AAAA', license: 'MIT' };

describe('the lock file', () => {
  it('has nothing that should not be installed', () => {
    expect(lockProblems(lock, manifest)).toEqual([]);
    expect(lockProblems(withPackage('node_modules/another', fine), manifest)).toEqual([]);
  });

  it.each([
    ['contents that nobody compares', { integrity: undefined }, 'no SHA-512 of its contents'],
    ['a digest that can be forged', { integrity: 'sha1-AAAA' }, 'no SHA-512 of its contents'],
    ['a licence that nobody has agreed to', { license: 'AGPL-3.0' }, 'licence AGPL-3.0'],
    ['one of two that nobody has agreed to', { license: 'MIT AND AGPL-3.0' }, 'licence MIT AND AGPL-3.0'],
    ['no licence', { license: undefined }, 'licence unknown'],
    ['an install script', { hasInstallScript: true }, 'runs a script when it is installed'],
    [
      'a source beside the registry',
      { resolved: 'git+ssh://example.com/x' },
      'not from a registry: git+ssh://example.com/x',
    ],
  ])('may not name a package with %s', (_, members, problem) => {
    const problems = lockProblems(withPackage('node_modules/another', { ...fine, ...members }), manifest);
    expect(problems).toEqual([`another@1.0.0: ${problem}`]);
  });

  it('names the packages of every platform', () => {
    expect(lockProblems(without('node_modules/@swc/core-darwin-arm64'), manifest)).toEqual([
      '@swc/core: its optional package @swc/core-darwin-arm64 is not locked',
    ]);
  });

  it('has one version of the Temporal SDK', () => {
    const path = 'node_modules/@temporalio/client';
    const [problem] = lockProblems(withPackage(path, { version: '1.23.0' }), manifest);
    expect(problem).toContain('one exact version for all of them');
    const ranged = { ...manifest, dependencies: { ...manifest.dependencies, '@temporalio/worker': '^1.24.0' } };
    expect(lockProblems(lock, ranged)).toHaveLength(1);
  });
});

it('a grave vulnerability counts where the product runs with it', () => {
  const found = (severity: string, path: string) =>
    advisories({ vulnerabilities: { x: { name: 'x', severity, nodes: [path] } } }, lock);
  expect(found('critical', 'node_modules/undici')).toEqual({ grave: ['x: critical'], others: [] });
  expect(found('low', 'node_modules/undici')).toEqual({ grave: [], others: ['x: low'] });
  expect(found('critical', 'node_modules/vitest')).toEqual({ grave: [], others: ['x: critical'] });
});
