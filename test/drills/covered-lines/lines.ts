import { readFileSync } from 'node:fs';
import { type SourceMap, SourceMap as SourceMapOf, stripTypeScriptTypes } from 'node:module';

/** What V8 writes of one process for NODE_V8_COVERAGE. */
export interface Coverage {
  result: { url: string; functions: { ranges: { startOffset: number; endOffset: number; count: number }[] }[] }[];
}

/** A line with a word that is no comment, and where on it that begins. */
interface CodeLine {
  line: number;
  offset: number;
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

/** Which of the lines of our sources ran, taken together over processes. */
export class CoveredLines {
  private readonly root: string;
  private readonly sources = new Map<string, CodeLine[]>();
  private readonly covered = new Map<string, Set<number>>();
  private readonly bundles = new Map<string, { lines: CodeLine[]; map: SourceMap } | undefined>();

  /** `root` ends with a slash; `files` are the paths under it that count. */
  constructor(root: string, files: readonly string[]) {
    this.root = root;
    for (const file of files) {
      this.sources.set(file, codeLines(stripTypeScriptTypes(readFileSync(root + file, 'utf8'))));
      this.covered.set(file, new Set());
    }
  }

  add({ result }: Coverage): void {
    for (const { url, functions } of result) {
      const path = url.replace(/^file:\/\//, '');
      const file = path.startsWith(this.root) ? path.slice(this.root.length) : path;
      const lines = this.sources.get(file);
      const ranges = functions.flatMap((it) => it.ranges);
      if (lines !== undefined) for (const line of ranLines(lines, ranges)) this.covered.get(file)?.add(line);
      else if (path.endsWith('.js') && path.includes('/.cache/durable-payouts/')) this.addBundle(path, ranges);
    }
  }

  /** Workflows run as a bundle, whose map names the lines of our sources. */
  private addBundle(path: string, ranges: readonly Range[]): void {
    if (!this.bundles.has(path)) this.bundles.set(path, readBundle(path));
    const { lines = [], map } = this.bundles.get(path) ?? {};
    for (const line of ranLines(lines, ranges)) {
      const entry = map?.findEntry(line - 1, 0);
      if (entry === undefined || !('originalSource' in entry)) continue;
      const [, file = ''] = /^(?!.*\/node_modules\/).*\/(src\/.+)$/.exec(entry.originalSource) ?? [];
      this.covered.get(file)?.add(entry.originalLine + 1);
    }
  }

  /** Of each file how many lines there are and which of them did not run. */
  *files(): Generator<{ file: string; lines: number; missed: number[] }> {
    for (const [file, lines] of this.sources) {
      const covered = this.covered.get(file);
      const missed = lines.map(({ line }) => line).filter((line) => !covered?.has(line));
      yield { file, lines: lines.length, missed };
    }
  }
}

type Range = Coverage['result'][number]['functions'][number]['ranges'][number];

/** Ranges lie in each other, the outer one before the inner: the last that holds a place says whether it ran. */
function ranLines(lines: readonly CodeLine[], ranges: readonly Range[]): number[] {
  const sorted = ranges.toSorted((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  const open: Range[] = [];
  const ran: number[] = [];
  let next = 0;
  for (const { line, offset } of lines) {
    for (; next < sorted.length && (sorted[next] as Range).startOffset <= offset; next += 1) {
      open.push(sorted[next] as Range);
    }
    while (open.length > 0 && (open.at(-1) as Range).endOffset <= offset) open.pop();
    const inner = open.findLast(({ endOffset }) => endOffset > offset);
    if (inner !== undefined && inner.count > 0) ran.push(line);
  }
  return ran;
}

function readBundle(path: string): { lines: CodeLine[]; map: SourceMap } | undefined {
  const text = readFileSync(path, 'utf8');
  const at = text.lastIndexOf(MAP_COMMENT);
  if (at < 0) return undefined;
  const map = JSON.parse(Buffer.from(text.slice(text.indexOf(',', at) + 1), 'base64').toString());
  return { lines: codeLines(text.slice(0, at)), map: new SourceMapOf(map) };
}
