import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectFiles, read, sourceFiles } from './sources.ts';

const LINES_MAX = 600;
/** Named as what their neighbours are about: the settings of a subject, what the bank sends of it, a workflow. */
const NAMED_BY_SUBJECT = ['src/platform/config/', 'src/bank/schemas/', 'src/workflows/'];
/** What a folder shows. */
const TWICE: ReadonlySet<string> = new Set(['index.ts']);
const VAGUE_NAMES = /^(utils?|helpers?|managers?|common|misc|shared)$/i;
/** Recorded histories are data, and so is what npm writes. */
const WRITTEN_BY_PEOPLE = projectFiles().filter(
  (path) => !path.startsWith('test/replay/histories/') && path !== 'package-lock.json',
);
/** In pieces, so that this file does not hold them itself. */
const PLACES_OF_ONE_MACHINE = ['work', 'root', 'home']
  .map((name) => `/${name}/`)
  .concat(['registry', 'npmjs'].join('.'));
/** The home of its user in Temporal's image, wherever that runs. */
const PLACE_OF_AN_IMAGE = ['', 'home', 'temporal'].join('/');

describe('the files of the project', () => {
  it(`have at most ${LINES_MAX} lines where they are sources`, () => {
    const long = sourceFiles().filter((path) => lines(path) > LINES_MAX);
    expect(long.map((path) => `${path}: ${lines(path)} lines`)).toEqual([]);
  });

  it('are named for what they hold', () => {
    const parts = (path: string): string[] => [...path.split('/').slice(0, -1), basename(path).split('.')[0] ?? ''];
    expect(WRITTEN_BY_PEOPLE.filter((path) => parts(path).some((name) => VAGUE_NAMES.test(name)))).toEqual([]);
  });

  it('hold nothing that an edit or a merge has left behind', () => {
    expect(projectFiles().filter((path) => /(\.(orig|rej|bak|swp)|~)$/.test(path))).toEqual([]);
  });

  it('have a name of their own where they are sources', () => {
    const named = sourceFiles().filter((path) => !NAMED_BY_SUBJECT.some((folder) => path.startsWith(folder)));
    const byName = [...Map.groupBy(named, (path) => basename(path))];
    const twice = byName.filter(([name, paths]) => paths.length > 1 && !TWICE.has(name)).map(([, paths]) => paths);
    expect(twice).toEqual([]);
  });

  it('name no folder of one machine and no registry', () => {
    const found = projectFiles().flatMap((path) => {
      const text = read(path).replaceAll(PLACE_OF_AN_IMAGE, '');
      return PLACES_OF_ONE_MACHINE.filter((place) => text.includes(place)).map((place) => `${path} holds ${place}`);
    });
    expect(found).toEqual([]);
  });
});

const lines = (path: string): number => read(path).trimEnd().split('\n').length;
