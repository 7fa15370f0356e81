import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** One `import` or `export ... from` of a source file. */
export interface ImportOf {
  /** Path from the project's root, with `/`. */
  file: string;
  line: number;
  /** As written: `../domain/money.ts`, `zod`, `node:fs`. */
  specifier: string;
  /** Path from the root of what a relative import means; undefined for packages and built-ins. */
  target: string | undefined;
  typeOnly: boolean;
}

/** Files under version control or about to be, as paths from the root; those that are gone are left out. */
export function projectFiles(): string[] {
  const list = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const deleted = execFileSync('git', ['ls-files', '--deleted', '-z'], { cwd: ROOT, encoding: 'utf8' }).split('\0');
  return list.split('\0').filter((path) => path !== '' && !deleted.includes(path));
}

export const sourceFiles = (): string[] =>
  projectFiles().filter((path) => path.startsWith('src/') && path.endsWith('.ts'));

export const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** `import ... from 'x'`, `export ... from 'x'`, `import 'x'`; the clause may run over lines. */
const STATEMENT = /^(?:import|export)\s+(?:(type\s)?([\w*\s{},$]*?)\s*from\s+)?'([^']+)';/gm;
/** `import('x')`, also in types. */
const CALL = /\bimport\(\s*'([^']+)'/g;

/** Every import of a file. An import whose every name is marked `type` leaves nothing behind at run time. */
export function importsOf(file: string): ImportOf[] {
  const text = read(file);
  const found = (index: number, specifier: string, typeOnly: boolean): ImportOf => ({
    file,
    line: text.slice(0, index).split('\n').length,
    specifier,
    target: specifier.startsWith('.') ? relative(ROOT, join(ROOT, dirname(file), specifier)) : undefined,
    typeOnly,
  });
  return [
    ...[...text.matchAll(STATEMENT)].map(({ index, 1: type, 2: clause = '', 3: specifier = '' }) =>
      found(index, specifier, type !== undefined || namesTypesOnly(clause)),
    ),
    ...[...text.matchAll(CALL)].map(({ index, 1: specifier = '' }) => found(index, specifier, false)),
  ];
}

function namesTypesOnly(clause: string): boolean {
  const names = /^\{([^}]*)\}$/
    .exec(clause.trim())?.[1]
    ?.split(',')
    .filter((name) => name.trim() !== '');
  return names !== undefined && names.length > 0 && names.every((name) => /^\s*type\s/.test(name));
}
