import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RULES } from '../../../src/files/rules/rules.ts';
import { ROOT } from '../../docs/markdown.ts';

/** Where findings are made, and the two places whose findings they pass on. */
const SOURCES = [
  ...globSync('src/{files,reports}/**/*.ts', { cwd: ROOT }),
  join('src', 'bank', 'required-details.ts'),
  join('src', 'domain', 'money.ts'),
].filter((file) => !['input-columns.ts', 'rules.ts'].includes(basename(file)));

/** The ways in which the sources write the name of a rule. */
const WRITTEN = [
  /\brule: '([^']+)'/g,
  /\brule: [^,\n]* \? '([^']+)' : '([^']+)'/g,
  /\brule = [^;]* \? '([^']+)' : '([^']+)'/g,
  /\brule: ((?:'[a-z-]+'(?: \| )?)+);/g,
  /\btype AmountFinding = ([^;]+);/g,
  /\boneOf\('([^']+)'/g,
  /\b(?:finding|found)\([\w.]+, '([^']+)'/g,
  // followed by its message, and no code of a refusal
  /(?<!(?:IntakeRefusal|Problem|super)\(\s*(?:'\w[\w-]*',\s*)?)'([a-z0-9]+(?:-[a-z0-9]+)+)',\s*(?:message|`|'[^']* [^']*')/g,
];

/** A table of messages by rule. */
const IN_TABLE = /^ {2}'([a-z]+(?:-[a-z]+)+)':\s+'/gm;

const used = new Map<string, string>();
for (const file of SOURCES) {
  const text = readFileSync(join(ROOT, file), 'utf8');
  for (const pattern of basename(file) === 'warnings.ts' ? [...WRITTEN, IN_TABLE] : WRITTEN) {
    for (const [, ...groups] of text.matchAll(pattern)) {
      for (const group of groups) {
        for (const name of (group ?? '').match(/[a-z][a-z0-9-]*/g) ?? []) used.set(name, file);
      }
    }
  }
}

describe('the table of rules', () => {
  it('explains every rule that a finding can name', () => {
    expect(used.size).toBeGreaterThan(40);
    const missing = [...used].filter(([rule]) => !Object.hasOwn(RULES, rule));
    expect(missing.map(([rule, file]) => `${rule} (${file}) lacks a line in src/files/rules/rules.ts`)).toEqual([]);
  });

  it('explains none that is gone', () => {
    expect(Object.keys(RULES).filter((rule) => !used.has(rule))).toEqual([]);
  });

  it('is sorted', () => {
    expect(Object.keys(RULES)).toEqual(Object.keys(RULES).sort());
  });

  it('says what is wrong and what to do, in whole sentences', () => {
    const short = Object.entries(RULES).filter(([, text]) => !/^[A-Z`"].*[.,:;]"? .*[."]$/s.test(text));
    expect(short).toEqual([]);
  });
});
