import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LAYERS, partOf, violations } from './layers.ts';
import { type ImportOf, importsOf, ROOT, read, sourceFiles } from './sources.ts';

const files = sourceFiles();
const imports = files.flatMap(importsOf);

describe('the layers', () => {
  it.each(Object.keys(LAYERS))('%s imports only what the design allows it', (part) => {
    const own = files.filter((file) => partOf(file) === part);
    expect(own, `${part} has no file: delete its row`).not.toEqual([]);
    expect(violations(imports.filter(({ file }) => partOf(file) === part))).toEqual([]);
  });

  it('have a row for every part of src/', () => {
    expect([...new Set(files.map(partOf))].sort()).toEqual(Object.keys(LAYERS).sort());
  });

  it.each([
    ['src/domain/money.ts', 'node:fs', undefined],
    ['src/domain/money.ts', '../identity.ts', 'src/identity.ts'],
    ['src/workflows/payout.ts', '../activities/sends.ts', 'src/activities/sends.ts'],
    ['src/workflows/payout.ts', 'zod', undefined],
    ['src/activities/sends.ts', '../store/open.ts', 'src/store/open.ts'],
    ['src/activities/sends.ts', '../rules/finding.ts', 'src/rules/finding.ts'],
    ['src/api/client.ts', '@temporalio/common', undefined],
    ['src/api/client.ts', '../config.ts', 'src/config.ts'],
    ['src/sandbox/server.ts', '../api/client.ts', 'src/api/client.ts'],
    ['src/formats/csv/read-csv.ts', '../../store/open.ts', 'src/store/open.ts'],
    ['src/store/open.ts', '../api/errors.ts', 'src/api/errors.ts'],
    ['src/cli/program.ts', '../starter.ts', 'src/starter.ts'],
    ['src/temporal/bundle.ts', '../support/until.ts', 'test/support/until.ts'],
    ['src/newcomer/first.ts', 'zod', undefined],
  ])('refuse %s the import of %s', (file, specifier, target) => {
    const offender: ImportOf = { file, line: 7, specifier, target, typeOnly: false };
    expect(violations([offender])).toEqual([expect.stringContaining(`${file}:7 imports "${specifier}", but `)]);
  });

  it('tell a type from a value: activities may name the store and not use it', () => {
    const typeOnly = { file: 'src/services/deps.ts', line: 1, specifier: '../store/store.ts', typeOnly: true };
    expect(violations([{ ...typeOnly, target: 'src/store/store.ts' }])).toEqual([]);
    expect(violations([{ ...typeOnly, target: 'src/store/store.ts', typeOnly: false }])).toHaveLength(1);
  });
});

describe('the reader of imports', () => {
  it('finds every import of every file, and each names a file that is there', () => {
    for (const file of files) {
      const mentioned = read(file).match(/\bfrom '[^']+'|^import '[^']+'|\bimport\('[^']+'\)/gm) ?? [];
      expect(importsOf(file), file).toHaveLength(mentioned.length);
    }
    const missing = imports.filter(({ target }) => target !== undefined && !existsSync(join(ROOT, target)));
    expect(missing).toEqual([]);
  });
});

describe('the environment', () => {
  it('is read by src/config.ts alone', () => {
    const readers = files.filter((file) => /\bprocess\s*(\?\.|\.)\s*env\b|\bprocess\[|'node:process'/.test(read(file)));
    expect(readers).toEqual(['src/config.ts']);
  });
});
