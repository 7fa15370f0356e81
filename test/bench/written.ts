import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { pictureOf } from './picture.ts';
import type { Summary } from './summary.ts';
import { markdownTables } from './table.ts';

const DOCUMENT = fileURLToPath(new URL('../../docs/performance.md', import.meta.url));
const PICTURE = fileURLToPath(new URL('../../docs/images/performance.svg', import.meta.url));
const MARKS = ['<!-- bench: begin -->', '<!-- bench: end -->'] as const;

/** Puts the figures between their marks in docs/performance.md, and draws the picture. */
export function writeFigures(all: readonly Summary[], day: string): void {
  const document = readFileSync(DOCUMENT, 'utf8');
  writeFileSync(DOCUMENT, between(document, `\n${origin(all, day)}\n\n${markdownTables(all)}`));
  writeFileSync(PICTURE, pictureOf(all));
}

export function between(document: string, figures: string): string {
  const [from, to] = MARKS.map((mark) => document.indexOf(mark)) as [number, number];
  if (from < 0 || to < from) throw new Error(`docs/performance.md lacks ${MARKS.join(' and ')}`);
  return `${document.slice(0, from + MARKS[0].length)}\n${figures.trimEnd()}\n\n${document.slice(to)}`;
}

/** Of what code and on what machine, in lines of at most 120 characters. */
function origin([first]: readonly Summary[], day: string): string {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const [processor] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return [
    `Commit ${commit}, ${day}: ${first?.rounds ?? 0} rounds of ${first?.payouts ?? 0} payouts an arm. Node ${process.versions.node}, `,
    `${cpus().length} × ${processor?.model.trim() ?? 'processor unknown'},\n${memory} GiB.`,
  ].join('');
}
