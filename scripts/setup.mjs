#!/usr/bin/env node
/**
 * Makes a fresh clone ready: packages, the `payouts` command, a Temporal CLI. Runs before `npm start` and `npm test`,
 * does nothing when nothing is missing. `--link-only` (after `npm install`) only links the command. Of the package, where npm has
 * done the rest, it is the command `payouts-setup`, which brings the CLI.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assertNode, installPackages, linkCommand, packagesAreCurrent } from './packages.mjs';
import { cachedCliPath, findTemporalCli } from './temporal-cli.mjs';

const ROOT = join(fileURLToPath(import.meta.url), '..', '..');
const isClone = existsSync(join(ROOT, 'src'));
// stdout belongs to the command that runs next.
const say = (line) => process.stderr.write(`setup: ${line}\n`);

async function setUp() {
  if (isClone) makeReady();
  await ensureTemporalCli(process.env);
}

function makeReady() {
  if (!packagesAreCurrent(ROOT)) {
    say('installing packages');
    installPackages(ROOT, process.env);
  }
  assertNode(ROOT);
  linkCommand(ROOT);
}

async function ensureTemporalCli(env) {
  const { path, tried } = findTemporalCli(env);
  // People with a CLI that is not used should know why.
  for (const line of tried.filter((it) => !it.endsWith(': not found'))) say(`the Temporal CLI of ${line}`);
  if (path !== undefined) return;
  if (!env.TEMPORAL_CLI_PATH) {
    const { installTemporalCli } = await import('./temporal-cli-install.mjs');
    if ((await installTemporalCli(env, { say, tried })) !== undefined) return;
  }
  throw new Error(
    [
      'no usable Temporal CLI was found.',
      ...tried.map((line) => `  tried ${line}`),
      `Fix: install it (https://docs.temporal.io/cli) and put it on PATH, set TEMPORAL_CLI_PATH to its path, or copy it to ${cachedCliPath(env)}`,
    ].join('\n'),
  );
}

try {
  if (!process.argv.includes('--link-only')) await setUp();
  else if (isClone) linkCommand(ROOT);
} catch (error) {
  say(error.message);
  process.exitCode = 1;
}
