import { code, filesOf, textOf } from './pages.ts';

/** Every file under test/ that may hold a test or a row of one, with its text. */
const files = new Map(filesOf('test/**/*.ts').map((file) => [file, textOf(file)]));

/**
 * Names of tests, each behind the file that has it: `file`: “title”, “title”; `file`: “title”. A test that was moved is found in its
 * new file. Throws for one that no file has, or that has left its file and is in several others.
 */
export function testsNamed(cell: string): string {
  const titlesOf = new Map<string, string[]>();
  let read = 0;
  for (const [, file = '', titles = ''] of cell.matchAll(/`([^`]+)`: (.*?)(?=; `|$)/g)) {
    for (const [, title = ''] of titles.matchAll(/“([^”]+)”/g)) {
      const found = fileOf(title, file);
      titlesOf.set(found, [...(titlesOf.get(found) ?? []), title]);
      read += 1;
    }
  }
  if (read === 0 || read !== cell.split('“').length - 1)
    throw new Error(`failure table: not \`file\`: “title”: ${cell}`);
  return [...titlesOf].map(([file, titles]) => `${code(file)}: ${titles.map((it) => `“${it}”`).join(', ')}`).join('; ');
}

function fileOf(title: string, file: string): string {
  if (files.get(file)?.includes(title)) return file;
  const having = [...files].flatMap(([path, text]) => (text.includes(title) ? [path] : []));
  const [only] = having;
  if (only === undefined || having.length > 1) {
    throw new Error(`failure table: “${title}” is not in ${file}, but in ${having.join(', ') || 'no file'}`);
  }
  return only;
}
