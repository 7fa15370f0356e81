import { mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { linkCommand, packagesAreCurrent } from '../../../scripts/packages.mjs';
import { newFolder } from '../../support/new-folder.ts';

let root: string;

beforeEach(() => {
  root = newFolder();
  mkdirSync(join(root, 'node_modules'));
});

const write = (file: string, packages: object) => writeFileSync(join(root, file), JSON.stringify({ packages }));
const locked = (packages: object) => write('package-lock.json', { '': { name: 'root' }, ...packages });
const installed = (packages: object) => write('node_modules/.package-lock.json', packages);

const a = { 'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' } };

describe('packages are current', () => {
  it('when what is installed is what the lock file names', () => {
    locked(a);
    installed(a);
    expect(packagesAreCurrent(root)).toBe(true);
  });

  it('also without what is part of the project', () => {
    const own = { 'node_modules/own': { resolved: 'scripts/own', link: true }, 'scripts/own': { version: '0.0.0' } };
    locked({ ...a, ...own });
    installed(a);
    expect(packagesAreCurrent(root)).toBe(true);
  });

  it('also without the optional packages of other platforms', () => {
    locked({ ...a, 'node_modules/b-darwin': { version: '1.0.0', integrity: 'sha512-b', optional: true } });
    installed(a);
    expect(packagesAreCurrent(root)).toBe(true);
  });

  it.each([
    ['nothing is installed', undefined],
    ['one is missing', {}],
    ['one has another version', { 'node_modules/a': { version: '1.0.1', integrity: 'sha512-a' } }],
    ['one has other contents', { 'node_modules/a': { version: '1.0.0', integrity: 'sha512-x' } }],
  ])('but not when %s', (_case, present) => {
    locked(a);
    if (present !== undefined) installed(present);
    expect(packagesAreCurrent(root)).toBe(false);
  });
});

describe('the command', () => {
  it('is linked where npx searches, over an older link and again without harm', () => {
    mkdirSync(join(root, 'node_modules', '.bin'));
    symlinkSync('elsewhere', join(root, 'node_modules', '.bin', 'payouts'));
    linkCommand(root);
    linkCommand(root);
    expect(readlinkSync(join(root, 'node_modules', '.bin', 'payouts'))).toBe('../../bin/payouts.mjs');
    mkdirSync(join(root, 'bin'));
    writeFileSync(join(root, 'bin', 'payouts.mjs'), 'the command');
    expect(readFileSync(join(root, 'node_modules', '.bin', 'payouts'), 'utf8')).toBe('the command');
  });
});
