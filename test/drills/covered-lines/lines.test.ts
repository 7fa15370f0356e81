import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runInThisContext } from 'node:vm';
import { expect, it, onTestFinished } from 'vitest';
import { branchesOf } from './branches.ts';
import { type Coverage, CoveredLines, countsOf } from './lines.ts';

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

it('a line or branch ran when it did in one of the processes', () => {
  const root = `${mkdtempSync(join(tmpdir(), 'payouts-lines-'))}/`;
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'src'));
  writeFileSync(join(root, 'src/area.ts'), SOURCE);
  const url = pathToFileURL(join(root, 'src/area.ts')).href;
  const covered = new CoveredLines(root, ['src/area.ts']);
  const missed = (): number[] => [...covered.files()].flatMap((file) => file.missed);
  const untaken = (): number[] => [...covered.files()].flatMap((file) => file.untaken);
  expect([...covered.files()]).toEqual([
    { file: 'src/area.ts', lines: 4, missed: [8, 10, 11, 13], branches: 2, untaken: [10, 10] },
  ]);

  covered.add(coverageOf(url, [WHOLE, [BODY, 0]]));
  expect(missed()).toEqual([10, 11, 13]);
  covered.add(coverageOf(`${url}/elsewhere`, [WHOLE, [BODY, 1]]));
  expect(missed()).toEqual([10, 11, 13]);
  covered.add(coverageOf(url, [WHOLE, [BODY, 1], [BRANCH, 0]]));
  expect(missed()).toEqual([11]);
  expect(untaken()).toEqual([10]);
  covered.add(coverageOf(url, [WHOLE, [BODY, 0]]));
  expect(missed()).toEqual([11]);
  expect(untaken()).toEqual([10]);
  covered.add(coverageOf(url, [WHOLE, [BODY, 3], [BRANCH, 3]]));
  expect(missed()).toEqual([]);
  expect(untaken()).toEqual([]);
});

it.each<[code: string, all: number, taken: number[]]>([
  ['(a) => { if (a) return 1; return 2; }', 2, [0]],
  ['(a) => { if (!a) return 1; return 2; }', 2, [1]],
  ['(a) => { if (!a) { return 1; } else { return 2; } }', 2, [1]],
  ['(a) => (a ? 1 : 2)', 2, [0]],
  ['(a) => a || b', 1, []],
  ['(a) => (a && a) ?? (a ? 1 : 2)', 4, [1]],
  ['(a) => { switch (a) { case 0: return 0; case 1: return 1; default: return 2; } }', 3, [1]],
])('V8 counts the branches of %s', async (arrow, all, taken) => {
  const code = `const called = ${arrow}; called(1);`;
  const session = new Session();
  session.connect();
  onTestFinished(() => session.disconnect());
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  runInThisContext(`{ ${code} }`, { filename: 'branches.js' });
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const countAt = countsOf(
    result.filter(({ url }) => url === 'branches.js').flatMap(({ functions }) => functions.flatMap((it) => it.ranges)),
  );
  const branches = branchesOf(`{ ${code} }`);
  expect(branches.length).toBe(all);
  expect([...branches.keys()].filter((index) => branches[index]?.isTaken(countAt))).toEqual(taken);
});
