import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cellsOf, documentText, ROOT, tableRows } from './markdown.ts';

const rows = tableRows(documentText('test/docs/failures.md'), 'Failure table').map(cellsOf);

/** `file`: "title", "title"; `file`: "title" */
function testsNamed(cell: string): { file: string; title: string }[] {
  return cell.split('; ').flatMap((part) => {
    const file = /^`([^`]+)`: /.exec(part)?.[1] ?? '';
    return [...part.matchAll(/“([^”]+)”/g)].map(([, title = '']) => ({ file, title }));
  });
}

describe('the failure table of test/docs/failures.md', () => {
  it.each(rows)('%s: %s', (...cells) => {
    expect(cells).toHaveLength(4);
    const named = testsNamed(cells[3] ?? '');
    expect(named.length).toBeGreaterThan(0);
    const missing = named.filter(({ file, title }) => {
      const path = join(ROOT, file);
      return !existsSync(path) || !readFileSync(path, 'utf8').includes(title);
    });
    expect(missing).toEqual([]);
  });
});
