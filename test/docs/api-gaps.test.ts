import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CONFIG_KEYS } from '../../src/platform/config.ts';
import { cellsOf, documentText, ROOT, tableRows } from './markdown.ts';

const text = documentText('docs/api-gaps.md');
const sections = [...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading ?? '');
/** Cells of every gap: what is not shown, what we do, where the choice is, what would show it wrong. */
const gaps = sections.flatMap((heading) => tableRows(text, heading)).map(cellsOf);

describe('docs/api-gaps.md', () => {
  it('has a row for every setting that replaces something not shown', () => {
    const keys = Object.entries(CONFIG_KEYS).flatMap(([name, { meaning }]) =>
      meaning.includes('(api-gaps)') ? [name] : [],
    );
    const places = gaps.map(([, , place]) => place).join('\n');
    expect(keys.length).toBeGreaterThan(0);
    expect(keys.filter((key) => !places.includes(`\`${key}\``))).toEqual([]);
  });

  it('fills every cell and says where each choice is', () => {
    const incomplete = gaps.filter((cells) => cells.length !== 4 || cells.some((cell) => cell === ''));
    expect(incomplete).toEqual([]);
    const nowhere = gaps.filter(([, , place = '']) => !/`(PAYOUTS_|src\/)|not built/.test(place));
    expect(nowhere).toEqual([]);
  });

  it('names constants that are in the file it names', () => {
    const constants = [...text.matchAll(/`(\w+)` in `(src\/[^`]+)`/g)];
    expect(constants.length).toBeGreaterThan(0);
    const wrong = constants.filter(([, name = '', file = '']) => {
      const path = join(ROOT, file);
      return !existsSync(path) || !new RegExp(`\\b${name}\\b`).test(readFileSync(path, 'utf8'));
    });
    expect(wrong.map(([whole]) => whole)).toEqual([]);
  });
});
