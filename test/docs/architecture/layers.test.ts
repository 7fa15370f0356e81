import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LAYERS, layerOf, violations } from './layers.ts';
import { type ImportOf, importsOf, ROOT, read, sourceFiles } from './sources.ts';

const files = sourceFiles();
const imports = files.flatMap(importsOf);

describe('the layers', () => {
  it.each(LAYERS)('$name uses only what is listed before it', ({ name }) => {
    const own = files.filter((file) => layerOf(file) === name);
    expect(own, `${name} has no file: delete its row`).not.toEqual([]);
    expect(violations(imports.filter(({ file }) => layerOf(file) === name))).toEqual([]);
  });

  it('have a row for everything under src/', () => {
    expect(LAYERS.map(({ name }) => name).toSorted()).toEqual([...new Set(files.map(layerOf))].toSorted());
  });

  it.each([
    ['src/domain/money.ts', 'node:fs', undefined],
    ['src/domain/money.ts', '../store/open.ts', 'src/store/open.ts'],
    ['src/workflows/payout.ts', '../activities/sends.ts', 'src/activities/send.ts'],
    ['src/workflows/payout.ts', '../store/open.ts', 'src/store/open.ts'],
    ['src/workflows/payout.ts', 'zod', undefined],
    ['src/activities/send.ts', '../files/read-file.ts', 'src/files/read-file.ts'],
    ['src/bank/client.ts', '@temporalio/common', undefined],
    ['src/bank/client.ts', '../platform/config.ts', 'src/platform/config.ts'],
    ['src/sandbox/start-sandbox.ts', '../bank/client.ts', 'src/bank/client.ts'],
    ['src/sandbox/start-sandbox.ts', '../store/open.ts', 'src/store/open.ts'],
    ['src/store/open.ts', '../bank/errors.ts', 'src/bank/errors.ts'],
    ['src/cli/program.ts', '../starter.ts', 'src/starter.ts'],
    ['src/channels/http/gateway-server.ts', '../../worker.ts', 'src/worker.ts'],
    ['src/platform/temporal/bundle.ts', '../support/until.ts', 'test/support/until.ts'],
    ['src/newcomer/first.ts', 'zod', undefined],
  ])('refuse %s the import of %s', (file, specifier, target) => {
    const offender: ImportOf = { file, line: 7, specifier, target, typeOnly: false };
    expect(violations([offender])).toEqual([expect.stringContaining(`${file}:7 imports "${specifier}", but `)]);
  });

  it('distinguish a type from a value: workflows may name an activity and not hold it', () => {
    const named = { file: 'src/workflows/proxies.ts', line: 1, specifier: '../activities/index.ts', typeOnly: true };
    const target = 'src/activities/index.ts';
    expect(violations([{ ...named, target }])).toEqual([]);
    expect(violations([{ ...named, target, typeOnly: false }])).toHaveLength(1);
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
  it('is read by src/platform/config.ts alone', () => {
    const readers = files.filter((file) => /\bprocess\s*(\?\.|\.)\s*env\b|\bprocess\[|'node:process'/.test(read(file)));
    expect(readers).toEqual(['src/platform/config.ts']);
  });
});
