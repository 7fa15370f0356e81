import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { runGo } from '../cluster/go.ts';
import { cacheFolder } from '../temporal-cli.mjs';
import { Skipped, sh, TrialError, works } from './shell.ts';

const COMPOSE = '2.40.3';
const COMPOSE_SOURCE = 'github.com/docker/compose/v2/cmd';
const START_LIMIT_S = 60;

export interface Engine {
  /** What makes `docker` and `docker compose` reach it. */
  env: NodeJS.ProcessEnv;
  /** Ends the engine if it was started here. */
  stop(): Promise<void>;
}

interface EngineOptions {
  /** For the data of an engine that is started here. */
  folder: string;
  env: NodeJS.ProcessEnv;
  say(line: string): void;
}

/** The engine that answers, else one of our own, with Compose. Throws `Skipped` where there is none and only root could change that. */
export async function openEngine({ folder, env: given, say }: EngineOptions): Promise<Engine> {
  const found = works('docker version', given)
    ? { env: given, stop: async () => {} }
    : await startEngine(folder, given, say);
  try {
    // Without the plugin buildx, the client only has the builder that the engine began with.
    const env = works('docker buildx version', found.env) ? found.env : { ...found.env, DOCKER_BUILDKIT: '0' };
    return { ...found, env: await withCompose(env, say) };
  } catch (error) {
    await found.stop();
    throw error;
  }
}

async function startEngine(folder: string, env: NodeJS.ProcessEnv, say: (line: string) => void): Promise<Engine> {
  if (process.getuid?.() !== 0) throw new Skipped('no Docker engine answers, and only root can start or install one');
  if (!works('command -v dockerd', env)) {
    if (!works('command -v apt-get', env))
      throw new Skipped('there is no Docker engine, and none to install with apt-get');
    say('installing the Debian package docker.io');
    sh('apt-get update && apt-get install --yes --no-install-recommends docker.io', { cwd: folder, env });
  }
  say('starting dockerd');
  const socket = `unix://${join(folder, 'docker.sock')}`;
  const places = ['data-root', 'exec-root', 'pidfile'].map((name) => `--${name}=${join(folder, name)}`);
  const log = join(folder, 'dockerd.log');
  const output = openSync(log, 'w');
  const dockerd = spawn('dockerd', [`--host=${socket}`, ...places], { env, stdio: ['ignore', output, output] });
  const engine = { env: { ...env, DOCKER_HOST: socket }, stop: () => end(dockerd) };
  for (let second = 0; second < START_LIMIT_S; second++) {
    if (works('docker version', engine.env)) return engine;
    if (dockerd.exitCode !== null) break;
    await wait(1_000);
  }
  await engine.stop();
  throw new TrialError(`dockerd does not start:\n${sh(`tail -5 ${log}`, { cwd: folder, env })}`);
}

async function end(dockerd: ChildProcess): Promise<void> {
  if (dockerd.exitCode !== null || dockerd.signalCode !== null) return;
  const closed = once(dockerd, 'close');
  dockerd.kill('SIGTERM');
  await closed;
}

/** `docker compose`: the one that is installed, else built with Go once and kept in the per-user cache. */
async function withCompose(env: NodeJS.ProcessEnv, say: (line: string) => void): Promise<NodeJS.ProcessEnv> {
  if (works('docker compose version', env)) return env;
  const config = join(cacheFolder(env), `docker-compose-${COMPOSE}`);
  const plugin = join(config, 'cli-plugins', 'docker-compose');
  if (!existsSync(plugin)) {
    mkdirSync(dirname(plugin), { recursive: true });
    // Beside the target, so that the rename is whole or nothing.
    const folder = mkdtempSync(`${plugin}-`);
    try {
      // Not `go install`: it refuses a module whose go.mod excludes versions.
      const steps = [
        ['mod', 'init', 'compose'],
        ['get', `${COMPOSE_SOURCE}@v${COMPOSE}`],
        ['build', '-ldflags=-s -w', '-o', 'docker-compose', COMPOSE_SOURCE],
      ];
      await runGo(steps, folder, { name: `Docker Compose ${COMPOSE}`, env: { ...env, CGO_ENABLED: '0' }, say });
      renameSync(join(folder, 'docker-compose'), plugin);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return { ...env, DOCKER_CONFIG: config };
}
