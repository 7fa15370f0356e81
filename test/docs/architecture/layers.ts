import type { ImportOf } from './sources.ts';

interface Layer {
  name: string;
  /** A scope ends with `/`. `node:` means every built-in module. */
  packages: readonly string[];
  /** Absent: every layer before it. A narrower list, of layers and of folders in them. */
  uses?: readonly string[];
  /** Of which it may name types, which leave nothing behind at run time. */
  types?: readonly string[];
  /** Files outside `src/`. */
  outside?: readonly string[];
}

const SCRIPTS = ['scripts/pins.mjs', 'scripts/temporal-cli.mjs', 'scripts/temporal-versions.mjs'];

/** What is under `src/`, in order: each uses only what is listed before it. */
export const LAYERS: readonly Layer[] = [
  { name: 'domain', packages: ['damerau-levenshtein', 'ibantools', 'uuid', 'node:crypto', 'node:util'] },
  { name: 'store', packages: ['kysely', 'pg', 'node:'] },
  { name: 'bank', packages: ['re2js', 'undici', 'zod', 'node:'] },
  // The other side of the interface: it shares what is on the wire, and nothing else.
  { name: 'sandbox', uses: ['domain', 'bank/schemas'], packages: ['escape-html', 'zod', 'node:'] },
  { name: 'people', packages: ['@simplewebauthn/server', 'zod', 'node:'] },
  { name: 'activities', packages: ['@temporalio/activity', '@temporalio/common', 'node:crypto'] },
  // Their bundle holds what they import, and a replay must find it unchanged.
  {
    name: 'workflows',
    uses: ['domain'],
    types: ['people', 'activities'],
    packages: ['@temporalio/workflow', '@temporalio/common'],
  },
  {
    name: 'platform',
    packages: [
      ...['@opentelemetry/', '@temporalio/', 'jose', 'marked', 'openid-client', 'pg-connection-string', 'pino'],
      ...['prom-client', 'proto3-json-serializer', 'protobufjs', 'smol-toml', 'zod', 'node:'],
    ],
    outside: SCRIPTS,
  },
  { name: 'files', packages: ['csv-parse', 'csv-stringify', 'saxes', 'uuid', 'yauzl', 'zod', 'node:'] },
  { name: 'reports', packages: ['csv-stringify', 'escape-html', 'nodemailer', 'undici', 'zod', 'node:'] },
  {
    name: 'channels',
    packages: [
      ...['@fastify/', '@modelcontextprotocol/server', '@simplewebauthn/server', '@temporalio/', 'content-disposition'],
      ...['fastify', 'nexus-rpc', 'uuid', 'zod'],
      'node:',
    ],
  },
  { name: 'worker.ts', packages: ['@temporalio/', 'node:'] },
  {
    name: 'cli',
    packages: [
      ...['@bomb.sh/tab', '@modelcontextprotocol/server', '@temporalio/client', 'commander', 'uuid', 'zod', 'node:'],
    ],
    outside: SCRIPTS,
  },
  { name: 'starter.ts', packages: [] },
  { name: 'index.ts', packages: [] },
];

const NAMES = LAYERS.map(({ name }) => name);

/** `src/files/csv/read-csv.ts` -> `files`; `src/worker.ts` -> `worker.ts`. */
export const layerOf = (file: string): string => file.split('/')[1] ?? '';

/** The command that `node src/worker.ts` runs; loaded only if that file is the entry, so that the command can start the worker. */
export const isRunByEntry = (file: string, target: string | undefined): boolean =>
  file === 'src/worker.ts' && target?.startsWith('src/cli/') === true;

/** One sentence for each import that breaks a rule: the file, the import and the rule. */
export function violations(imports: readonly ImportOf[]): string[] {
  return imports.flatMap((it) => {
    const rule = brokenRule(it);
    return rule === undefined ? [] : [`${it.file}:${it.line} imports "${it.specifier}", but ${rule}`];
  });
}

function brokenRule({ file, specifier, target, typeOnly }: ImportOf): string | undefined {
  const name = layerOf(file);
  const layer = LAYERS.find((it) => it.name === name);
  if (layer === undefined) return `"${name}" has no row in the list of layers`;
  const { packages, types = [], outside = [], uses = NAMES.slice(0, NAMES.indexOf(name)) } = layer;
  if (target === undefined) {
    return packages.some((it) => isPackage(specifier, it)) ? undefined : `${name} may use only ${packages.join(', ')}`;
  }
  if (!target.startsWith('src/')) {
    return outside.includes(target) ? undefined : `${name} may import nothing outside src/ but ${outside.join(', ')}`;
  }
  if (layerOf(target) === name || isRunByEntry(file, target)) return undefined;
  const isWithin = (place: string): boolean => target === `src/${place}` || target.startsWith(`src/${place}/`);
  if (uses.some(isWithin) || (typeOnly && types.some(isWithin))) return undefined;
  return `${name} may use only ${uses.join(', ')}`;
}

function isPackage(specifier: string, name: string): boolean {
  if (name.endsWith(':') || name.endsWith('/')) return specifier.startsWith(name);
  return specifier === name || specifier.startsWith(`${name}/`);
}
