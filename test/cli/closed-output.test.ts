import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { EXIT } from '../../src/cli/exit.ts';
import { newFolder } from '../support/new-folder.ts';

const COMMAND = fileURLToPath(new URL('../../bin/payouts.mjs', import.meta.url));

it.each([
  ['text', []],
  ['JSON', ['--json']],
])('a command whose reader has stopped (`2>&1 | head`) goes on to its own end: %s', async (_what, options) => {
  const home = newFolder();
  const env = { PATH: process.env.PATH, HOME: home, PAYOUTS_HOME: home };
  const args = [COMMAND, 'validate', join(home, 'missing.csv'), ...options];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
  child.stdout?.destroy();
  child.stderr?.destroy();
  const [code] = await once(child, 'close');
  expect(code).toBe(EXIT.usage);
});
