import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const source = fileURLToPath(new URL('../../src/cli/exit.ts', import.meta.url));

it('ends a process that something keeps up, with the code that was said', () => {
  const program = `import { endSoon } from '${source}'; setInterval(() => {}, 1000); process.exitCode = 7; endSoon();`;
  const { status } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { timeout: 60_000 });
  expect(status).toBe(7);
});
