import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cachedCliPath, problemOf, TEMPORAL_CLI_VERSION } from '../../scripts/temporal-cli.mjs';
import { installTemporalCli } from '../../scripts/temporal-cli-install.mjs';

const WORKING = "#!/bin/sh\necho 'temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)'\n";
const nobody = { url: 'http://127.0.0.1:1', [Symbol.asyncDispose]: async () => {} };
const BUILDS = ['linux_amd64', 'linux_arm64', 'darwin_amd64', 'darwin_arm64'];
const NOWHERE = nobody.url;
let folder: string;
let env: Record<string, string>;
let said: string[];
let tried: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'payouts-install-'));
  mkdirSync(join(folder, 'bin'));
  env = { PATH: `${join(folder, 'bin')}:/usr/bin:/bin`, HOME: join(folder, 'home') };
  said = [];
  tried = [];
});

afterEach(() => rmSync(folder, { recursive: true }));

/** `packed` is what is expected from the download, on whatever machine the test runs. */
const install = (downloads: string, packed = archive(WORKING)) => {
  const digest = createHash('sha256').update(packed).digest('hex');
  const digests = { [TEMPORAL_CLI_VERSION]: Object.fromEntries(BUILDS.map((build) => [build, digest])) };
  return installTemporalCli(env, { say: (line) => said.push(line), tried, downloads, digests });
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

async function downloadsOf(status: number, body: Buffer): Promise<{ url: string; asked: string[] } & AsyncDisposable> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(status).end(body);
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

/** A `go` that builds nothing but writes this program to GOBIN, and notes how it was called. */
function fakeGo(program: string): void {
  const source = join(folder, 'program');
  writeFileSync(source, program);
  const go = join(folder, 'bin', 'go');
  writeFileSync(
    go,
    `#!/bin/sh\necho "$@" > ${folder}/go-was-called\ncp ${source} "$GOBIN/temporal" && chmod 755 "$GOBIN/temporal"\n`,
  );
  chmodSync(go, 0o755);
}

describe('bringing a Temporal CLI into the cache', () => {
  it('takes the official download for this machine', async () => {
    await using downloads = await downloadsOf(200, archive(WORKING));
    const path = await install(downloads.url);
    expect(path).toBe(cachedCliPath(env));
    expect(problemOf(cachedCliPath(env))).toBeUndefined();
    expect(downloads.asked).toEqual([
      expect.stringMatching(/^\/v1\.5\.1\/temporal_cli_1\.5\.1_(linux|darwin)_(amd64|arm64)\.tar\.gz$/),
    ]);
    expect(tried).toEqual([]);
  });

  it.each([
    ['nobody answers', undefined, archive(WORKING)],
    ['the site answers with an error', 403, Buffer.from('no')],
    ['what came does not run', 200, archive('#!/bin/sh\nexit 1\n')],
    ['what came is no archive', 200, Buffer.from('<html>')],
  ])('builds it with Go when %s', async (_case, status, packed) => {
    await using downloads = status === undefined ? nobody : await downloadsOf(status, packed);
    fakeGo(WORKING);
    expect(await install(downloads.url, packed)).toBe(cachedCliPath(env));
    expect(readFileSync(join(folder, 'go-was-called'), 'utf8')).toBe(
      'install github.com/temporalio/cli/cmd/temporal@v1.5.1\n',
    );
    expect(tried).toEqual([expect.stringMatching(/^download: /)]);
    expect(said.join()).toContain('about 4 minutes');
  });

  it('uses nothing of an archive with another digest, and builds it with Go', async () => {
    const mark = join(folder, 'it-ran');
    await using downloads = await downloadsOf(200, archive(`#!/bin/sh\ntouch ${mark}\n`));
    fakeGo(WORKING);
    expect(await install(downloads.url)).toBe(cachedCliPath(env));
    expect(existsSync(mark)).toBe(false);
    expect(tried).toEqual([
      expect.stringMatching(/^download: SHA-256 [0-9a-f]{64} does not match the expected [0-9a-f]{64}/),
    ]);
  });

  it('asks for nothing that has no known digest', async () => {
    await using downloads = await downloadsOf(200, archive(WORKING));
    fakeGo(WORKING);
    const options = { say: () => undefined, tried, downloads: downloads.url, digests: {} };
    expect(await installTemporalCli(env, options)).toBe(cachedCliPath(env));
    expect(downloads.asked).toEqual([]);
    expect(tried).toEqual([expect.stringMatching(/^download: no known digest of version 1\.5\.1/)]);
  });

  it('knows the digest of its version for this machine', async () => {
    await using downloads = await downloadsOf(200, archive(WORKING));
    fakeGo(WORKING);
    await installTemporalCli(env, { say: () => undefined, tried, downloads: downloads.url });
    // The archive of this test is none of Temporal's.
    expect(tried).toEqual([
      expect.stringMatching(/^download: SHA-256 [0-9a-f]{64} does not match the expected [0-9a-f]{64}/),
    ]);
  });

  it('says what was tried and leaves nothing half done when no way works', async () => {
    fakeGo('#!/bin/sh\nexit 1\n');
    expect(await install(NOWHERE)).toBeUndefined();
    expect(tried).toEqual([expect.stringMatching(/^download: /), 'go install: `--version` fails']);
    expect(existsSync(cachedCliPath(env))).toBe(false);
    expect(readdirSync(dirname(dirname(cachedCliPath(env))))).toEqual([]);
  });
});
