import type { ImportOf } from './sources.ts';

/** What a part of `src/` may import besides itself: paths under `src/` (a folder ends with `/`) and packages. */
interface Layer {
  imports: readonly string[];
  /** Allowed in type-only imports, which leave nothing behind at run time. */
  types?: readonly string[];
  /** A scope ends with `/`. `node:` stands for every built-in module. */
  packages: readonly string[];
  /** Files outside `src/`. */
  outside?: readonly string[];
}

/** The import directions of docs/architecture.md, "Code map". A relaxation names a file, never a folder. */
export const LAYERS: Readonly<Record<string, Layer>> = {
  domain: { imports: [], packages: [] },
  workflows: {
    imports: ['domain/'],
    types: ['activities/', 'services/'],
    packages: ['@temporalio/workflow', '@temporalio/common'],
  },
  activities: {
    imports: ['domain/', 'api/errors.ts', 'services/'],
    packages: ['@temporalio/activity', '@temporalio/common'],
  },
  // Effects without Temporal.
  services: {
    imports: [
      'domain/',
      'api/',
      'checks/provider.ts',
      'identity.ts',
      'signing/',
      'policy/look-alike-names.ts',
      'vault/without-card-data.ts',
    ],
    types: ['config/settings.ts', 'store/', 'vault/'],
    packages: ['node:crypto'],
  },
  // Who is asked about payees.
  checks: {
    imports: ['domain/', 'api/transport.ts', 'api/deadline.ts', 'api/json.ts'],
    packages: ['zod'],
  },
  // What people sign, and whether they have.
  signing: {
    imports: ['domain/', 'audit/merkle.ts', 'audit/inclusion.ts'],
    packages: ['@simplewebauthn/server', 'node:'],
  },
  // Who may move money, as a file says it.
  policy: { imports: ['domain/', 'signing/', 'api/json.ts'], packages: ['zod', 'node:'] },
  webhooks: {
    imports: ['domain/', 'api/json.ts'],
    types: ['api/cards.ts', 'store/'],
    packages: ['structured-headers', 'node:'],
  },
  // Who is told what has become of payouts, and how.
  events: {
    imports: ['domain/', 'webhooks/', 'reports/display.ts', 'rules/finding.ts'],
    types: ['config/events.ts', 'store/'],
    packages: ['nodemailer', 'undici', 'zod', 'node:'],
  },
  // Cards in memory: it sends nothing and writes nothing.
  vault: { imports: ['domain/'], types: ['api/cards.ts'], packages: ['node:'] },
  api: { imports: ['domain/'], packages: ['zod', 'undici', 're2js', 'node:'] },
  // What Temporal keeps, encrypted.
  codec: { imports: ['domain/', 'secret-file.ts'], packages: ['@temporalio/common', '@temporalio/proto', 'node:'] },
  // The log that people trust: it knows nothing of what is logged.
  audit: { imports: [], packages: ['node:'] },
  store: { imports: ['own-files.ts', 'domain/', 'audit/'], packages: ['kysely', 'pg', 'node:'] },
  // What a row must be to be paid, and the words that people are told it in.
  rules: { imports: ['domain/', 'api/schemas/', 'api/required-details.ts'], packages: ['damerau-levenshtein'] },
  formats: {
    imports: ['domain/', 'rules/', 'api/schemas/', 'api/pattern.ts'],
    packages: ['csv-parse', 'csv-stringify', 'saxes', 'yauzl', 'zod', 'node:'],
  },
  reports: {
    imports: ['domain/', 'rules/', 'formats/iso20022/simple-types.ts'],
    types: ['store/store.ts'],
    packages: ['csv-stringify', 'escape-html', 'zod', 'node:'],
  },
  // The one way in for files: doors import it, it knows no door.
  intake: {
    imports: ['domain/', 'api/', 'formats/', 'rules/', 'services/', 'signing/plan.ts', 'identity.ts'],
    types: ['store/store.ts'],
    packages: ['uuid', 'node:'],
  },
  sandbox: { imports: ['domain/', 'api/schemas/'], packages: ['escape-html', 'zod', 'node:'] },
  temporal: {
    imports: ['own-files.ts', 'domain/', 'codec/', 'telemetry/listen-address.ts', 'workflows/search-attributes.ts'],
    types: ['config.ts', 'log.ts', 'services/executions.ts', 'store/'],
    packages: ['@temporalio/', 'node:'],
  },
  embedded: {
    imports: ['own-files.ts', 'domain/', 'codec/', 'config/config-error.ts', 'domain/loopback.ts', 'temporal/'],
    types: ['config.ts', 'log.ts'],
    packages: [
      ...['zod', '@temporalio/client', '@temporalio/common', '@temporalio/proto', 'marked'],
      ...['proto3-json-serializer', 'protobufjs', 'node:'],
    ],
    outside: ['scripts/temporal-cli.mjs', 'scripts/temporal-versions.mjs'],
  },
  config: {
    imports: [
      'domain/',
      'config/',
      'audit/log-key.ts',
      'codec/key-ring.ts',
      'policy/',
      'api/card-fields.ts',
      'api/json.ts',
      'events/private-addresses.ts',
      'rules/nearest.ts',
    ],
    types: ['events/'],
    packages: ['zod', 'pg-connection-string', '@temporalio/envconfig', 'node:'],
  },
  'config.ts': {
    imports: ['domain/', 'config/', 'codec/'],
    packages: ['node:'],
  },
  'identity.ts': { imports: ['domain/'], packages: ['uuid', 'node:'] },
  'log.ts': { imports: [], packages: ['pino', 'node:'] },
  folder: { imports: ['domain/', 'intake/', 'reports/'], types: ['store/'], packages: ['uuid', 'node:'] },
  gateway: {
    imports: [
      'domain/',
      'api/json.ts',
      'codec/',
      'intake/',
      'services/cards/take-payment.ts',
      'services/decisions/',
      'services/payee-checks.ts',
      'signing/',
      'formats/limits.ts',
      'formats/read-file.ts',
      'vault/',
      'identity.ts',
      'config/config-error.ts',
      'embedded/stack-error.ts',
      'reports/batch-list.ts',
      'reports/check-texts.ts',
      'reports/currency-totals.ts',
      'reports/display.ts',
      'reports/html.ts',
      'reports/masked.ts',
      'reports/next-step.ts',
      'reports/question-facts.ts',
      'reports/step-groups.ts',
      'reports/erp-formats.ts',
      'reports/report-document.ts',
      'rules/finding.ts',
      'webhooks/ip-list.ts',
      'telemetry/readiness.ts',
    ],
    types: [
      'config/',
      'store/',
      'embedded/',
      'rules/',
      'reports/',
      'services/',
      'api/cards.ts',
      'api/schemas/',
      'audit/',
      'webhooks/',
      'log.ts',
    ],
    packages: [
      '@simplewebauthn/server',
      'content-disposition',
      'fastify',
      '@fastify/cookie',
      '@fastify/csrf-protection',
      '@fastify/helmet',
      '@fastify/multipart',
      '@fastify/rate-limit',
      '@fastify/swagger',
      '@fastify/swagger-ui',
      'uuid',
      'zod',
      'node:',
    ],
  },
  // What a process tells about itself.
  telemetry: {
    imports: ['domain/'],
    types: ['api/calls.ts', 'store/store.ts', 'log.ts'],
    packages: ['prom-client', '@opentelemetry/', '@temporalio/', 'node:'],
  },
  // Composition: everything but the roots.
  compose: { imports: [''], packages: ['@temporalio/', 'uuid', 'zod', 'node:'] },
  cli: {
    imports: [''],
    packages: ['@temporalio/client', 'commander', 'uuid', 'zod', 'node:'],
    outside: ['scripts/pins.mjs', 'scripts/temporal-cli.mjs', 'scripts/temporal-versions.mjs'],
  },
  'own-files.ts': { imports: [], packages: ['node:'] },
  'opened-parts.ts': { imports: [], packages: [] },
  'secret-file.ts': { imports: ['domain/'], packages: ['node:'] },
  // What the package shows to programs.
  'index.ts': { imports: [''], packages: [] },
  'tls-minimum.ts': { imports: [], packages: ['node:tls'] },
  'starter.ts': { imports: ['tls-minimum.ts', 'cli/program.ts', 'cli/end-soon.ts'], packages: [] },
  'worker.ts': { imports: [''], packages: ['@temporalio/', 'node:'] },
};

/** Composition roots: started, never imported. */
const ROOTS: readonly string[] = ['index.ts', 'starter.ts'];

/** `src/formats/csv/read-csv.ts` -> `formats`; `src/config.ts` -> `config.ts`. */
export const partOf = (file: string): string => file.split('/')[1] ?? '';

/** One sentence for each import that breaks a rule: the file, the import and the rule. */
export function violations(imports: readonly ImportOf[]): string[] {
  return imports.flatMap((it) => {
    const rule = brokenRule(it);
    return rule === undefined ? [] : [`${it.file}:${it.line} imports "${it.specifier}", but ${rule}`];
  });
}

function brokenRule({ file, specifier, target, typeOnly }: ImportOf): string | undefined {
  const part = partOf(file);
  const layer = LAYERS[part];
  if (layer === undefined) return `"${part}" has no row in the table of layers`;
  const { imports, types = [], packages, outside = [] } = layer;
  if (target === undefined) {
    return packages.some((name) => isPackage(specifier, name))
      ? undefined
      : `${part} may use only these packages: ${listed(packages)}`;
  }
  if (!target.startsWith('src/'))
    return outside.includes(target) ? undefined : `${part} may import nothing outside src/ but ${listed(outside)}`;
  const path = target.slice('src/'.length);
  if (ROOTS.includes(path)) return 'a composition root is imported by nothing';
  if (path.startsWith(`${part}/`)) return undefined;
  if (imports.some((allowed) => covers(allowed, path))) return undefined;
  if (typeOnly && types.some((allowed) => covers(allowed, path))) return undefined;
  return `${part} may import ${listed(imports)}${types.length === 0 ? '' : `, and types of ${listed(types)}`}`;
}

function isPackage(specifier: string, name: string): boolean {
  if (name.endsWith(':') || name.endsWith('/')) return specifier.startsWith(name);
  return specifier === name || specifier.startsWith(`${name}/`);
}

const covers = (allowed: string, path: string): boolean =>
  allowed === '' || (allowed.endsWith('/') ? path.startsWith(allowed) : path === allowed);

const listed = (names: readonly string[]): string => (names.length === 0 ? 'nothing' : names.join(', '));
