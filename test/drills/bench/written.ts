import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { pictureOf } from './picture.ts';
import type { Summary } from './summary.ts';
import { markdownTables } from './table.ts';

const DOCUMENT = fileURLToPath(new URL('../README.md', import.meta.url));
const PICTURE = fileURLToPath(new URL('../../../docs/images/performance.svg', import.meta.url));
const MARKS = ['<!-- bench: begin -->', '<!-- bench: end -->'] as const;

/** Puts the figures between their marks in test/drills/README.md, and draws the picture. */
export function writeFigures(all: readonly Summary[], day: string): void {
  const document = readFileSync(DOCUMENT, 'utf8');
  writeFileSync(DOCUMENT, between(document, `\n${origin(day)}\n\n${markdownTables(all)}`));
  writeFileSync(PICTURE, pictureOf(all));
}

export function between(document: string, figures: string): string {
  const [from, to] = MARKS.map((mark) => document.indexOf(mark)) as [number, number];
  if (from < 0 || to < from) throw new Error(`test/drills/README.md lacks ${MARKS.join(' and ')}`);
  return `${document.slice(0, from + MARKS[0].length)}\n${figures.trimEnd()}\n\n${document.slice(to)}`;
}

/** Of what code and on what machine. */
function origin(day: string): string {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const [processor] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  const machine = `${cpus().length} × ${processor?.model.trim() ?? 'an unknown processor'}, ${memory} GiB`;
  return `Commit ${commit}, ${day}. Node ${process.versions.node}, ${machine}.`;
}
