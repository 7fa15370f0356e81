import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConfigError } from '../../src/platform/config/key.ts';
import { CONFIG_KEYS, loadConfig } from '../../src/platform/config.ts';
import { newFolder } from '../support/new-folder.ts';

let folder: string;

beforeEach(() => {
  folder = newFolder();
});

afterEach(() => vi.restoreAllMocks());

function errorOf(env: Record<string, string>): ConfigError {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('the configuration was accepted');
}

/** A minute of ours, as long as it is in the time of a configuration. */
const minuteIn = (env: Record<string, string>): number =>
  loadConfig({ ...env, PAYOUTS_PATIENCE: '1m' }).settings.terms.waits.patienceMs;

const POSTGRES = { PAYOUTS_STORE_URL: 'postgres://db.example/payouts?sslmode=verify-full' };

describe('defaults', () => {
  it('run both halves embedded in .payouts of the working directory', () => {
    const config = loadConfig({});
    expect(config.bank.kind).toBe('sandbox');
    expect(config.temporal).toEqual({ kind: 'embedded', namespace: 'default' });
    expect(config.home).toBe(resolve('.payouts'));
    expect(config.storeUrl.reveal()).toBe(`file:${resolve('.payouts/store.sqlite')}`);
  });

  it('are the ones the table of keys documents', () => {
    const { terms, window, openOrders, pageSize } = loadConfig({}).settings;
    const { waits, referenceDedupe, maxSlippage } = terms;
    expect({ referenceDedupe, maxSlippage, window, openOrders, pageSize }).toEqual({
      referenceDedupe: 'assumed',
      maxSlippage: '0.01',
      window: 50,
      openOrders: 100_000,
      pageSize: 100,
    });
    expect(waits).toMatchObject({
      fundsPatienceMs: 86_400_000,
      approvalTtlMs: 259_200_000,
      noMoneyRecheckMs: 60_000,
    });
    expect(CONFIG_KEYS.PAYOUTS_APPROVAL_TTL.default).toBe('72h');
  });
});

describe('every key', () => {
  it.each(Object.keys(CONFIG_KEYS))('%s is read: one that has no effect is no setting', (name) => {
    const sources = ['src/platform/config.ts', ...globSync('src/platform/config/*.ts')]
      .map((file) => readFileSync(file, 'utf8'))
      .join('');
    // Neither its line in the table nor a text that names it.
    expect(sources).toMatch(new RegExp(`(?<![\\w'"\`])${name}(?!: key\\()(?![\\w'"\`])`));
  });

  it('can come from a file, whose last line end is dropped', () => {
    const file = join(folder, 'secret');
    writeFileSync(file, 'from-file\n');
    expect(loadConfig({ PAYOUTS_API_SECRET_FILE: file }).bank.secret.reveal()).toBe('from-file');
    for (const content of ['\ufefffrom-file\r\n', 'from-file\n\x1a', Buffer.from('\ufefffrom-file\r\n', 'utf16le')]) {
      writeFileSync(file, content);
      expect(loadConfig({ PAYOUTS_API_SECRET_FILE: file }).bank.secret.reveal()).toBe('from-file');
    }
  });

  it.each(Object.keys(CONFIG_KEYS))('%s refuses a value beside a file', (name) => {
    const file = join(folder, 'value');
    writeFileSync(file, 'x');
    expect(errorOf({ [name]: 'x', [`${name}_FILE`]: file })).toMatchObject({ key: name });
  });

  it.each(Object.keys(CONFIG_KEYS))('%s names a file that cannot be read', (name) => {
    expect(errorOf({ [`${name}_FILE`]: join(folder, 'absent') })).toMatchObject({ key: `${name}_FILE` });
  });

  it('counts a blank as absent', () => {
    expect(loadConfig({ PAYOUTS_API_URL: '', TEMPORAL_ADDRESS: '' })).toMatchObject({
      bank: { kind: 'sandbox' },
      temporal: { kind: 'embedded' },
    });
  });
});

describe('a value that cannot be used', () => {
  it.each([
    ['PAYOUTS_API_URL', 'bank.example'],
    ['PAYOUTS_API_URL', 'https://user:pw@bank.example'],
    ['PAYOUTS_STORE_URL', 'mysql://host/db'],
    ['PAYOUTS_PATIENCE', '24'],
    ['PAYOUTS_PATIENCE', '-1h'],
    ['PAYOUTS_PATIENCE', '99999d'],
    ['PAYOUTS_TIME_SCALE', '0'],
    ['PAYOUTS_TIME_SCALE', 'fast'],
    ['PAYOUTS_REFERENCE_DEDUPE', 'maybe'],
    ['PAYOUTS_CLOSED_MEANS', 'PAID'],
    ['PAYOUTS_PAGE_SIZE', '0'],
    ['PAYOUTS_WINDOW', '1.5'],
    ['PAYOUTS_OPEN_ORDERS', '0'],
    ['PAYOUTS_FEE_CAP', '-1'],
    ['PAYOUTS_FEE_CAP', '1e3'],
    ['PAYOUTS_MAX_SLIPPAGE', '1'],
    ['PAYOUTS_AUTH_BODY', '["{key}"]'],
    ['PAYOUTS_AUTH_BEFORE_EXECUTION', 'yes'],
    ['PAYOUTS_APPROVAL_POLICY', '{"rules":[{"approvals":1,"limit":"5"}]}'],
    ['PAYOUTS_APPROVAL_POLICY', '{"rules":[{"amountAtLeast":"5","approvals":1}]}'],
    ['PAYOUTS_JOURNAL_ACCOUNTS', '6850'],
    ['PAYOUTS_JOURNAL_ACCOUNTS', '{"fees":"6850"}'],
    ['PAYOUTS_JOURNAL_ACCOUNTS', '{"fee":""}'],
    ['PAYOUTS_JOURNAL_ACCOUNTS', '{"fee":"{iban}"}'],
    ['PAYOUTS_JOURNAL_ACCOUNTS', '{"exchange":"1360"}'],
    ['PAYOUTS_LOG_LEVEL', 'loud'],
  ])('%s=%s is refused with its key, rule and fix', (key, value) => {
    const error = errorOf({ [key]: value });
    expect(error.key).toBe(key);
    expect(error.rule).not.toBe('');
    expect(error.hint).not.toBe('');
  });

  it('is never repeated in the error', () => {
    const error = errorOf({ PAYOUTS_STORE_URL: 'mysql://root:hunter2@db/payouts' });
    expect(inspect(error)).not.toContain('hunter2');
  });
});

describe('the bank', () => {
  const access = { PAYOUTS_API_KEY: 'key-1', PAYOUTS_API_SECRET: 'secret-1' };

  it('is the remote one at PAYOUTS_API_URL, without a trailing slash', () => {
    const { bank } = loadConfig({ PAYOUTS_API_URL: 'https://bank.example/base/', ...access });
    expect(bank).toMatchObject({ kind: 'remote', url: 'https://bank.example/base' });
  });

  it('may be asked for a token by any JSON object, by GET only with texts: they are headers', () => {
    const PAYOUTS_AUTH_BODY = '{"auth":{"key":"{key}","scopes":["pay"]},"ttl":600}';
    expect(loadConfig({ PAYOUTS_AUTH_BODY }).bank.auth.body).toBe(PAYOUTS_AUTH_BODY);
    expect(errorOf({ PAYOUTS_AUTH_BODY, PAYOUTS_AUTH_METHOD: 'GET' }).key).toBe('PAYOUTS_AUTH_BODY');
  });

  it('on another machine refuses the default key or secret of the sandbox', () => {
    expect(errorOf({ PAYOUTS_API_URL: 'https://bank.example' }).key).toBe('PAYOUTS_API_KEY');
    expect(errorOf({ PAYOUTS_API_URL: 'https://bank.example', PAYOUTS_API_KEY: 'key-1' }).key).toBe(
      'PAYOUTS_API_SECRET',
    );
  });

  it('on another machine is not reached in clear text unless allowed', () => {
    const env = { PAYOUTS_API_URL: 'http://bank.example', ...access };
    expect(errorOf(env).hint).toContain('PAYOUTS_ALLOW_HTTP');
    expect(loadConfig({ ...env, PAYOUTS_ALLOW_HTTP: 'true' }).bank.kind).toBe('remote');
  });

  it.each(['http://127.0.0.1:8080', 'http://localhost:8080', 'http://[::1]:8080'])(
    'on this machine (%s) needs neither key nor TLS',
    (url) => {
      expect(loadConfig({ PAYOUTS_API_URL: url }).bank).toMatchObject({ kind: 'remote', url });
    },
  );

  it.each(['http://127.0.0.1.example', 'http://localhost.example', 'http://10.0.0.1'])(
    'at %s is another machine',
    (url) => {
      expect(errorOf({ PAYOUTS_API_URL: url }).key).toBe('PAYOUTS_API_KEY');
    },
  );
});

describe('Temporal', () => {
  it('names the setting whose file cannot be read', () => {
    const CLUSTER = { ...POSTGRES, TEMPORAL_ADDRESS: 'cluster:7233' };
    for (const name of [
      'TEMPORAL_TLS_CLIENT_CERT_PATH',
      'TEMPORAL_TLS_CLIENT_KEY_PATH',
      'TEMPORAL_TLS_SERVER_CA_CERT_PATH',
    ]) {
      const error = errorOf({ ...CLUSTER, [name]: '/nowhere.pem' });
      expect([error.key, error.rule]).toEqual([name, expect.stringContaining('/nowhere.pem')]);
    }
  });

  it('is HOST:PORT, and no URL', () => {
    const error = errorOf({ ...POSTGRES, TEMPORAL_ADDRESS: 'http://cluster:7233' });
    expect(error).toMatchObject({ key: 'TEMPORAL_ADDRESS', rule: 'is not HOST:PORT' });
  });

  it('is a cluster once an address is set, with the options of @temporalio/envconfig', () => {
    const { temporal } = loadConfig({
      ...POSTGRES,
      TEMPORAL_ADDRESS: 'cluster:7233',
      TEMPORAL_NAMESPACE: 'pay',
      TEMPORAL_API_KEY: 'k-123',
    });
    expect(temporal).toMatchObject({ kind: 'cluster', address: 'cluster:7233', namespace: 'pay' });
    expect(temporal.kind === 'cluster' && temporal.connect.reveal()).toMatchObject({
      address: 'cluster:7233',
      apiKey: 'k-123',
    });
    expect(inspect(temporal)).not.toContain('k-123');
  });

  it('is a cluster once a profile is named, and says so when the profile does not exist', () => {
    const file = join(folder, 'temporal.toml');
    writeFileSync(file, '[profile.prod]\naddress = "prod:7233"\nnamespace = "pay"\n[profile.prod.tls]\n');
    const env = { ...POSTGRES, TEMPORAL_CONFIG_FILE: file };
    expect(loadConfig({ ...env, TEMPORAL_PROFILE: 'prod' }).temporal).toMatchObject({
      address: 'prod:7233',
      namespace: 'pay',
    });
    expect(errorOf({ ...env, TEMPORAL_PROFILE: 'absent' }).key).toBe('TEMPORAL_PROFILE');
  });

  it('is embedded when only a config file names an address', () => {
    const file = join(folder, 'temporal.toml');
    writeFileSync(file, '[profile.default]\naddress = "prod:7233"\n');
    expect(loadConfig({ TEMPORAL_CONFIG_FILE: file }).temporal.kind).toBe('embedded');
  });
});

describe('one world', () => {
  const CLUSTER = { TEMPORAL_ADDRESS: 'cluster:7233', TEMPORAL_TLS: 'true' };

  it.each<Record<string, string>>([{}, { PAYOUTS_STORE_URL: 'file:/var/payouts/store.sqlite' }])(
    'a cluster with a store of each machine is refused: %j',
    (env) => {
      const { key, message, hint } = errorOf({ ...CLUSTER, ...env });
      expect(key).toBe('PAYOUTS_STORE_URL');
      expect(message).toContain('SQLite');
      expect(hint).toContain('PAYOUTS_ONE_MACHINE=true');
    },
  );

  it.each([POSTGRES, { PAYOUTS_ONE_MACHINE: 'true' }])('a cluster with %j is taken', (env) => {
    expect(loadConfig({ ...CLUSTER, ...env }).temporal.kind).toBe('cluster');
  });

  const BANK = { PAYOUTS_API_URL: 'https://bank.example', PAYOUTS_API_KEY: 'k', PAYOUTS_API_SECRET: 's' };

  it.each([
    ['bank', BANK],
    ['Temporal', { ...CLUSTER, ...POSTGRES }],
  ])('a shrunk time with a %s elsewhere needs a word of its own', (what, env) => {
    const shrunk = { ...env, PAYOUTS_TIME_SCALE: '0.5' };
    const { key, message, hint } = errorOf(shrunk);
    expect(key).toBe('PAYOUTS_TIME_SCALE');
    expect(message).toContain(what);
    expect(hint).toContain('PAYOUTS_TIME_SCALE_OFF_LOOPBACK=true');
    expect(minuteIn({ ...shrunk, PAYOUTS_TIME_SCALE_OFF_LOOPBACK: 'true' })).toBe(30_000);
    expect(minuteIn({ ...shrunk, PAYOUTS_TIME_SCALE: '1' })).toBe(60_000);
  });

  it.each(['127.0.0.1:7233', 'localhost:7233', '[::1]:7233'])(
    'a shrunk time on this machine is taken: %s',
    (address) => {
      const env = { ...POSTGRES, TEMPORAL_ADDRESS: address, PAYOUTS_API_URL: 'http://localhost:8080' };
      expect(minuteIn({ ...env, PAYOUTS_TIME_SCALE: '0.5' })).toBe(30_000);
    },
  );
});

describe('clear text to another machine', () => {
  const ONE = { PAYOUTS_ONE_MACHINE: 'true' };

  it('is refused for a Temporal, and taken with TLS, an API key, or a word of its own', () => {
    const env = { ...ONE, TEMPORAL_ADDRESS: 'temporal.example:7233' };
    const { key, hint } = errorOf(env);
    expect(key).toBe('TEMPORAL_ADDRESS');
    expect(hint).toContain('PAYOUTS_ALLOW_CLEAR_TEMPORAL=true');
    expect(errorOf({ ...env, TEMPORAL_API_KEY: 'k', TEMPORAL_TLS: 'false' }).key).toBe('TEMPORAL_ADDRESS');
    for (const more of [
      { TEMPORAL_TLS: 'true' },
      { TEMPORAL_API_KEY: 'k' },
      { PAYOUTS_ALLOW_CLEAR_TEMPORAL: 'true' },
      { TEMPORAL_ADDRESS: '127.0.0.1:7233' },
    ])
      expect(loadConfig({ ...env, ...more }).temporal.kind).toBe('cluster');
  });

  it('is refused for payloads of a real bank that another machine would keep, and taken with keys or a word of its own', () => {
    const bank = { PAYOUTS_API_URL: 'https://bank.example', PAYOUTS_API_KEY: 'k', PAYOUTS_API_SECRET: 's' };
    const env = { ...ONE, ...bank, TEMPORAL_ADDRESS: 'temporal.example:7233', TEMPORAL_TLS: 'true' };
    const { key, message, hint } = errorOf(env);
    expect([key, message]).toEqual(['PAYOUTS_CODEC_KEYS', expect.stringContaining('in clear text')]);
    expect(hint).toContain('PAYOUTS_ALLOW_CLEAR_PAYLOADS=true');
    for (const more of [
      { PAYOUTS_CODEC_KEYS: `k:${Buffer.alloc(32).toString('base64')}` },
      { PAYOUTS_ALLOW_CLEAR_PAYLOADS: 'true' },
      { TEMPORAL_ADDRESS: '127.0.0.1:7233' },
      { PAYOUTS_API_URL: '', PAYOUTS_API_KEY: '', PAYOUTS_API_SECRET: '' },
    ])
      expect(loadConfig({ ...env, ...more }).temporal.kind).toBe('cluster');
  });

  it.each(['temporal.example@127.0.0.1:7233', '127.0.0.1.example:7233'])(
    'takes %s for no address of here',
    (address) => {
      expect(errorOf({ ...ONE, TEMPORAL_ADDRESS: address }).key).toBe('TEMPORAL_ADDRESS');
    },
  );

  it('is refused for a Temporal of a profile too', () => {
    const file = join(folder, 'temporal.toml');
    writeFileSync(file, '[profile.prod]\naddress = "prod:7233"\n');
    expect(errorOf({ ...ONE, TEMPORAL_CONFIG_FILE: file, TEMPORAL_PROFILE: 'prod' }).key).toBe('TEMPORAL_ADDRESS');
  });

  it.each([
    'postgres://db.example/payouts',
    'postgresql://db.example/payouts?sslmode=require',
    'postgres://db.example/payouts?sslmode=no-verify',
    'postgres://db.example/payouts?sslmode=verify-full&sslmode=disable',
    'postgres://db.example/payouts?ssl=true',
    'postgres://localhost/payouts?host=db.example',
    'postgres://[2001:db8::1]/payouts',
  ])('is refused for %s', (url) => {
    // `pg` warns of what these words will mean one day.
    vi.spyOn(process, 'emitWarning').mockReturnValue();
    const { key, hint } = errorOf({ PAYOUTS_STORE_URL: url });
    expect(key).toBe('PAYOUTS_STORE_URL');
    expect(hint).toContain('PAYOUTS_ALLOW_CLEAR_STORE=true');
    expect(loadConfig({ PAYOUTS_STORE_URL: url, PAYOUTS_ALLOW_CLEAR_STORE: 'true' }).storeUrl.reveal()).toBe(url);
  });

  it.each([
    'postgres://db.example/payouts?sslmode=verify-full',
    'postgres://pay:word@localhost:5433/payouts',
    'postgres://[::1]/payouts',
    'postgres:///payouts',
    'postgres:///payouts?host=/var/run/postgresql',
  ])('has no part in %s', (url) => {
    expect(loadConfig({ PAYOUTS_STORE_URL: url }).storeUrl.reveal()).toBe(url);
  });

  it('counts the host that the environment gives an address without one', () => {
    expect(errorOf({ PAYOUTS_STORE_URL: 'postgres:///payouts', PGHOST: 'db.example' }).key).toBe('PAYOUTS_STORE_URL');
  });

  it.each([
    ['a Temporal', { PAYOUTS_ONE_MACHINE: 'true', TEMPORAL_ADDRESS: 'temporal.example:7233', TEMPORAL_TLS: 'true' }],
    ['a PostgreSQL', POSTGRES],
  ])('is not distinguished from %s while every certificate is taken', (_what, env) => {
    const blind = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    expect(errorOf({ ...env, ...blind }).key).toBe('NODE_TLS_REJECT_UNAUTHORIZED');
    expect(loadConfig(blind).temporal.kind).toBe('embedded');
  });

  it('says so for a certificate that is not there, without the address', () => {
    const url = 'postgres://pay:hunter2@db.example/payouts?sslmode=verify-full&sslrootcert=/absent.pem';
    const error = errorOf({ PAYOUTS_STORE_URL: url });
    expect(error.hint).toContain('sslrootcert');
    expect(inspect(error)).not.toContain('hunter2');
  });
});

describe('durations and the time scale', () => {
  it.each([
    ['250ms', 250],
    ['90s', 90_000],
    ['10m', 600_000],
    ['24h', 86_400_000],
    ['3d', 259_200_000],
  ])('%s is %d ms', (text, ms) => {
    expect(loadConfig({ PAYOUTS_PATIENCE: text }).settings.terms.waits.patienceMs).toBe(ms);
  });

  it('0.02 and 50 mean the same', () => {
    expect(minuteIn({ PAYOUTS_TIME_SCALE: '0.02' })).toBe(1_200);
    expect(minuteIn({ PAYOUTS_TIME_SCALE: '50' })).toBe(1_200);
  });

  it('only ever shrink a wait, and never to nothing', () => {
    const scale = fc.oneof(
      fc.integer({ min: 1, max: 100_000 }),
      fc.integer({ min: 1, max: 999 }).map((n) => n / 1_000),
    );
    fc.assert(
      fc.property(scale, fc.integer({ min: 1, max: 10 ** 9 - 1 }), (by, ms) => {
        const env = { PAYOUTS_TIME_SCALE: `${by}`, PAYOUTS_PATIENCE: `${ms}ms` };
        const shrunk = loadConfig(env).settings.terms.waits.patienceMs;
        expect(shrunk).toBeGreaterThanOrEqual(1);
        expect(shrunk).toBeLessThanOrEqual(ms);
      }),
    );
  });
});

describe('paths and policy', () => {
  it('resolve against the working directory', () => {
    const config = loadConfig({ PAYOUTS_HOME: 'here', PAYOUTS_STORE_URL: 'file:there/s.sqlite' });
    expect(config.home).toBe(resolve('here'));
    expect(config.storeUrl.reveal()).toBe(`file:${resolve('there/s.sqlite')}`);
  });

  it('reads the rules of the approval policy', () => {
    const rules = [
      { currency: 'USD', amountAtLeast: '10000', approvals: 2 },
      { newPayee: true, approvals: 1 },
    ];
    expect(loadConfig({ PAYOUTS_APPROVAL_POLICY: JSON.stringify({ rules }) }).settings.approvalRules).toEqual(rules);
    const twice = '{"rules":[{"approvals":2,"approvals":1}]}';
    expect(errorOf({ PAYOUTS_APPROVAL_POLICY: twice }).message).toContain('each member appears once');
  });
});

describe('the calendar', () => {
  const calendarOf = (text: string): string => {
    const path = join(folder, 'holidays.json');
    writeFileSync(path, text);
    return path;
  };

  it('is read from the file that is named, with a weekend where it says nothing of one', () => {
    expect(loadConfig({}).settings.calendar).toBeUndefined();
    const path = calendarOf('{"holidays":{"*":["2026-12-25"],"EUR":[]}}');
    expect(loadConfig({ PAYOUTS_HOLIDAYS: path }).settings.calendar).toEqual({
      weekend: ['SAT', 'SUN'],
      paymentSystems: false,
      holidays: { '*': ['2026-12-25'], EUR: [] },
      open: {},
      cutOffs: [],
    });
    expect(loadConfig({ PAYOUTS_HOLIDAYS: 'payment-systems' }).settings.calendar?.paymentSystems).toBe(true);
    expect(
      loadConfig({ PAYOUTS_HOLIDAYS: calendarOf('{"weekend":[],"holidays":{}}') }).settings.calendar?.weekend,
    ).toEqual([]);
  });

  it.each([
    ['no JSON', 'holidays:', 'JSON'],
    ['a member twice', '{"holidays":{"EUR":[]},"holidays":{"EUR":["2026-12-25"]}}', 'each member appears once'],
    ['a date that is none', '{"holidays":{"*":["2026-02-30"]}}', 'holidays.*.0'],
    ['a key that is no currency', '{"holidays":{"eur":[]}}', 'holidays'],
    ['an unknown day', '{"weekend":["Sunday"],"holidays":{}}', 'weekend.0'],
    ['a week without an open day', '{"weekend":["MON","TUE","WED","THU","FRI","SAT","SUN"],"holidays":{}}', 'weekend'],
    [
      'a cut-off in no time zone',
      '{"cutOffs":[{"currency":"EUR","at":"15:30","zone":"Europe/Bern"}]}',
      'cutOffs.0.zone',
    ],
    ['a cut-off at no time', '{"cutOffs":[{"currency":"EUR","at":"3pm","zone":"UTC"}]}', 'cutOffs.0.at'],
    ['a member more', '{"holidays":{},"holiday":{}}', 'holiday'],
  ])('with %s cannot be used', (_what, text, place) => {
    const error = errorOf({ PAYOUTS_HOLIDAYS: calendarOf(text) });
    expect(error.message).toContain('PAYOUTS_HOLIDAYS');
    expect(error.message).toContain(place);
  });

  it('whose file is not there cannot be used', () => {
    expect(errorOf({ PAYOUTS_HOLIDAYS: join(folder, 'gone.json') }).message).toContain('PAYOUTS_HOLIDAYS');
  });
});

describe('secrets', () => {
  it('that encrypt payloads are reported by their place alone when they cannot be used', () => {
    const load = () => loadConfig({ PAYOUTS_CODEC_KEYS: 'k:aGlkZGVu' });
    expect(load).toThrow('has no 32 bytes in base64 at key 1');
    expect(load).not.toThrow('aGlkZGVu');
  });

  it('show in no dump of the configuration', () => {
    const config = loadConfig({
      PAYOUTS_API_URL: 'https://bank.example',
      PAYOUTS_API_KEY: 'hidden-1',
      PAYOUTS_API_SECRET: 'hidden-2',
      PAYOUTS_WEBHOOK_SECRET: 'hidden-4 of 24 bytes ...',
      PAYOUTS_STORE_URL: 'postgres://user:hidden-5@db/payouts?sslmode=verify-full',
    });
    expect(inspect(config, { depth: 10, showHidden: true })).not.toContain('hidden-');
    expect(JSON.stringify(config)).not.toContain('hidden-');
    expect(`${config.bank.secret}`).toBe('[redacted]');
    expect(config.bank.secret.reveal()).toBe('hidden-2');
  });
});

it.each(['pa#ss', '12#ss', 'p/a'])('a store whose password is %s says how to write it', (password) => {
  const error = errorOf({ PAYOUTS_STORE_URL: `postgres://payouts:${password}@db.example:5432/payouts` });
  expect(error).toMatchObject({ key: 'PAYOUTS_STORE_URL', hint: expect.stringContaining('# is %23') });
  expect(`${error.message} ${error.hint}`).not.toContain(password);
});

describe('a variable that looks like a setting and is none', () => {
  it.each([
    ['PAYOUTS_REFERENCE_DEDUP', 'PAYOUTS_REFERENCE_DEDUPE'],
    ['PAYOUTS_API_SECRETS_FILE', 'PAYOUTS_API_SECRET_FILE'],
  ])('%s is reported, with what was meant', (name, meant) => {
    const { unknownSettings } = loadConfig({ [name]: 'none' });
    expect(unknownSettings).toEqual([`${name} is no setting and has no effect. Did you mean ${meant}?`]);
  });

  it('without one that is near has no guess', () => {
    const { unknownSettings } = loadConfig({ PAYOUTS_COLOUR_OF_THE_SKY: 'blue' });
    expect(unknownSettings).toEqual(['PAYOUTS_COLOUR_OF_THE_SKY is no setting and has no effect.']);
    const { unknownSettings: marked } = loadConfig({ '\ufeffPAYOUTS_API_SECRET': 'x' });
    expect(marked).toEqual([
      expect.stringMatching(/^PAYOUTS_API_SECRET has a byte order mark .* UTF-8 without one\.$/),
    ]);
    expect(loadConfig({ PAYOUTS_API_SECRET: 'x\r' }).bank.secret.reveal()).toBe('x');
  });

  it('is not one that tests or Kubernetes set, nor one that is empty', () => {
    const env = {
      PAYOUTS_TEST_POSTGRES_URL: 'postgres://localhost',
      PAYOUTS_CONTRACT_URL: 'http://127.0.0.1',
      PAYOUTS_GATEWAY_SERVICE_HOST: '10.0.0.7',
      PAYOUTS_GATEWAY_SERVICE_PORT_HTTP: '8080',
      PAYOUTS_GATEWAY_PORT: 'tcp://10.0.0.7:8080',
      PAYOUTS_GATEWAY_PORT_8080_TCP_ADDR: '10.0.0.7',
      PAYOUTS_HOUSE: '',
    };
    expect(loadConfig(env).unknownSettings).toEqual([]);
  });
});

it('answers have a version that importers do not take for returned payments, unless another is chosen', () => {
  expect(loadConfig({}).answerVersion).toBe('pain.002.001.10');
  expect(loadConfig({ PAYOUTS_PAIN002_VERSION: 'as-asked' }).answerVersion).toBeUndefined();
});
