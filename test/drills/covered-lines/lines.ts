import { readFileSync } from 'node:fs';
import { type SourceMap, SourceMap as SourceMapOf, stripTypeScriptTypes } from 'node:module';
import { type Branch, branchesOf, type CountAt } from './branches.ts';

/** What V8 writes of one process for NODE_V8_COVERAGE. */
export interface Coverage {
  result: { url: string; functions: { ranges: { startOffset: number; endOffset: number; count: number }[] }[] }[];
}

/** A line with a word that is no comment, and where on it that begins. */
interface CodeLine {
  line: number;
  offset: number;
}

/** JavaScript whose runs are counted, and what of it ran so far, by its place in the list. */
interface Code {
  lines: CodeLine[];
  branches: Branch[];
}

interface Source extends Code {
  ran: Set<number>;
  taken: Set<number>;
}

/** A bundle; `branchesIn` names for each of its branches the source and the place there, if both have the same branches. */
interface Bundle extends Code {
  map: SourceMap;
  branchesIn: Map<string, Branch[]>;
}

export interface FileCoverage {
  file: string;
  lines: number;
  missed: number[];
  branches: number;
  /** The lines of branches that were not taken. */
  untaken: number[];
}

const MAP_COMMENT = '//# sourceMappingURL=data:';

/** The lines of JavaScript that do something, from 1 on; of types nothing is left, and imports of a file always run. */
function codeLines(code: string): CodeLine[] {
  const lines: CodeLine[] = [];
  let start = 0;
  for (const [index, text] of code.split('\n').entries()) {
    const at = /^(?:\s*\/\/|\s*\/?\*|import )/.test(text) ? -1 : text.search(/\w/);
    if (at >= 0) lines.push({ line: index + 1, offset: start + at });
    start += text.length + 1;
  }
  return lines;
}

const codeOf = (text: string): Code => ({ lines: codeLines(text), branches: branchesOf(text) });

/** Which of the lines and branches of our sources ran, taken together over processes. */
export class CoveredLines {
  private readonly root: string;
  private readonly sources = new Map<string, Source>();
  private readonly bundles = new Map<string, Bundle | undefined>();

  /** `root` ends with a slash; `files` are the paths under it that count. */
  constructor(root: string, files: readonly string[]) {
    this.root = root;
    for (const file of files) {
      const code = codeOf(stripTypeScriptTypes(readFileSync(root + file, 'utf8')));
      this.sources.set(file, { ...code, ran: new Set(), taken: new Set() });
    }
  }

  add({ result }: Coverage): void {
    for (const { url, functions } of result) {
      const path = url.replace(/^file:\/\//, '');
      const source = this.sources.get(path.startsWith(this.root) ? path.slice(this.root.length) : path);
      const countAt = countsOf(functions.flatMap((it) => it.ranges));
      if (source !== undefined) addTo(source, source, countAt);
      else if (path.endsWith('.js') && path.includes('/.cache/durable-payouts/')) this.addBundle(path, countAt);
    }
  }

  /** Workflows run as a bundle, whose map names the lines of our sources; their branches follow in the same order. */
  private addBundle(path: string, countAt: CountAt): void {
    if (!this.bundles.has(path)) this.bundles.set(path, readBundle(path));
    const bundle = this.bundles.get(path);
    if (bundle === undefined) return;
    for (const { line, offset } of bundle.lines) {
      const at = countAt(offset) > 0 ? originOf(bundle.map, line) : undefined;
      if (at !== undefined) this.sources.get(at.file)?.ran.add(at.line);
    }
    for (const [file, branches] of bundle.branchesIn) {
      const source = this.sources.get(file);
      if (source?.branches.length === branches.length) addTo(source, { lines: [], branches }, countAt);
    }
  }

  /** Of each file how many lines and branches there are and which of them did not run. */
  *files(): Generator<FileCoverage> {
    for (const [file, { lines, branches, ran, taken }] of this.sources) {
      const missed = lines.map(({ line }) => line).filter((line) => !ran.has(line));
      const untaken = branches.filter((_, index) => !taken.has(index)).map(({ line }) => line);
      yield { file, lines: lines.length, missed, branches: branches.length, untaken };
    }
  }
}

function addTo({ ran, taken }: Source, { lines, branches }: Code, countAt: CountAt): void {
  for (const { line, offset } of lines) if (countAt(offset) > 0) ran.add(line);
  for (const [index, { isTaken }] of branches.entries()) if (isTaken(countAt)) taken.add(index);
}

type Range = Coverage['result'][number]['functions'][number]['ranges'][number];

/** Ranges lie in each other, the outer one before the inner: the last that holds a place says how often it ran. */
export function countsOf(ranges: readonly Range[]): CountAt {
  const starts: number[] = [];
  const counts: number[] = [];
  const open: Range[] = [];
  const closeUntil = (offset: number): void => {
    for (let last = open.at(-1); last !== undefined && last.endOffset <= offset; last = open.at(-1)) {
      open.pop();
      starts.push(last.endOffset);
      counts.push(open.at(-1)?.count ?? 0);
    }
  };
  for (const range of ranges.toSorted((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset)) {
    closeUntil(range.startOffset);
    open.push(range);
    starts.push(range.startOffset);
    counts.push(range.count);
  }
  closeUntil(Number.POSITIVE_INFINITY);
  return (offset) => {
    let [from, to] = [0, starts.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((starts[middle] as number) <= offset) from = middle + 1;
      else to = middle;
    }
    return counts[from - 1] ?? 0;
  };
}

/** The line of a source of ours from which a line of a bundle was made. */
function originOf(map: SourceMap, line: number): { file: string; line: number } | undefined {
  const entry = map.findEntry(line - 1, 0);
  if (!('originalSource' in entry)) return undefined;
  const [, file] = /^(?!.*\/node_modules\/).*\/(src\/.+)$/.exec(entry.originalSource) ?? [];
  return file === undefined ? undefined : { file, line: entry.originalLine + 1 };
}

function readBundle(path: string): Bundle | undefined {
  const text = readFileSync(path, 'utf8');
  const at = text.lastIndexOf(MAP_COMMENT);
  if (at < 0) return undefined;
  const map = new SourceMapOf(JSON.parse(Buffer.from(text.slice(text.indexOf(',', at) + 1), 'base64').toString()));
  const code = codeOf(text.slice(0, at));
  const branchesIn = Map.groupBy(code.branches, ({ line }) => originOf(map, line)?.file ?? '');
  return { ...code, map, branchesIn };
}
