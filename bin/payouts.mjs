#!/usr/bin/env node
/**
 * Starts the `payouts` command under a Node that runs its sources: this one when it is new enough, else the one the
 * project installs. Dependency-free, any Node >= 20.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import nodeModule from 'node:module';
import { constants } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(fileURLToPath(import.meta.url), '..', '..');
// The package is compiled; a clone runs its sources, which takes a newer Node than `engines` of package.json.
const isBuilt = !existsSync(join(root, 'src'));
const OLDEST_NODE = isBuilt ? '22.19' : '24.0';
const installedNode = join(root, 'node_modules', '.bin', 'node');

const [major, minor] = process.versions.node.split('.').map(Number);
const [oldestMajor, oldestMinor] = OLDEST_NODE.split('.').map(Number);
const isNewEnough = major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);

if (isBuilt) {
  if (isNewEnough) {
    leaveOutWarning('SQLite is an experimental feature');
    await import('../dist/starter.js');
  } else {
    process.stderr.write(`payouts: Node ${OLDEST_NODE} or newer is needed, this is ${process.version}\n`);
    process.exitCode = 2;
  }
} else if (!existsSync(isNewEnough ? join(root, 'node_modules') : installedNode)) {
  process.stderr.write('payouts: the packages are missing; run npm install (or npm start) first\n');
  process.exitCode = 2;
} else if (isNewEnough) {
  endWithLauncher();
  // Compiled once, not by every command: where this folder cannot be written, Node compiles as it would without.
  nodeModule.enableCompileCache(join(root, 'node_modules', '.cache', 'durable-payouts', 'compiled'));
  await import('../src/starter.ts');
} else {
  launch();
}

/** Runs this file again under the installed Node. The IPC channel informs the child when this process was killed. */
function launch() {
  const child = spawn(installedNode, process.argv.slice(1), { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  const atTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM']) {
    // A terminal sends its own signals to both processes; sent on, the child would count two Ctrl-C.
    process.on(signal, () => {
      if (signal === 'SIGTERM' || !atTerminal) child.kill(signal);
    });
  }
  child.once('error', (error) => {
    process.stderr.write(`payouts: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.once('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    setTimeout(() => process.exit(128 + constants.signals[signal]), 1_000);
  });
}

function endWithLauncher() {
  if (process.channel === undefined) return;
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref();
}

/** Node 22 says of its SQLite what Node 24 does not; who pays a file can do nothing about it. */
function leaveOutWarning(beginning) {
  const { emitWarning } = process;
  process.emitWarning = (warning, ...rest) => {
    if (!String(warning).startsWith(beginning)) emitWarning.call(process, warning, ...rest);
  };
}
