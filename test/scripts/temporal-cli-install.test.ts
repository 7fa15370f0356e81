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
import { cachedCliPath, problemOf } from '../../scripts/temporal-cli.mjs';
import { installTemporalCli } from '../../scripts/temporal-cli-install.mjs';

const WORKING = "#!/bin/sh\necho 'temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)'\n";
const NOWHERE = 'http://127.0.0.1:1';
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

const install = (downloads: string) => installTemporalCli(env, { say: (line) => said.push(line), tried, downloads });

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
      expect.stringMatching(/^\/v1\.5\.1\?platform=(linux|darwin)&arch=(amd64|arm64)$/),
    ]);
    expect(tried).toEqual([]);
  });

  it.each([
    ['nobody answers', async () => ({ url: NOWHERE, [Symbol.asyncDispose]: async () => {} })],
    ['the site answers with an error', () => downloadsOf(403, Buffer.from('no'))],
    ['what came does not run', () => downloadsOf(200, archive('#!/bin/sh\nexit 1\n'))],
    ['what came is no archive', () => downloadsOf(200, Buffer.from('<html>'))],
  ])('builds it with Go when %s', async (_case, open) => {
    await using downloads = await open();
    fakeGo(WORKING);
    expect(await install(downloads.url)).toBe(cachedCliPath(env));
    expect(readFileSync(join(folder, 'go-was-called'), 'utf8')).toBe(
      'install github.com/temporalio/cli/cmd/temporal@v1.5.1\n',
    );
    expect(tried).toEqual([expect.stringMatching(/^download: /)]);
    expect(said.join()).toContain('about 4 minutes');
  });

  it('says what was tried and leaves nothing half done when no way works', async () => {
    fakeGo('#!/bin/sh\nexit 1\n');
    expect(await install(NOWHERE)).toBeUndefined();
    expect(tried).toEqual([expect.stringMatching(/^download: /), 'go install: `--version` fails']);
    expect(existsSync(cachedCliPath(env))).toBe(false);
    expect(readdirSync(dirname(dirname(cachedCliPath(env))))).toEqual([]);
  });
});
