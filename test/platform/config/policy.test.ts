import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PolicyFile, type PolicyNews } from '../../../src/platform/config/policy.ts';
import { newFolder } from '../../support/new-folder.ts';

const textOf = (name: string): string =>
  JSON.stringify({ version: 1, people: [{ name, roles: ['maker'], scope: {} }] });

function policyFile(text: string) {
  const folder = newFolder();
  const path = join(folder, 'policy.json');
  const write = (next: string): void => writeFileSync(path, next, { mode: 0o600 });
  write(text);
  const file = new PolicyFile(path);
  const news: PolicyNews[] = [];
  file.onNews((it) => news.push(it));
  // A whole number: the fraction of a sum is rounded, and a second later would be a little less than a second.
  let at = Math.ceil(performance.now());
  /** Who is in the policy a while later. */
  const later = (ms = 1_000): string[] => {
    at += ms;
    return file.current(at).people.map(({ name }) => name);
  };
  return { path, write, news, later };
}

it('A policy is in force as its file is, from the next read on', () => {
  const { write, later, news } = policyFile(textOf('alice'));
  expect(later()).toEqual(['alice']);
  write(textOf('bob'));
  expect(later(10)).toEqual(['alice']);
  expect(later()).toEqual(['bob']);
  expect(later()).toEqual(['bob']);
  expect(news).toMatchObject([{ kind: 'in-force', policy: { people: [{ name: 'bob' }] } }]);
});

it('A file that cannot be used leaves the policy before in force, says so once, and counts once it is mended', () => {
  const { path, write, later, news } = policyFile(textOf('alice'));
  write('{"version": 2}');
  expect([later(), later()]).toEqual([['alice'], ['alice']]);
  rmSync(path);
  expect([later(), later()]).toEqual([['alice'], ['alice']]);
  expect(news.map((it) => (it.kind === 'refused' ? it.why : it.kind))).toEqual([
    expect.stringMatching(/^names a policy that cannot be used \(version/),
    'names a file that cannot be read',
  ]);
  write(textOf('carol'));
  expect(later()).toEqual(['carol']);
});

it('A file that cannot be used at the start is an error', () => {
  expect(() => policyFile('{')).toThrow(/PAYOUTS_POLICY/);
});
