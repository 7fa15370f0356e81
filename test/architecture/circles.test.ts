import { expect, it } from 'vitest';
import { importsOf, sourceFiles } from './sources.ts';

/** What a file of the store imports from it, types as well. */
const imports = new Map(
  sourceFiles()
    .filter((file) => file.startsWith('src/store/'))
    .map((file) => [file, importsOf(file).flatMap(({ target }) => target ?? [])]),
);

it('the store has no circle of imports, not even of types', () => {
  const left = new Map(imports);
  const isFree = (file: string): boolean => (left.get(file) ?? []).every((target) => !left.has(target));
  for (let free = [...left.keys()].filter(isFree); free.length > 0; free = [...left.keys()].filter(isFree)) {
    for (const file of free) left.delete(file);
  }
  expect([...left.keys()]).toEqual([]);
  expect(imports.size).toBeGreaterThan(0);
});
