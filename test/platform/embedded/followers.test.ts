import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, it } from 'vitest';
import { follow, liveFollowers } from '../../../src/platform/embedded/followers.ts';
import { processMark } from '../../../src/platform/embedded/home.ts';
import { newFolder } from '../../support/new-folder.ts';

let home: string;

beforeEach(() => {
  home = newFolder();
});

it('counts every process that joined and has not left', () => {
  expect(liveFollowers(home)).toBe(0);
  const [first, second] = [follow(home), follow(home)];
  expect(liveFollowers(home)).toBe(2);
  first.leave();
  expect(liveFollowers(home)).toBe(1);
  second.leave();
  expect(liveFollowers(home)).toBe(0);
});

it('forgets a process that was killed, and one whose id another process has now', async () => {
  const program = join(home, 'follower.ts');
  const source = fileURLToPath(new URL('../../../src/platform/embedded/followers.ts', import.meta.url));
  writeFileSync(
    program,
    `import { follow } from ${JSON.stringify(source)};\nfollow(process.argv[2]!);\nprocess.send!('joined');\nprocess.on('message', () => {});\n`,
  );
  const child = fork(program, [home]);
  await once(child, 'message');
  expect(liveFollowers(home)).toBe(1);

  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(liveFollowers(home)).toBe(0);

  mkdirSync(join(home, 'followers'), { recursive: true });
  writeFileSync(join(home, 'followers', `${process.pid}.other`), `${processMark(process.pid)}0`);
  expect(liveFollowers(home)).toBe(0);
  expect(readdirSync(join(home, 'followers'))).toEqual([]);
});
