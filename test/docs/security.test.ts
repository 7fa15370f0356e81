import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const text = readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8');

describe('docs/security.md', () => {
  it('has every point of the checklist once', () => {
    const rows = text.split('\n').filter((line) => /^\| S\d/.test(line));
    const points = rows.flatMap((row) => row.split('|')[1]?.match(/\d+/g) ?? []).map(Number);
    expect(points.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
  });

  it('names tests that there are', () => {
    const named = [...text.matchAll(/`(test\/[^`]+)`/g)].map(([, path = '']) => path);
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((path) => !existsSync(new URL(`../../${path}`, import.meta.url)))).toEqual([]);
  });
});
