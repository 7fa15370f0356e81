import { expect, it } from 'vitest';
import { isRunByEntry } from './layers.ts';
import { importsOf, sourceFiles } from './sources.ts';

/** What each file imports, types as well. */
const imports = new Map(
  sourceFiles().map((file) => [
    file,
    importsOf(file).flatMap(({ target }) => (target === undefined || isRunByEntry(file, target) ? [] : [target])),
  ]),
);

it('no file leads back to itself by its imports, not even by types', () => {
  const left = new Map(imports);
  const isFree = (file: string): boolean => (left.get(file) ?? []).every((target) => !left.has(target));
  for (let free = [...left.keys()].filter(isFree); free.length > 0; free = [...left.keys()].filter(isFree)) {
    for (const file of free) left.delete(file);
  }
  expect([...left.keys()]).toEqual([]);
  expect(imports.size).toBeGreaterThan(0);
});
