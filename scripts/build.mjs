/**
 * Compiles `src` to `dist` for the package, with the files that are read beside the code, and builds the workflow bundles. Runs
 * before `npm pack`. Under the Node of the project: it reads the sources.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(fileURLToPath(import.meta.url), '..', '..');
const DIST = join(ROOT, 'dist');

rmSync(DIST, { recursive: true, force: true });
const compiler = createRequire(import.meta.url).resolve('typescript/package.json');
const { status } = spawnSync(process.execPath, [join(dirname(compiler), 'bin', 'tsc'), '-p', 'tsconfig.build.json'], {
  cwd: ROOT,
  stdio: 'inherit',
});
if (status !== 0) process.exit(status ?? 1);

for (const file of globSync('src/**/*.{css,js,svg,txt}', { cwd: ROOT })) {
  const target = join(DIST, file.slice('src/'.length));
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(join(ROOT, file), target);
}

const { workflowBundles } = await import('../src/platform/temporal/bundle.ts');
for (const [kind, codePath] of Object.entries(await workflowBundles())) {
  copyFileSync(codePath, join(DIST, `workflow-bundle${kind}.js`));
}
