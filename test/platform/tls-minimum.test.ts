import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const module = new URL('../../src/platform/tls-minimum.ts', import.meta.url).href;
const run = promisify(execFile);

/** The lowest version that a process which NODE_OPTIONS sets to take TLS 1.0 gives its connections. */
async function minimum(imported: string): Promise<string> {
  const program = `${imported}; console.log((await import('node:tls')).default.DEFAULT_MIN_VERSION)`;
  const { stdout } = await run(process.execPath, ['--tls-min-v1.0', '--input-type=module', '-e', program]);
  return stdout.trim();
}

it('is 1.2, with any options of the process', async () => {
  expect(await minimum('')).toBe('TLSv1');
  expect(await minimum(`await import('${module}')`)).toBe('TLSv1.2');
});

it.each(['starter', 'worker'])('is set by the root %s before anything else is loaded', async (root) => {
  const { readFile } = await import('node:fs/promises');
  const source = await readFile(new URL(`../../src/${root}.ts`, import.meta.url), 'utf8');
  expect(source).toMatch(/^import '\.\/platform\/tls-minimum\.ts';\n/);
});
