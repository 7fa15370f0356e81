import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { processMark } from '../../../src/platform/embedded/home.ts';
import { newFolder } from '../../support/new-folder.ts';

const launcher = fileURLToPath(new URL('../../../bin/payouts.mjs', import.meta.url));
/** Makes the launcher take the Node it runs under for an old one, whose modules export less. */
const OLD_NODE = `
import { registerHooks } from 'node:module';
Object.defineProperty(process.versions, 'node', { value: '20.0.0' });
registerHooks({
  resolve: (name, context, next) =>
    name === 'node:module' ? { url: 'data:text/javascript,export default {}', shortCircuit: true } : next(name, context),
});
`;
/** Says its process id, then ends as its argument says; SIGTERM and SIGINT end it with an exit code of its own. */
const STARTER = `
if (process.argv[2] === 'exit') process.exitCode = Number(process.argv[3]);
else setInterval(() => {}, 1e6);
if (process.argv[2] === 'answer') for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => process.exit(signal === 'SIGINT' ? 130 : 143));
process.stdout.write(process.pid + '\\n');
`;

let root: string;

/** A project with the real launcher, this Node as the installed one, and a starter that only shows what reaches it. */
beforeEach(() => {
  root = newFolder();
  for (const folder of ['bin', 'src', 'node_modules/.bin']) mkdirSync(join(root, folder), { recursive: true });
  cpSync(launcher, join(root, 'bin', 'payouts.mjs'));
  symlinkSync(process.execPath, join(root, 'node_modules', '.bin', 'node'));
  writeFileSync(join(root, 'package.json'), '{"type":"module"}');
  writeFileSync(join(root, 'src', 'starter.ts'), STARTER);
  writeFileSync(join(root, 'old-node.mjs'), OLD_NODE);
});

type Launched = ChildProcessByStdio<null, Readable, Readable>;

function launch(node: 'old' | 'new', ...args: string[]): Launched {
  const preload = node === 'old' ? ['--import', join(root, 'old-node.mjs')] : [];
  return spawn(process.execPath, [...preload, join(root, 'bin', 'payouts.mjs'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Process id of the starter, once it runs. */
async function starterPid(child: Launched): Promise<number> {
  const [line] = await once(child.stdout, 'data');
  return Number(`${line}`);
}

describe('under a Node that is new enough', () => {
  it('the command runs in the same process', async () => {
    const child = launch('new', 'exit', '5');
    const ended = once(child, 'exit');
    expect(await starterPid(child)).toBe(child.pid);
    expect(await ended).toEqual([5, null]);
  });
});

describe('under an older Node', () => {
  it('the command runs in the installed one, with the same exit code', async () => {
    const child = launch('old', 'exit', '5');
    const ended = once(child, 'exit');
    expect(await starterPid(child)).not.toBe(child.pid);
    expect(await ended).toEqual([5, null]);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s reaches the command, whose answer is the end', async (signal, code) => {
    const child = launch('old', 'answer');
    await starterPid(child);
    const ended = once(child, 'exit');
    child.kill(signal);
    expect(await ended).toEqual([code, null]);
  });

  it('a command that dies of a signal takes its launcher along by the same signal', async () => {
    const child = launch('old', 'wait');
    const ended = once(child, 'exit');
    process.kill(await starterPid(child), 'SIGKILL');
    expect(await ended).toEqual([null, 'SIGKILL']);
  });

  it('a launcher that is killed takes its command along', async () => {
    const child = launch('old', 'wait');
    const pid = await starterPid(child);
    child.kill('SIGKILL');
    await expect.poll(() => processMark(pid)).toBeUndefined();
  });
});

it.each(['old', 'new'] as const)('without packages it says to install them and ends 2 (%s Node)', async (node) => {
  rmSync(join(root, 'node_modules'), { recursive: true });
  const child = launch(node);
  const [message] = await once(child.stderr, 'data');
  expect(`${message}`).toContain('npm install');
  expect((await once(child, 'exit'))[0]).toBe(2);
});

describe('the package', () => {
  /** The launcher beside compiled files, under a Node that calls itself `version`. */
  function launchPackage(version: string): Launched {
    rmSync(join(root, 'src'), { recursive: true });
    mkdirSync(join(root, 'dist'));
    writeFileSync(join(root, 'dist', 'starter.js'), STARTER);
    writeFileSync(join(root, 'old-node.mjs'), OLD_NODE.replace('20.0.0', version));
    return launch('old', 'exit', '5');
  }
  const { engines } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  const oldest = /^>=(\d+)\.(\d+)$/.exec(engines.node)?.slice(1).map(Number) ?? [];
  const [major = Number.NaN, minor = Number.NaN] = oldest;

  it('runs under the oldest Node of its manifest', async () => {
    const child = launchPackage(`${major}.${minor}.0`);
    expect((await once(child, 'exit'))[0]).toBe(5);
  });

  it('refuses the one before it', async () => {
    const child = launchPackage(`${major}.${minor - 1}.9`);
    const [message] = await once(child.stderr, 'data');
    expect(`${message}`).toContain(`Node ${major}.${minor} or newer is needed`);
    expect((await once(child, 'exit'))[0]).toBe(2);
  });
});
