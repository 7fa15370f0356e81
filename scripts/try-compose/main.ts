import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ClusterError } from '../cluster/part.ts';
import { drill, profiles } from './drill.ts';
import { type Engine, openEngine } from './engine.ts';
import { type Place, Skipped, sh, TrialError } from './shell.ts';
import { imagesCanBePulled, standIns } from './stand-ins.ts';

const USAGE = `usage: npm run try:compose
Runs both profiles of docker-compose.yml on a Docker engine, with the commands of docs/configuration.md: pays, kills a worker and
Temporal, starts everything again, and compares the rows with the bank's book. Needs a Docker engine with Compose; as root on
Debian it installs and starts an engine. Compose is built with Go if it is missing. Where no registry of images answers, root
makes stand-ins for them from Debian.
Exit codes: 0 every row ended once, 1 not so, 77 skipped because this machine cannot run it`;

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** What the commands of the docs use of a clone. */
const CLONE = [
  'bin',
  'src',
  'scripts',
  'ops',
  'examples',
  'package.json',
  'package-lock.json',
  'LICENSE',
  'NOTICE',
  'Dockerfile',
];
const COMPOSE_FILES = ['docker-compose.yml', '.env', '.dockerignore'];
const IMAGE_LIMIT_MB = 350;
const SKIPPED = 77;
const TIME_SCALE = '0.05';

const startedAt = Date.now();
const say = (line: string): void =>
  console.log(`${`${Math.round((Date.now() - startedAt) / 1000)}`.padStart(4)} s  ${line}`);

async function trial(folder: string, { env }: Engine): Promise<void> {
  const cwd = join(folder, 'clone');
  for (const name of [...CLONE, ...COMPOSE_FILES]) cpSync(join(ROOT, name), join(cwd, name), { recursive: true });
  // Names of our own, so that a stack of the person who starts this is left alone.
  const place: Place = { cwd, env: { ...env, COMPOSE_PROJECT_NAME: 'durable-payouts-trial' } };
  const made = join(folder, 'images');
  mkdirSync(made);
  const files = ['docker-compose.yml', inShortTime(made)];
  if (imagesCanBePulled(place)) say('images come from the registry');
  else files.push(await standIns(made, place, say));
  place.env.COMPOSE_FILE = files.join(':');
  for (const profile of profiles(readFileSync(join(ROOT, 'docs', 'configuration.md'), 'utf8')))
    drill(profile, place, say);
  const image = sh("docker compose config --images | grep -m 1 'durable-payouts:'", place).trim();
  const bytes = Number(sh(`docker image inspect --format '{{.Size}}' ${image}`, place));
  say(`the image has ${Math.round(bytes / 1e6)} MB`);
  if (bytes > IMAGE_LIMIT_MB * 1e6) throw new TrialError(`the image has more than ${IMAGE_LIMIT_MB} MB`);
}

/** A file for COMPOSE_FILE: of the product as it is, a send that a kill has cut off is searched for during 12 minutes. */
function inShortTime(folder: string): string {
  const environment = { PAYOUTS_TIME_SCALE: TIME_SCALE, PAYOUTS_TIME_SCALE_OFF_LOOPBACK: 'true' };
  const services = Object.fromEntries(
    ['worker', 'workers', 'gateway', 'person'].map((name) => [name, { environment }]),
  );
  const file = join(folder, 'short-time.json');
  writeFileSync(file, JSON.stringify({ services }));
  return file;
}

async function main(): Promise<number> {
  if (process.argv.length > 2) {
    console.log(USAGE);
    return process.argv.includes('--help') ? 0 : 2;
  }
  const folder = mkdtempSync(join(tmpdir(), 'durable-payouts-compose-'));
  let engine: Engine | undefined;
  try {
    engine = await openEngine({ folder, env: process.env, say });
    await trial(folder, engine);
    return 0;
  } catch (error) {
    if (error instanceof Skipped) console.log(`skipped: ${error.message}`);
    else if (error instanceof TrialError) console.error(`try:compose: ${error.message}`);
    else if (error instanceof ClusterError) console.error(`try:compose: ${error.message}\nFix: ${error.fix}`);
    else throw error;
    return error instanceof Skipped ? SKIPPED : 1;
  } finally {
    await engine?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exitCode = await main();
