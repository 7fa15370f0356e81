import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { type Coverage, CoveredLines } from './lines.ts';

const SOURCE = `import { other } from './other.ts';

/** A type is no line. */
interface Shape {
  side: number;
}

export function areaOf({ side }: Shape): number {
  // Nor is this.
  if (side < 0) {
    return other();
  }
  return side * side;
}
`;

type Range = [text: string, count: number];

/** What V8 reports of a process for the source: ranges by their text, outer ones first. */
const coverageOf = (url: string, ranges: readonly Range[]): Coverage => ({
  result: [
    {
      url,
      functions: ranges.map(([text, count]) => {
        const startOffset = SOURCE.indexOf(text);
        return { ranges: [{ startOffset, endOffset: startOffset + text.length, count }] };
      }),
    },
  ],
});

const WHOLE: Range = [SOURCE, 1];
const BODY = SOURCE.slice(SOURCE.indexOf('function'), -1);
const BRANCH = SOURCE.slice(SOURCE.indexOf('{\n    return'), SOURCE.indexOf('  return side'));

it('a line ran when it did in one of the processes', () => {
  const root = `${mkdtempSync(join(tmpdir(), 'payouts-lines-'))}/`;
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'src'));
  writeFileSync(join(root, 'src/area.ts'), SOURCE);
  const url = pathToFileURL(join(root, 'src/area.ts')).href;
  const covered = new CoveredLines(root, ['src/area.ts']);
  const missed = (): number[] => [...covered.files()].flatMap((file) => file.missed);
  expect([...covered.files()]).toEqual([{ file: 'src/area.ts', lines: 4, missed: [8, 10, 11, 13] }]);

  covered.add(coverageOf(url, [WHOLE, [BODY, 0]]));
  expect(missed()).toEqual([10, 11, 13]);
  covered.add(coverageOf(`${url}/elsewhere`, [WHOLE, [BODY, 1]]));
  expect(missed()).toEqual([10, 11, 13]);
  covered.add(coverageOf(url, [WHOLE, [BODY, 1], [BRANCH, 0]]));
  expect(missed()).toEqual([11]);
  covered.add(coverageOf(url, [WHOLE, [BODY, 0]]));
  expect(missed()).toEqual([11]);
});
