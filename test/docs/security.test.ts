import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const text = readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8');
const tested = readFileSync(new URL('./security-points.md', import.meta.url), 'utf8');

describe('the security', () => {
  it('is tested in every point of the checklist', () => {
    const rows = tested.split('\n').filter((line) => /^\| S\d/.test(line));
    const points = rows.flatMap((row) => row.split('|')[1]?.match(/\d+/g) ?? []).map(Number);
    expect(points.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
  });

  it('says of each foothold what was tried, by a test', () => {
    const [, table = ''] = /## Footholds.*?\n\n(\| an attacker.*?)\n\n/s.exec(text) ?? [];
    const rows = table.split('\n').slice(2);
    const wanting = rows.filter((row) => {
      const cells = row.split(' | ');
      return cells.length !== 4 || !/`test\/[^`]+\.test\.ts`/.test(cells[3] ?? '');
    });
    expect(rows.length).toBeGreaterThan(25);
    expect(wanting).toEqual([]);
  });

  it('names tests that there are', () => {
    const named = [...`${text}${tested}`.matchAll(/`(test\/[^`]+)`/g)].map(([, path = '']) => path);
    expect(named.length).toBeGreaterThan(120);
    expect(named.filter((path) => !existsSync(new URL(`../../${path}`, import.meta.url)))).toEqual([]);
  });
});
