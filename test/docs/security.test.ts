import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cellsOf, documentText, tableRows } from './markdown.ts';

const text = documentText('docs/security.md');
const tested = documentText('test/docs/security-points.md');

/** Those of the table of footholds of a document: who an attacker is. */
const firstCells = (document: string): string[] =>
  tableRows(document, document === text ? 'Footholds, with a policy set' : 'Footholds').map(
    (row) => cellsOf(row)[0] ?? '',
  );

describe('the security', () => {
  it('is tested in every point of the checklist', () => {
    const rows = tested.split('\n').filter((line) => /^\| S\d/.test(line));
    const points = rows.flatMap((row) => row.split('|')[1]?.match(/\d+/g) ?? []).map(Number);
    expect(points.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
  });

  it('tries what each foothold can do', () => {
    const footholds = firstCells(text).map((cell) => cell.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1'));
    expect(footholds.length).toBeGreaterThan(25);
    expect(firstCells(tested)).toEqual(footholds);
    const untested = tableRows(tested, 'Footholds').filter((row) => !/`test\/[^`]+\.test\.ts`/.test(row));
    expect(untested).toEqual([]);
  });

  it('names tests that there are', () => {
    const named = [...`${text}${tested}`.matchAll(/`(test\/[^`]+)`/g)].map(([, path = '']) => path);
    expect(named.length).toBeGreaterThan(120);
    expect(named.filter((path) => !existsSync(new URL(`../../${path}`, import.meta.url)))).toEqual([]);
  });
});
