import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export { cellsOf } from '../../scripts/docs-tables/pages.ts';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export const documentText = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** The rows of the first table under a heading, as written, without its head; throws when there is none. */
export function tableRows(text: string, heading: string): string[] {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, '') === heading);
  if (start < 0) throw new Error(`no heading "${heading}"`);
  const head = lines.findIndex((line, at) => at > start && (line.startsWith('|') || line.startsWith('#')));
  if (head < 0 || !lines[head]?.startsWith('|')) throw new Error(`no table under "${heading}"`);
  const rest = lines.slice(head + 2);
  const end = rest.findIndex((line) => !line.startsWith('|'));
  return end < 0 ? rest : rest.slice(0, end);
}
