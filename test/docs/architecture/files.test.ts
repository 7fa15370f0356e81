import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectFiles, read, sourceFiles } from './sources.ts';

const LINES_MAX = 600;
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

  it('name no folder of one machine and no registry', () => {
    const found = projectFiles().flatMap((path) => {
      const text = read(path).replaceAll(PLACE_OF_AN_IMAGE, '');
      return PLACES_OF_ONE_MACHINE.filter((place) => text.includes(place)).map((place) => `${path} holds ${place}`);
    });
    expect(found).toEqual([]);
  });
});

const lines = (path: string): number => read(path).trimEnd().split('\n').length;
