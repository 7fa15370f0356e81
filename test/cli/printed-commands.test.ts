import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAst } from 'vitest/node';
import { REASONS, type ReasonCode } from '../../src/domain/reasons.ts';
import type { StepContext } from '../../src/reports/next-step.ts';
import { stepGroups } from '../../src/reports/step-groups.ts';
import { ROOT } from '../docs/markdown.ts';
import { record } from '../reports/records.ts';
import { argvsOf, complaintAbout, isName, named } from './typed-commands.ts';

// Every command that a text prints is one that can be typed: in what the product says, and in what is written about it.

interface Printed {
  where: string;
  text: string;
}

const filesOf = (...patterns: string[]): string[] => globSync(patterns, { cwd: ROOT }).sort();
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const oneLine = (text: string): string => text.replace(/\\?\s*\n\s*/g, ' ');

interface Node {
  type: string;
  value?: unknown;
  name?: string;
  key?: Node;
  quasis?: { value: { cooked: string } }[];
}

/** Texts of a source file, without its comments; what is put into one when it is made is `X`. */
function textsOf(file: string): { text: string; isHint: boolean }[] {
  const found: { text: string; isHint: boolean }[] = [];
  const visit = (it: unknown, isHint: boolean): void => {
    if (Array.isArray(it)) for (const one of it) visit(one, isHint);
    if (typeof it !== 'object' || it === null || !('type' in it)) return;
    const node = it as Node;
    const text = textOf(node);
    if (text !== undefined) found.push({ text, isHint });
    const inHint = isHint || (node.type === 'Property' && node.key?.name === 'hint');
    for (const below of Object.values(node)) visit(below, inHint);
  };
  visit(parseAst(read(file), { lang: 'ts' }), false);
  return found;
}

function textOf({ type, value, quasis }: Node): string | undefined {
  if (type === 'Literal' && typeof value === 'string') return value;
  return type === 'TemplateLiteral' ? quasis?.map((part) => part.value.cooked).join('X') : undefined;
}

const sources = filesOf('src/**/*.ts').flatMap((where) => textsOf(where).map((it) => ({ where, ...it })));
const BETWEEN_BACKTICKS = /(?<!`)`((?:npx )?payouts [^`]+)`(?!`)/g;

const inSource = sources.flatMap(({ where, text }): Printed[] =>
  [...text.matchAll(BETWEEN_BACKTICKS)].map(([, it = '']) => ({ where, text: oneLine(it) })),
);

/** A hint names a command and goes on as a sentence. */
const inHints = sources.flatMap(({ where, text, isHint }): Printed[] =>
  isHint ? [...text.matchAll(/(?:^|[.:] )(payouts [^`]*?)(?=\. |$)/g)].map(([, it = '']) => ({ where, text: it })) : [],
);

const documents = filesOf('README.md', 'docs/*.md', 'examples/README.md').map((file) => ({ file, text: read(file) }));
const inDocuments = documents.flatMap(({ file, text }): Printed[] => [
  ...[...text.matchAll(/(?<!`)`((?:npx )?payouts [^`]+)`(?!`)/g)].map(([, it = '']) => ({
    where: file,
    text: oneLine(it),
  })),
  ...[...text.matchAll(/^(?: {4}|\$ )?(?:[A-Z_]+=\S+ )*((?:npx )?payouts [a-z][^\n]*(?:\\\n[^\n]*)*)$/gm)]
    .filter(([line]) => isCode(text, line))
    .map(([, it = '']) => ({ where: file, text: oneLine(it) })),
]);

/** In a fence, or indented by four. */
function isCode(text: string, line: string): boolean {
  const before = text.slice(0, text.indexOf(line));
  return line.startsWith('    ') || (before.match(/^```/gm)?.length ?? 0) % 2 === 1;
}

describe.each([
  ['the texts of the product', inSource, 60],
  ['documents', inDocuments, 60],
])('every command in %s', (_where, printed, least) => {
  it('is one that the parser takes', async () => {
    expect(printed.length).toBeGreaterThan(least);
    const wrong: string[] = [];
    for (const { where, text } of printed) {
      for (const argv of argvsOf(text)) {
        const complaint = isName(argv) ? await named(argv) : await complaintAbout(argv);
        if (complaint !== undefined) wrong.push(`${where}: ${text}: ${complaint}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

it('every command that a hint names is one that the parser takes', async () => {
  expect(inHints.length).toBeGreaterThan(20);
  const wrong: string[] = [];
  for (const { where, text } of inHints) {
    for (const words of argvsOf(text)) {
      // The sentence goes on behind the command; its options are part of the command.
      const least = Math.max(1, words.findLastIndex((word) => word.startsWith('--')) + 1);
      const complaints = [];
      for (let end = least; end <= words.length; end += 1) {
        const argv = words.slice(0, end).map((word) => word.replace(/[.,:;]$/, ''));
        complaints.push(await complaintAbout(argv));
      }
      if (!complaints.includes(undefined)) wrong.push(`${where}: ${text}: ${complaints[0]}`);
    }
  }
  expect(wrong).toEqual([]);
});

it.each(Object.keys(REASONS) as ReasonCode[])('every command for rows with %s can be pasted as it is', async (code) => {
  const rows = [1, 2].map((row) =>
    record(row, code.includes('approval-required') ? 'awaiting-approval' : 'held', {}, code),
  );
  const context = stepContextOf();
  const commands = [...stepGroups(rows, context), ...stepGroups(rows.slice(1), context)].flatMap((it) => it.commands);
  for (const command of commands) {
    for (const argv of argvsOf(command)) expect(await complaintAbout(argv), command).toBeUndefined();
  }
});

const stepContextOf = (): StepContext =>
  ({ policy: undefined, terms: { waits: {}, auditTtlMs: 1 }, calendar: undefined }) as unknown as StepContext;

it.each([
  ['approve', 'a missing argument'],
  ['resolve ID --evidence x', 'a missing option'],
  ['incidents --opne', 'an unknown option'],
  ['aprove ID', 'an unknown command'],
])('payouts %s would be found for %s', async (words) => {
  expect(await complaintAbout(words.split(' '))).toBeDefined();
});
