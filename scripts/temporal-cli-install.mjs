/**
 * Brings a Temporal CLI into the per-user cache: the official download, else a build with Go. Dependency-free.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { cachedCliPath, onPath, problemOf, TEMPORAL_CLI_VERSION } from './temporal-cli.mjs';

const DOWNLOADS = 'https://github.com/temporalio/cli/releases/download';

/**
 * SHA-256 of the release archives, by version and platform. A new version needs its own, from `checksums.txt` of its
 * release and compared with what somebody else has pinned; without an entry nothing is downloaded.
 */
const DIGESTS = {
  '1.5.1': {
    linux_amd64: 'ddc95e08b0b076efd4ea9733a3f488eb7d2be875f8834e616cd2a37358b4852d',
    linux_arm64: 'bd1b0db9f18b051026de8bf6cc1505f2510f14bbb7a8b9a4a91fff46c77454f5',
    darwin_amd64: 'bbb73e2a31135abe50a1f1cdb35030c42961df618e8ce9c60ae89f201540c5d9',
    darwin_arm64: 'cca01b7ea35ad56e2a328d9ae596bf716bd22313ef63c7a761c88354457c2415',
  },
};
/** Time to the first byte: without a way out the build should start soon. */
const FIRST_BYTE_MS = 6_000;
const WHOLE_DOWNLOAD_MS = 180_000;
const CLI_SOURCE = `github.com/temporalio/cli/cmd/temporal@v${TEMPORAL_CLI_VERSION}`;
const CLI_NAME = `the Temporal CLI ${TEMPORAL_CLI_VERSION}`;
/** Where Go's own installer puts it, for a PATH that lacks it. */
const GO_DEFAULT = '/usr/local/go/bin/go';

/** Puts a CLI into the cache and returns its path; undefined when no way worked, with the reasons in `tried`. */
export async function installTemporalCli(env, { say, tried, downloads = DOWNLOADS, digests = DIGESTS }) {
  const target = cachedCliPath(env);
  mkdirSync(dirname(dirname(target)), { recursive: true });
  for (const [name, obtain] of [
    ['download', (folder) => download(downloads, digests, folder, say)],
    ['go install', (folder) => goInstall(CLI_SOURCE, folder, { name: CLI_NAME, env, say })],
  ]) {
    // Same file system as the target, so that the rename is whole or nothing, also beside another set-up.
    const folder = mkdtempSync(`${dirname(target)}-`);
    try {
      const made = await obtain(folder);
      const problem = problemOf(made);
      if (problem !== undefined) throw new Error(problem);
      mkdirSync(dirname(target), { recursive: true });
      renameSync(made, target);
      return target;
    } catch (error) {
      tried.push(`${name}: ${error.message.split('\n').at(-1)}`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return undefined;
}

async function download(downloads, digests, folder, say) {
  const platform = { linux: 'linux', darwin: 'darwin' }[process.platform];
  const arch = { x64: 'amd64', arm64: 'arm64' }[process.arch];
  const build = `${platform}_${arch}`;
  const expected = digests[TEMPORAL_CLI_VERSION]?.[build];
  if (expected === undefined)
    throw new Error(`no known digest of version ${TEMPORAL_CLI_VERSION} for ${process.platform} ${process.arch}`);
  const stop = new AbortController();
  const firstByte = setTimeout(() => stop.abort(), FIRST_BYTE_MS);
  const whole = setTimeout(() => stop.abort(), WHOLE_DOWNLOAD_MS);
  try {
    const url = `${downloads}/v${TEMPORAL_CLI_VERSION}/temporal_cli_${TEMPORAL_CLI_VERSION}_${build}.tar.gz`;
    const response = await fetch(url, { signal: stop.signal });
    clearTimeout(firstByte);
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    say(`downloading ${CLI_NAME}`);
    const packed = Buffer.from(await response.arrayBuffer());
    // Before anything reads it: an archive of somebody else must not even be unpacked.
    const digest = createHash('sha256').update(packed).digest('hex');
    if (digest !== expected)
      throw new Error(`SHA-256 ${digest} does not match the expected ${expected}; the file was discarded`);
    const archive = gunzipSync(packed);
    const file = join(folder, 'temporal');
    writeFileSync(file, fileOfTar(archive, 'temporal'), { mode: 0o755 });
    return file;
  } catch (error) {
    throw new Error(stop.signal.aborted ? 'no answer in time' : (error.cause?.code ?? error.message));
  } finally {
    clearTimeout(firstByte);
    clearTimeout(whole);
  }
}

/** One file of a tar archive: 512-byte headers with the name at 0 and the octal size at 124, contents padded to 512. */
function fileOfTar(archive, name) {
  for (let at = 0; at + 512 <= archive.length; ) {
    const text = (from, to) =>
      archive
        .toString('latin1', at + from, at + to)
        .replace(/\0.*$/s, '')
        .trim();
    const size = Number.parseInt(text(124, 136) || '0', 8);
    if (text(0, 100) === name) return archive.subarray(at + 512, at + 512 + size);
    at += 512 + Math.ceil(size / 512) * 512;
  }
  throw new Error(`the archive contains no file ${name}`);
}

/** Builds `package@version` with Go, verified by Go's checksum database; returns the path of the program in the folder. */
export async function goInstall(source, folder, { name, env, say }) {
  const go = onPath('go', env) ?? GO_DEFAULT;
  say(`building ${name} with Go; the first time takes about 4 minutes`);
  const startedAt = Date.now();
  const seconds = () => Math.round((Date.now() - startedAt) / 1000);
  const pulse = setInterval(() => say(`still building ${name} (${seconds()} s)`), 30_000);
  try {
    await run(go, ['install', source], { cwd: folder, env: { ...env, ...goFolders(env), GOBIN: folder } });
    say(`built ${name} in ${seconds()} s`);
  } finally {
    clearInterval(pulse);
  }
  // Go names a program after the last folder of its package.
  return join(folder, basename(source.slice(0, source.lastIndexOf('@'))));
}

/** Go derives its folders from HOME; without one it would refuse to start. */
function goFolders(env) {
  if (env.HOME) return {};
  const cache = dirname(dirname(cachedCliPath(env)));
  return { GOPATH: env.GOPATH || join(cache, 'go'), GOCACHE: env.GOCACHE || join(cache, 'go-build') };
}

function run(command, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
    let printed = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      printed = (printed + text).slice(-2_000);
    });
    child.once('error', (error) => reject(new Error(error.code === 'ENOENT' ? 'Go was not found' : error.message)));
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(printed.trimEnd() || `exit code ${code}`)),
    );
  });
}
