import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { documentText, tableRows } from './markdown.ts';

const text = documentText('docs/security.md');
const tested = documentText('test/docs/security-points.md');

describe('the security', () => {
  it('is tested in every point of the checklist', () => {
    const rows = tested.split('\n').filter((line) => /^\| S\d/.test(line));
    const points = rows.flatMap((row) => row.split('|')[1]?.match(/\d+/g) ?? []).map(Number);
    expect(points.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
  });

  it('has a test of each foothold', () => {
    const footholds = tableRows(tested, 'Footholds');
    expect(footholds.length).toBeGreaterThan(25);
    expect(footholds.filter((row) => !/`test\/[^`]+\.test\.ts`/.test(row))).toEqual([]);
  });

  it('names tests that there are', () => {
    const named = [...`${text}${tested}`.matchAll(/`(test\/[^`]+)`/g)].map(([, path = '']) => path);
    expect(named.length).toBeGreaterThan(120);
    expect(named.filter((path) => !existsSync(new URL(`../../${path}`, import.meta.url)))).toEqual([]);
  });
});
