import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { folderOfFile } from '../support/new-folder.ts';

const COMMAND = fileURLToPath(new URL('../../bin/payouts.mjs', import.meta.url));
const run = promisify(execFile);

/** Prints on stderr, when the process ends, every module that it has loaded. */
const COUNTS = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  const urls = [];
  registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
  process.on('exit', () => process.stderr.write(JSON.stringify(urls)));
`)}`;

const home = folderOfFile();

async function modulesOf(...args: string[]): Promise<string[]> {
  const env = { PATH: process.env.PATH, HOME: home, PAYOUTS_HOME: home };
  const { stderr } = await run(process.execPath, ['--import', COUNTS, COMMAND, ...args], { env });
  return JSON.parse(stderr) as string[];
}

const packagesIn = (urls: readonly string[]): string[] => [
  ...new Set(urls.flatMap((url) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? [])),
];

it.each([['--version'], ['--help'], ['run', '--help']])(
  'payouts %s %s loads no module of what a command does',
  async (...args) => {
    const urls = await modulesOf(...args);
    expect(packagesIn(urls)).toEqual(expect.arrayContaining(['commander']));
    expect(packagesIn(urls).filter((name) => !['commander', '@temporalio/common'].includes(name))).toEqual([]);
    expect(urls.filter((url) => url.includes('@temporalio/') && !url.endsWith('package.json'))).toEqual([]);
    expect(urls.length).toBeLessThan(60);
  },
);

it('payouts list loads neither Temporal, nor the bank, nor the sandbox', async () => {
  const urls = await modulesOf('list');
  expect(urls.filter((url) => /node_modules\/(?:undici|@grpc|@temporalio\/(?:worker|testing))\//.test(url))).toEqual(
    [],
  );
  expect(urls.filter((url) => /src\/(?:sandbox|bank\/client|workflows)/.test(url))).toEqual([]);
});
