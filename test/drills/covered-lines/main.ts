import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Coverage, CoveredLines } from './lines.ts';

/**
 * `npm run coverage [-- VITEST ARGS]`: runs the tests and shows how many lines of `src` some process ran, per folder, and of
 * each file the lines that none did. A process that is killed has written nothing of what it ran.
 */

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const POLL_MS = 1_000;

const dir = mkdtempSync(join(tmpdir(), 'payouts-coverage-'));
const covered = new CoveredLines(ROOT, globSync('src/**/*.ts', { cwd: ROOT, exclude: ['**/*.d.ts'] }).sort());

/** Takes over what has been written: a run writes more than a disk should hold. A file that is half written fails, and stays. */
function collect(): string[] {
  const left: string[] = [];
  for (const name of readdirSync(dir)) {
    const file = join(dir, name);
    let coverage: Coverage;
    try {
      coverage = JSON.parse(readFileSync(file, 'utf8'));
    } catch {
      left.push(name);
      continue;
    }
    covered.add(coverage);
    rmSync(file);
  }
  return left;
}

const percent = (lines: number, missed: number): string => `${((100 * (lines - missed)) / lines).toFixed(1)} %`;

/** [3, 4, 5, 9] as `3-5 9`. */
function spans(lines: readonly number[]): string {
  const found: [number, number][] = [];
  for (const line of lines) {
    const last = found.at(-1);
    if (last?.[1] === line - 1) last[1] = line;
    else found.push([line, line]);
  }
  return found.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(' ');
}

function show(): void {
  const files = [...covered.files()].filter(({ lines }) => lines > 0);
  for (const { file, lines, missed } of files) {
    if (missed.length > 0) console.log(`${percent(lines, missed.length).padStart(7)}  ${file}: ${spans(missed)}`);
  }
  console.log();
  const sum = (of: typeof files): [number, number] => [
    of.reduce((total, { lines }) => total + lines, 0),
    of.reduce((total, { missed }) => total + missed.length, 0),
  ];
  for (const [folder, of] of Map.groupBy(files, ({ file }) => file.split('/').slice(0, -1).slice(0, 2).join('/'))) {
    const [lines, missed] = sum(of);
    console.log(`${percent(lines, missed).padStart(7)}  ${folder}, ${missed} of ${lines} lines not run`);
  }
  const [lines, missed] = sum(files);
  console.log(`${percent(lines, missed).padStart(7)}  all, ${missed} of ${lines} lines not run`);
}

try {
  const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const tests = spawn(process.execPath, [vitest, 'run', ...process.argv.slice(2)], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, NODE_V8_COVERAGE: dir },
  });
  const ended = once(tests, 'exit').then(([code]) => code as number | null);
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  while (!isOver) {
    await pause(POLL_MS);
    collect();
  }
  const left = collect();
  if (left.length > 0) console.log(`${left.length} processes ended before all was written that they ran`);
  show();
  process.exitCode = (await ended) ?? 1;
} finally {
  rmSync(dir, { recursive: true, force: true });
}
