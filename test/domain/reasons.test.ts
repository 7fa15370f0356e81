import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { REASONS } from '../../src/domain/reasons.ts';
import { ROOT } from '../docs/markdown.ts';

it('there is no reason code that nothing sets', () => {
  const sources = globSync('src/**/*.ts', { cwd: ROOT })
    .filter((file) => !file.startsWith(join('src', 'domain', 'reasons')))
    .map((file) => readFileSync(join(ROOT, file), 'utf8'))
    .join('\n');
  expect(Object.keys(REASONS).filter((name) => !sources.includes(`'${name}'`))).toEqual([]);
});
