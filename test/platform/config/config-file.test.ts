import { chmodSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FOLDER_MAY_SET, givenBy, userConfigPath } from '../../../src/platform/config/config-file.ts';
import { changeConfigFile, changedText } from '../../../src/platform/config/edit-config.ts';
import { heldIn } from '../../../src/platform/config/holdings.ts';
import { CONFIG_KEYS, loadConfig } from '../../../src/platform/config.ts';
import { newFolder } from '../../support/new-folder.ts';

let folder: string;
let own: string;

beforeEach(() => {
  folder = newFolder();
  own = join(folder, 'own.toml');
  vi.spyOn(process, 'cwd').mockReturnValue(folder);
});

afterEach(() => vi.restoreAllMocks());

const write = (text: string, path = own): void => writeFileSync(path, text, { mode: 0o600 });
const given = (env: Record<string, string> = {}, profile?: string) =>
  givenBy(CONFIG_KEYS, { PAYOUTS_CONFIG: own, ...env }, profile);
const problemsOf = (text: string, env: Record<string, string> = {}): string[] => {
  write(text);
  return given(env).problems.map(({ message, hint }) => `${message}; ${hint}`.replaceAll(folder, ''));
};

describe('the file of the user', () => {
  it('is in the folder of configurations, unless the environment names another', () => {
    expect(userConfigPath({ HOME: '/u/a' })).toBe('/u/a/.config/durable-payouts/payouts.toml');
    expect(userConfigPath({ HOME: '/u/a', XDG_CONFIG_HOME: '/etc/x' })).toBe('/etc/x/durable-payouts/payouts.toml');
    expect(userConfigPath({ PAYOUTS_CONFIG: '/srv/p.toml' })).toBe('/srv/p.toml');
    expect(given({ PAYOUTS_CONFIG: '/dev/null' }).files).toEqual([]);
  });

  it('sets what the environment does not', () => {
    write('window = 12\npage_size = 7\n');
    const { env, origins } = given({ PAYOUTS_PAGE_SIZE: '9' });
    expect([env.PAYOUTS_WINDOW, env.PAYOUTS_PAGE_SIZE]).toEqual(['12', '9']);
    expect([...origins.keys()]).toEqual(['PAYOUTS_WINDOW']);
    expect(loadConfig(env).settings.window).toBe(12);
  });

  it('gives way to an empty variable, and to the other form of a variable', () => {
    write('api_url = "https://bank.example.com"\nsigning_key_file = "k"\n');
    expect(given({ PAYOUTS_API_URL: '', PAYOUTS_SIGNING_KEY: 'x' }).origins.size).toBe(0);
  });

  it('may write lists, numbers, dates and tables as TOML has them', () => {
    write(
      'card_return_hosts = ["shop.example", "pay.example"]\nmax_slippage = "0.02"\nallow_http = true\n' +
        'structured_addresses_from = 2027-01-01\nauth_body = { a = "{key}", b = "{secret}" }\n',
    );
    const { env, problems } = given();
    expect(problems).toEqual([]);
    expect(env).toMatchObject({
      PAYOUTS_CARD_RETURN_HOSTS: 'shop.example,pay.example',
      PAYOUTS_ALLOW_HTTP: 'true',
      PAYOUTS_STRUCTURED_ADDRESSES_FROM: '2027-01-01',
      PAYOUTS_AUTH_BODY: '{"a":"{key}","b":"{secret}"}',
    });
    expect(() => loadConfig(env)).not.toThrow();
  });

  it('has paths from its own folder or from the home of the user', () => {
    write('policy = "policy.json"\napi_key_file = "~/key"\nstore_url = "file:s.sqlite"\nfolders = "a, /b"\n');
    expect(given({ HOME: '/u/a' }).env).toMatchObject({
      PAYOUTS_POLICY: join(folder, 'policy.json'),
      PAYOUTS_API_KEY_FILE: '/u/a/key',
      PAYOUTS_STORE_URL: `file:${join(folder, 's.sqlite')}`,
      PAYOUTS_FOLDERS: `${join(folder, 'a')},/b`,
    });
  });

  it.each([
    ['api_ulr = "x"\n', 'sets api_ulr, which is no setting; Did you mean api_url?'],
    ['profile = "x"\n', 'sets profile, which only the environment can'],
    ['api_url = \n', 'is not TOML (line 1)'],
    ['window = 1\nwindow = 2\n', 'is not TOML (line 2)'],
    ['profiles = 1\n', 'has something other than tables under profiles'],
    ['api_secret = "s3cr3t"\n', 'sets api_secret, which holds a secret, in clear text'],
    ['store_url = "postgres://a:s3cr3t@db/x"\n', 'sets store_url, which holds a secret, in clear text'],
    ['store_url = "postgres://db/x?user=a&password=s3cr3t"\n', 'sets store_url, which holds a secret, in clear text'],
  ])('is refused, without its values: %j', (text, says) => {
    const [problem, ...more] = problemsOf(text);
    expect(problem).toContain(`/own.toml: ${says}`.replace('/own.toml: names', 'names'));
    expect(problem).not.toContain('s3cr3t');
    expect(more).toEqual([]);
  });

  it('may name an address without a password', () => {
    expect(problemsOf('store_url = "postgres://db/x"\nproxy = "http://proxy:3128"\n')).toEqual([]);
  });

  it('is refused if others can write it, or another user owns it', () => {
    write('window = 12\n');
    chmodSync(own, 0o620);
    expect(given().problems.map(({ rule }) => rule)).toEqual([
      'is a file that users other than its owner can write (mode 0620)',
    ]);
    chmodSync(own, 0o600);
    vi.spyOn(process, 'getuid').mockReturnValue(statSync(own).uid + 1);
    const { problems, env } = given();
    expect(problems.map(({ rule }) => rule)).toEqual(statSync(own).uid === 0 ? [] : ['belongs to another user']);
    expect(env.PAYOUTS_WINDOW).toBe(statSync(own).uid === 0 ? '12' : undefined);
  });
});

describe('a profile', () => {
  const PROFILES = 'api_url = "https://bank.example.com"\napi_key_file = "/k"\n[profiles.test]\nwindow = 3\n';

  it('stands alone', () => {
    write(PROFILES);
    expect([...given({}, 'test').origins.keys()]).toEqual(['PAYOUTS_WINDOW']);
    expect([...given({ PAYOUTS_PROFILE: 'test' }).origins.keys()]).toEqual(['PAYOUTS_WINDOW']);
    expect([...given().origins.keys()]).toEqual(['PAYOUTS_API_URL', 'PAYOUTS_API_KEY_FILE']);
  });

  it.each(['tset', 'constructor', '__proto__'])('must exist: %s', (name) => {
    write(PROFILES);
    expect(given({}, name).problems.map(({ message }) => message)).toEqual([
      `PAYOUTS_PROFILE: names ${name}, no profile of ${own}`,
    ]);
  });

  it('needs a file', () => {
    expect(given({}, 'test').problems).toHaveLength(1);
  });
});

describe('secrets of a file', () => {
  it('are not used with an address of the environment', () => {
    write(
      'api_url = "https://bank.example.com"\napi_key_file = "/k"\napi_secret_file = "/s"\ngateway_token_file = "/t"\n',
    );
    expect(heldIn(given().env)).toEqual(['PAYOUTS_API_KEY', 'PAYOUTS_API_SECRET', 'PAYOUTS_GATEWAY_TOKEN']);
    expect(heldIn(given({ PAYOUTS_API_URL: 'https://other.example' }).env)).toEqual(['PAYOUTS_GATEWAY_TOKEN']);
    expect(heldIn(given({ PAYOUTS_API_URL_FILE: '/u' }).env)).toEqual(['PAYOUTS_GATEWAY_TOKEN']);
    expect(heldIn(given({ PAYOUTS_GATEWAY_URL: 'https://g.example' }).env)).not.toContain('PAYOUTS_GATEWAY_TOKEN');
  });
});

describe('the file of a folder', () => {
  const here = (): string => join(folder, 'payouts.toml');

  it('sets how answers and journals are written', () => {
    write('pain002_version = "as-asked"\njournal_accounts = { bank = "1200" }\n', here());
    const { env, problems } = given();
    expect(problems).toEqual([]);
    expect(loadConfig(env).answerVersion).toBeUndefined();
    expect(loadConfig(env).journalAccounts).toMatchObject({ bank: '1200' });
  });

  it.each(
    Object.keys(CONFIG_KEYS)
      .filter((name) => name !== 'PAYOUTS_CONFIG')
      .flatMap((name) => [name, `${name}_FILE`].filter((it) => !FOLDER_MAY_SET.includes(it))),
  )('sets no %s', (name) => {
    write(`${name.replace('PAYOUTS_', '').toLowerCase()} = "1"\n`, here());
    const { env, origins, problems } = given();
    expect(problems).toHaveLength(1);
    expect([env[name], origins.size]).toEqual([undefined, 0]);
  });

  it('has no profiles', () => {
    write('pain002_version = "as-asked"\n[profiles.test]\n', here());
    expect(given().problems.map(({ rule }) => rule)).toEqual(['has profiles, but is the file of a folder']);
  });

  it('is that of the user where both are the same file', () => {
    write('window = 12\n');
    symlinkSync(own, here());
    expect(given()).toMatchObject({ problems: [], files: [{ kind: 'user' }] });
  });
});

describe('a change', () => {
  const changed = (text: string, name: string, value: string, profile?: string): string =>
    changedText(text, '/own.toml', { name, value, profile });

  it.each([
    ['', 'window', '12', undefined, 'window = 12\n'],
    ['# mine\nwindow = 1 # small\n', 'window', '2', undefined, '# mine\nwindow = 2\n'],
    ['window = 1\n', 'window', '', undefined, ''],
    [
      'a_b = 1\n\n[profiles.test]\nwindow = 3\n',
      'window',
      '2',
      undefined,
      'a_b = 1\nwindow = 2\n\n[profiles.test]\nwindow = 3\n',
    ],
    ['window = 1\n', 'window', '2', 'test', 'window = 1\n\n[profiles.test]\nwindow = 2\n'],
    [
      '[profiles.test]\nwindow = 1\n\n[profiles.b]\n',
      'x',
      '"q"\\\n',
      'test',
      '[profiles.test]\nwindow = 1\nx = "\\"q\\"\\\\\\n"\n\n[profiles.b]\n',
    ],
    ['[profiles.a]\n', 'window', '2', undefined, 'window = 2\n\n[profiles.a]\n'],
  ])('in %j of %s to %j, profile %s', (text, name, value, profile, result) => {
    expect(changed(text, name, value, profile)).toBe(result === '' ? '\n' : result);
  });

  it.each(['window = """\n1"""\n', 'x = """\nwindow = 1\n"""\n', '"window" = 1\n'])(
    'is refused in a form that it would break: %j',
    (text) => {
      expect(() => changed(text, 'window', '2')).toThrow('in a form that this command does not change');
    },
  );

  it('keeps a link and the mode, and makes a file for its owner alone', () => {
    const target = join(folder, 'dotfiles.toml');
    write('window = 1\n', target);
    chmodSync(target, 0o640);
    symlinkSync(target, own);
    changeConfigFile(own, { name: 'window', value: '2', profile: undefined });
    expect([readFileSync(target, 'utf8'), statSync(target).mode & 0o777]).toEqual(['window = 2\n', 0o640]);
    const other = resolve(folder, 'new', 'payouts.toml');
    changeConfigFile(other, { name: 'window', value: '2', profile: undefined });
    expect([statSync(other).mode & 0o777, statSync(resolve(folder, 'new')).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(() => changeConfigFile(other, { name: 'window', value: '2', profile: 'a.b' })).toThrow('is not a name');
    expect(existsSync(other)).toBe(true);
  });
});
