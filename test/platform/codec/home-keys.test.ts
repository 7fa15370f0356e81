import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { keyRingOfHome } from '../../../src/platform/codec/keys.ts';
import { newFolder } from '../../support/new-folder.ts';

it('A home has one ring, which nobody else reads', () => {
  const home = join(newFolder(), 'home');
  const { current } = keyRingOfHome(home);
  const again = keyRingOfHome(home).current;
  expect(again.id).toBe(current.id);
  expect(again.key.equals(current.key)).toBe(true);
  expect(statSync(join(home, 'codec-keys')).mode & 0o777).toBe(0o600);
});

it('A ring that cannot be read is not made anew: what it has encrypted would be lost', () => {
  const home = newFolder();
  writeFileSync(join(home, 'codec-keys'), 'home-1:short\n');
  expect(() => keyRingOfHome(home)).toThrow(`${join(home, 'codec-keys')} has no 32 bytes`);
});

it('A ring that is gone is not made anew beside a database that it has encrypted', () => {
  const home = newFolder();
  writeFileSync(join(home, 'temporal.sqlite'), '');
  expect(() => keyRingOfHome(home)).toThrow(`${join(home, 'codec-keys')} is missing`);
  expect(existsSync(join(home, 'codec-keys'))).toBe(false);
});
