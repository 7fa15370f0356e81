import { spawnSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { newFolder } from '../support/new-folder.ts';
import { documentText, ROOT } from './markdown.ts';

const TSC = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');

const EXPORTS = {
  'durable-payouts': [join(ROOT, 'src/index.ts')],
  'durable-payouts/nexus': [join(ROOT, 'src/channels/nexus/payouts-service.ts')],
};

it.each([
  ['docs/production.md', 'durable-payouts'],
  ['docs/input.md', 'durable-payouts/nexus'],
])('%s shows a program that compiles against what the package exports as %s', (path, exported) => {
  const [, program = ''] = /```ts\n(.*?)```/s.exec(documentText(path)) ?? [];
  expect(program).toContain(`from '${exported}'`);
  const folder = newFolder();
  writeFileSync(join(folder, 'program.mts'), program);
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const config = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: { paths: EXPORTS, noUnusedLocals: false },
    include: ['program.mts', join(ROOT, 'src/**/*.d.ts')],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const { stdout, status } = spawnSync(process.execPath, [TSC, '-p', folder], { encoding: 'utf8' });
  expect([stdout, status]).toEqual(['', 0]);
});
