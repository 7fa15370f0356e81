/**
 * The project's packages and its own command in node_modules. Dependency-free, any Node >= 20.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readlinkSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

const OLDEST_NODE = 24;

/**
 * True when what npm says it installed is what the lock file asks for. npm's own record also knows of installs made without this.
 */
export function packagesAreCurrent(root) {
  const wanted = packagesOf(join(root, 'package-lock.json'));
  const present = packagesOf(join(root, 'node_modules', '.package-lock.json'));
  if (wanted === undefined || present === undefined) return false;
  return Object.entries(wanted).every(([path, { version, integrity, optional, devOptional, link }]) => {
    if (!path.startsWith('node_modules/') || link) return true;
    const found = present[path];
    if (found === undefined) return Boolean(optional || devOptional);
    return found.version === version && found.integrity === integrity;
  });
}

/**
 * Installs what the lock file names, tools for tests and Node itself included, and leaves the lock file alone. Not
 * `npm ci`: that refuses a lock file without the optional packages of other platforms, which a registry mirror may lack.
 * `engines` are those of the package: a clone may have an older Node, since it brings its own. npm's output goes to stderr.
 */
export function installPackages(root, env) {
  const npm = env.npm_execpath?.endsWith('.js') ? [process.execPath, env.npm_execpath] : ['npm'];
  const [command, ...args] = [
    ...npm,
    'install',
    '--no-save',
    '--engine-strict=false',
    '--include=dev',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ];
  const { status, error } = spawnSync(command, args, { cwd: root, env, stdio: ['ignore', 2, 2] });
  if (error !== undefined) throw new Error(`npm could not be started: ${error.message}`);
  if (status !== 0) throw new Error(`npm install ended with exit code ${status}; see its message above`);
}

/**
 * The package `node` brings its binary by an install script, which npm may be configured not to run; for some platforms there is
 * none.
 */
export function assertNode(root) {
  if (existsSync(join(root, 'node_modules', 'node', 'bin', 'node'))) return;
  if (Number.parseInt(process.versions.node, 10) >= OLDEST_NODE) return;
  throw new Error(
    `Node ${OLDEST_NODE} is missing: the install script of the package "node" did not run, or found none for this platform. ` +
      `Run: npm rebuild node --ignore-scripts=false, or install Node ${OLDEST_NODE}`,
  );
}

/** npm links the commands of packages but not those of the root package, which `npx payouts` needs. */
export function linkCommand(root) {
  const link = join(root, 'node_modules', '.bin', 'payouts');
  const target = join('..', '..', 'bin', 'payouts.mjs');
  if (linkTarget(link) === target) return;
  mkdirSync(join(root, 'node_modules', '.bin'), { recursive: true });
  const fresh = `${link}.${process.pid}`;
  symlinkSync(target, fresh);
  renameSync(fresh, link);
}

function linkTarget(link) {
  try {
    return readlinkSync(link);
  } catch {
    return undefined;
  }
}

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}
