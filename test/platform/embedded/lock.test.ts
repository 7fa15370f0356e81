import { fork } from 'node:child_process';
import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, it } from 'vitest';
import { lockHome } from '../../../src/platform/embedded/home.ts';
import { newFolder } from '../../support/new-folder.ts';

let home: string;

beforeEach(() => {
  home = newFolder();
});

/** Takes the lock in a process of its own, which keeps no reference to it and collects its garbage before it reports. */
async function lockElsewhere() {
  const program = join(home, 'locker.ts');
  const source = fileURLToPath(new URL('../../../src/platform/embedded/home.ts', import.meta.url));
  writeFileSync(
    program,
    `import { lockHome } from ${JSON.stringify(source)};\nconst locked = lockHome(process.argv[2]!) !== undefined;\nsetImmediate(() => {\n  globalThis.gc!();\n  process.send!(locked);\n});\nprocess.on('message', () => {});\n`,
  );
  const child = fork(program, [home], { execArgv: ['--expose-gc'] });
  const [locked] = await once(child, 'message');
  return { child, locked };
}

it('keeps a second process out and is free again after SIGKILL', async () => {
  const { child, locked } = await lockElsewhere();
  expect(locked).toBe(true);
  expect(lockHome(home)).toBeUndefined();

  child.kill('SIGKILL');
  await once(child, 'exit');
  const lock = lockHome(home);
  expect(lock).toBeDefined();
  lock?.release();
});

it('keeps the same process out until it is released', () => {
  const lock = lockHome(home);
  expect(lockHome(home)).toBeUndefined();
  lock?.release();
  const again = lockHome(home);
  expect(again).toBeDefined();
  again?.release();
});

it('makes a new home, and the lock in it, that only its owner can read', () => {
  const fresh = join(home, 'deep', 'home');
  lockHome(fresh)?.release();
  expect(statSync(fresh).mode & 0o777).toBe(0o700);
  expect(statSync(join(fresh, 'stack.lock.sqlite')).mode & 0o777).toBe(0o600);
});
