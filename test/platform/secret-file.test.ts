import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { beforeEach, expect, it } from 'vitest';
import { createSecretFile, readSecretFile, replaceSecretFile } from '../../src/platform/secret-file.ts';
import { newFolder } from '../support/new-folder.ts';

let folder: string;
let path: string;

beforeEach(() => {
  folder = newFolder();
  path = join(folder, 'home', 'key');
});

it('is created once, for its owner alone, and replaced only by intent', () => {
  expect(readSecretFile(path)).toBeUndefined();
  expect(createSecretFile(path, 'first')).toBe('first');
  expect(createSecretFile(path, 'second')).toBe('first');
  expect(readSecretFile(path)).toBe('first');
  replaceSecretFile(path, 'third');
  expect(readSecretFile(path)).toBe('third');
  expect([path, join(folder, 'home')].map((it) => statSync(it).mode & 0o777)).toEqual([0o600, 0o700]);
  expect(readdirSync(join(folder, 'home'))).toEqual(['key']);
});

it('that cannot be read is not taken for one that is missing', () => {
  expect(() => readSecretFile(folder)).toThrow('EISDIR');
});

/** Writes a file in each of `homes`, at the same moment as the other thread, and says what each file then held. */
const WRITER = `
const { parentPort, workerData: { module, folder, name, homes, turns } } = require('node:worker_threads');
import(module).then(({ createSecretFile }) => {
  const held = [];
  for (let n = 0; n < homes; n += 1) {
    Atomics.add(turns, n, 1);
    while (Atomics.load(turns, n) < 2);
    held.push(createSecretFile(folder + '/' + n + '/key', name.repeat(1000)));
  }
  parentPort.postMessage(held);
});`;

it('created by two at the same time holds the whole text of one of them for both', async () => {
  const homes = 80;
  const turns = new Int32Array(new SharedArrayBuffer(homes * Int32Array.BYTES_PER_ELEMENT));
  const module = new URL('../../src/platform/secret-file.ts', import.meta.url).href;
  const writer = async (name: string): Promise<string[]> => {
    const worker = new Worker(WRITER, { eval: true, workerData: { module, folder, name, homes, turns } });
    const { promise, resolve, reject } = Promise.withResolvers<string[]>();
    worker.once('message', resolve).once('error', reject);
    return promise.finally(() => worker.terminate());
  };
  const [a, b] = await Promise.all([writer('a'), writer('b')]);
  expect(a).toEqual(b);
  const written = a.map((_text, n) => readFileSync(join(folder, `${n}`, 'key'), 'utf8'));
  expect(a).toEqual(written);
  expect(written.filter((text) => text.length !== 1_000)).toEqual([]);
});
