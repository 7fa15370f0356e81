import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { CURRENT_TEMPORAL } from '../../../scripts/temporal-versions.mjs';
import { SEARCH_ATTRIBUTES } from '../../../src/domain/names.ts';
import { keepingFlags } from '../../../src/platform/embedded/server.ts';

interface Service {
  profiles: string[];
  image: string;
  user?: string;
  restart?: string;
  environment?: Record<string, string>;
  ports?: string[];
  secrets?: string[];
  command?: string[];
  deploy?: { replicas: number };
  cap_drop?: string[];
  security_opt?: string[];
  read_only?: boolean;
  healthcheck?: object;
}

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const compose = parse(read('docker-compose.yml'), { merge: true }) as {
  services: Record<string, Service>;
  secrets: Record<string, { file: string }>;
};
const services = Object.entries(compose.services);
const inProfile = (name: string): string[] =>
  services.filter(([, { profiles }]) => profiles.includes(name)).map(([service]) => service);

it('has two profiles, and starts the small one when none is asked for', () => {
  expect(inProfile('default')).toEqual(['temporal', 'worker', 'sandbox']);
  expect(read('.env')).toContain('COMPOSE_PROFILES=default\n');
});

it('has in its full profile the parts of `npm run cluster`', () => {
  const source =
    read('scripts/cluster/postgres.ts') + read('scripts/cluster/temporal.ts') + read('scripts/cluster/product.ts');
  const parts = [...source.matchAll(/\bname: ['`]([a-z][a-z-]*)/g)].map(([, name]) => name ?? '');
  // The image of PostgreSQL makes files and roles itself, at its first start.
  const ofImage = ['postgres-files', 'postgres-roles'];
  const expected = parts
    .filter((name) => !ofImage.includes(name))
    .map((name) => (name === 'worker-' ? 'workers' : name));
  expect(inProfile('full').sort()).toEqual(expected.sort());
  expect(compose.services.workers?.deploy?.replicas).toBe(2);
  expect(read('docker-compose.yml')).toContain('./ops/postgres/roles.sh:/docker-entrypoint-initdb.d/roles.sh:ro');
});

it('runs the versions that the product is tested with, each image by an exact tag', () => {
  const images = Object.fromEntries(services.map(([name, { image }]) => [name, image.split('@')[0]]));
  const { cli, server, ui } = CURRENT_TEMPORAL;
  expect(images).toMatchObject({
    temporal: `temporalio/temporal:${cli}`,
    'temporal-server': `temporalio/server:${server}`,
    'temporal-schema': `temporalio/admin-tools:${server}`,
    'temporal-namespace': `temporalio/admin-tools:${server}`,
    'temporal-ui': `temporalio/ui:${ui}`,
  });
  for (const image of Object.values(images)) expect(image).toMatch(/:\d+\.\d+(\.\d+)?(-[\w.-]+)?$/);
});

it('names by digest each image but those of which no digest has been published that we know', () => {
  const isPinned = (image: string): boolean => /@sha256:[0-9a-f]{64}$/.test(image);
  const bare = services.map(([, { image }]) => image).filter((image) => !isPinned(image));
  expect([...new Set(bare)].sort()).toEqual([
    'durable-payouts:0.1.0',
    'postgres:15.20-bookworm',
    `temporalio/admin-tools:${CURRENT_TEMPORAL.server}`,
    `temporalio/server:${CURRENT_TEMPORAL.server}`,
  ]);
  const dockerfile = read('Dockerfile');
  expect(/^ARG NODE_IMAGE=(\S+)$/m.exec(dockerfile)?.[1]).toBe('node:24.22.2-bookworm-slim');
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as Docker writes it
  for (const [, base] of dockerfile.matchAll(/^FROM (\S+)/gm)) expect(base).toBe('${NODE_IMAGE}');
});

it('lets no workflow of another namespace command ours, and no caller start a program, in either profile and embedded', () => {
  expect(compose.services.temporal?.command).toEqual(
    expect.arrayContaining([
      '--dynamic-config-value=system.enableCrossNamespaceCommands=false',
      '--dynamic-config-value=workercontroller.compute_providers.enabled=["none"]',
    ]),
  );
  expect(parse(read('ops/temporal/server/dynamic.yaml'))).toMatchObject({
    'system.enableCrossNamespaceCommands': [{ value: false }],
    'workercontroller.compute_providers.enabled': [{ value: ['none'] }],
  });
  expect(keepingFlags('temporal.sqlite')).toEqual(
    expect.arrayContaining([
      'system.enableCrossNamespaceCommands=false',
      'workercontroller.compute_providers.enabled=["none"]',
    ]),
  );
});

it('registers the search attributes of the product, in both profiles, and by hand in Temporal Cloud', () => {
  const dev = compose.services.temporal?.command?.flatMap(
    (it) => /^--search-attribute=(\w+)=(\w+)$/.exec(it)?.slice(1) ?? [],
  );
  const full = read('ops/temporal/namespace.sh').split("<<'ATTRIBUTES'\n")[1]?.split('\nATTRIBUTES')[0]?.split(/\s/);
  const cloud = [...read('docs/production.md').matchAll(/^ {4}(Payout[\w, ]+?) +(\w+)$/gm)].flatMap(
    ([, names = '', type]) => names.split(', ').map((name) => [name, type]),
  );
  const wanted = Object.entries(SEARCH_ATTRIBUTES).flat();
  expect(dev).toEqual(wanted);
  expect(full).toEqual(wanted);
  expect(Object.fromEntries(cloud)).toEqual(SEARCH_ATTRIBUTES);
});

it('opens ports on this machine only', () => {
  const published = services.flatMap(([, { ports = [] }]) => ports);
  expect(published).toHaveLength(6);
  expect(published.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
});

it('runs nothing as root, with no rights of root, and on a file system that nobody can write', () => {
  const bare = services.filter(
    ([, { user, cap_drop, security_opt, read_only }]) =>
      read_only !== true ||
      user === undefined ||
      /^(root|0)\b/.test(user) ||
      cap_drop?.[0] !== 'ALL' ||
      !security_opt?.includes('no-new-privileges:true'),
  );
  expect(bare).toEqual([]);
});

it('hands over every secret as a file that our scripts make', () => {
  const used = new Set(services.flatMap(([, { secrets = [] }]) => secrets));
  expect([...used].sort()).toEqual(Object.keys(compose.secrets).sort());
  const script = read('ops/secrets.sh') + read('ops/trial-policy.sh');
  for (const [name, { file }] of Object.entries(compose.secrets)) {
    expect(file).toBe(`./secrets/${name}`);
    expect(script).toMatch(new RegExp(`\\b${name}\\b`));
  }
  const settings = services.flatMap(([, { environment = {} }]) => Object.entries(environment));
  const plain = settings.filter(
    ([key, value]) =>
      /^(?!PAYOUTS_ALLOW_).*(?:PASSWORD|SECRET|TOKEN|_KEY\b|_KEYS|STORE_URL)/.test(key) &&
      !`${value}`.startsWith('/run/secrets/'),
  );
  expect(plain).toEqual([]);
});

it('knows of everything that stays up whether it is well', () => {
  const unwatched = services.filter(([, { healthcheck, restart }]) => healthcheck === undefined && restart !== 'no');
  expect(unwatched).toEqual([]);
});
