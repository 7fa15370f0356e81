import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { makeHomePrivate } from '../../../src/platform/embedded/home.ts';
import { newFolder } from '../../support/new-folder.ts';

let folder: string;
let home: string;

beforeEach(() => {
  folder = newFolder();
  home = join(folder, 'home');
});

const modeOf = (path: string): string => (statSync(path).mode & 0o7777).toString(8);

function write(name: string, mode: number): string {
  const path = join(home, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '');
  chmodSync(path, mode);
  return path;
}

it('makes a home that is its owner’s alone', () => {
  makeHomePrivate(join(home, 'deep'));
  expect([home, join(home, 'deep')].map(modeOf)).toEqual(['700', '700']);
});

it('takes the rights of others from an existing home and what the product made in it', () => {
  const names = ['store.sqlite', 'store.sqlite-wal', 'temporal.sqlite', 'sandbox.sqlite-shm', 'stack.lock.sqlite'];
  const others = [
    'stack.json',
    'replacements.json',
    'temporal.log',
    'temporal.pid',
    'reports/b1/report.csv',
    'followers/7.a',
  ];
  const files = [...names, ...others].map((name) => write(name, 0o644));
  chmodSync(home, 0o755);
  makeHomePrivate(home);
  expect(files.map(modeOf)).toEqual(files.map(() => '600'));
  expect([home, join(home, 'reports'), join(home, 'reports/b1'), join(home, 'followers')].map(modeOf)).toEqual(
    Array(4).fill('700'),
  );
});

it('finds the folder behind a link', () => {
  const file = write('store.sqlite', 0o644);
  chmodSync(home, 0o755);
  symlinkSync(home, join(folder, 'link'));
  makeHomePrivate(join(folder, 'link'));
  expect([home, file].map(modeOf)).toEqual(['700', '600']);
});

it('leaves alone what is not of the product, and what a link leads to', () => {
  const foreign = write('pay.sh', 0o755);
  const outside = join(folder, 'outside');
  writeFileSync(outside, '');
  chmodSync(outside, 0o644);
  symlinkSync(outside, join(home, 'store.sqlite'));
  makeHomePrivate(home);
  expect([foreign, outside].map(modeOf)).toEqual(['755', '644']);
});

it('leaves a folder open that everybody shares', () => {
  mkdirSync(home);
  chmodSync(home, 0o1777);
  const file = write('store.sqlite', 0o644);
  makeHomePrivate(home);
  expect([home, file].map(modeOf)).toEqual(['1777', '600']);
});
