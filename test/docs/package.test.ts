import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { documentText, ROOT } from './markdown.ts';

const TSC = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');

it('docs/production.md shows a program that compiles against what the package exports', () => {
  const [, program = ''] = /```ts\n(.*?)```/s.exec(documentText('docs/production.md')) ?? [];
  expect(program).toContain("from 'durable-payouts'");
  const folder = mkdtempSync(join(tmpdir(), 'payouts-package-docs-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'program.mts'), program);
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const config = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: { paths: { 'durable-payouts': [join(ROOT, 'src/index.ts')] }, noUnusedLocals: false },
    include: ['program.mts', join(ROOT, 'src/**/*.d.ts')],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const { stdout, status } = spawnSync(process.execPath, [TSC, '-p', folder], { encoding: 'utf8' });
  expect([stdout, status]).toEqual(['', 0]);
});
