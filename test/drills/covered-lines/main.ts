import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Coverage, CoveredLines, type FileCoverage } from './lines.ts';

/**
 * `npm run test:coverage [-- VITEST ARGS]`: runs the tests and shows how many lines and branches of `src` some process ran, per
 * folder, and of each file those that none did. A process that is killed has written nothing of what it ran.
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

const percent = (all: number, missed: number): string => `${((100 * (all - missed)) / all).toFixed(1)} %`.padStart(7);

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
  for (const { file, lines, missed, untaken } of files) {
    if (missed.length > 0) console.log(`${percent(lines, missed.length)}  ${file}: ${spans(missed)}`);
    const beside = untaken.filter((line) => !missed.includes(line));
    if (beside.length > 0) console.log(`         ${file}, branches at: ${spans([...new Set(beside)])}`);
  }
  console.log();
  const sum = (of: typeof files): string => {
    const total = (count: (file: FileCoverage) => number) => of.reduce((before, file) => before + count(file), 0);
    const [lines, missed] = [total((it) => it.lines), total((it) => it.missed.length)];
    const [branches, untaken] = [total((it) => it.branches), total((it) => it.untaken.length)];
    const first = `${percent(lines, missed)} of lines (${missed} of ${lines} not run)`;
    return `${first}, ${percent(branches, untaken)} of branches (${untaken} of ${branches} not taken)`;
  };
  for (const [folder, of] of Map.groupBy(files, ({ file }) => file.split('/').slice(0, -1).slice(0, 2).join('/'))) {
    console.log(`${sum(of)}  ${folder}`);
  }
  console.log(`${sum(files)}  all`);
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
