import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './sources.ts';

const SDK_VERSION = '1.24.0';
const scope = join(ROOT, 'node_modules', '@temporalio');
const installed = readdirSync(scope).sort();

const manifest = (folder: string): { version: string } & Record<string, Record<string, string> | undefined> =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

it('every package of the Temporal SDK is installed in the one version the histories were recorded with', () => {
  const versions = installed.map((name) => [name, manifest(join(scope, name)).version]);
  expect(versions).toEqual(installed.map((name) => [name, SDK_VERSION]));
  expect(installed).toEqual(expect.arrayContaining(['activity', 'client', 'common', 'worker', 'workflow']));
});

it('every dependency is pinned, but for types alone', () => {
  const { dependencies, devDependencies } = manifest(ROOT);
  const { optionalDependencies } = manifest(join(ROOT, 'scripts', 'node'));
  const ranges = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }).filter(
    ([name, version]) => !/^@types\/|^node-for-clones$/.test(name) && !/^\d+\.\d+\.\d+$/.test(version),
  );
  expect(ranges).toEqual([]);
});

it('a platform for which npm has no such Node gets the other packages all the same', () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  expect(packages['node_modules/node']).toMatchObject({ dev: true, optional: true });
});

it('the Temporal SDK and the product share one protobufjs', () => {
  const folders = [ROOT, ...installed.map((name) => join(scope, name))];
  const copies = folders.map((folder) => {
    const require = createRequire(join(realpathSync(folder), 'package.json'));
    return realpathSync(require.resolve('protobufjs/package.json'));
  });
  expect(new Set(copies).size, [...new Set(copies)].join(', ')).toBe(1);
});

it('what keeps the package from being built is seen by every check: its compiler only writes elsewhere', () => {
  const { compilerOptions } = JSON.parse(readFileSync(join(ROOT, 'tsconfig.build.json'), 'utf8'));
  expect(Object.keys(compilerOptions).sort()).toEqual(['noEmit', 'outDir', 'rootDir', 'sourceMap']);
});
