import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { documentText, ROOT } from '../docs/markdown.ts';
import { openCommandHome } from '../support/command.ts';
import { newFolder } from '../support/new-folder.ts';

/** A project that has installed the package: its sources stand in for the build. */
function project(program: string): string {
  const folder = newFolder();
  const own = join(folder, 'node_modules', 'durable-payouts');
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, 'package.json'), JSON.stringify({ type: 'module', exports: './index.js' }));
  writeFileSync(join(own, 'index.js'), `export * from '${pathToFileURL(join(ROOT, 'src/index.ts'))}';\n`);
  symlinkSync(join(ROOT, 'node_modules', '@temporalio'), join(folder, 'node_modules', '@temporalio'));
  writeFileSync(join(folder, 'program.mts'), program);
  return folder;
}

it('the program of docs/production.md runs as printed against `payouts dev`', async () => {
  const [, program = ''] = /```ts\n(.*?)```/s.exec(documentText('docs/production.md')) ?? [];
  const home = openCommandHome();
  onTestFinished(() => home.close());
  const dev = home.serve('dev');
  await dev.says(/Up until Ctrl-C/);
  expect((await home.payouts('demo')).code).toBe(0);
  const env = { PATH: process.env.PATH, HOME: home.path, PAYOUTS_HOME: home.path };
  const { stdout, stderr } = spawnSync(process.execPath, ['program.mts'], {
    cwd: project(program),
    env,
    encoding: 'utf8',
  });
  expect([stdout, stderr]).toEqual([expect.stringMatching(/^completed ord-\S+\n$/), '']);
});
