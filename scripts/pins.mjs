/**
 * The versions of what the product runs on, each with its date, and the published vulnerabilities of these products.
 * `npm run audit` reads it; `test/platform/scripts/pins.test.ts` compares it with the files that say what is installed.
 * Dependency-free, any Node >= 20.
 */

/** The day on which every pin and every product's advisories were last reviewed. */
export const REVIEWED = '2026-11-28';

const OLDEST_PIN_MONTHS = 6;
const OLDEST_REVIEW_DAYS = 60;

const DEPENDENCIES = { file: 'package.json', pattern: /"@temporalio\/\w+": "([^"]+)"/g };
const temporal = (name) => ({
  file: 'scripts/temporal-versions.mjs',
  pattern: new RegExp(`CURRENT_TEMPORAL = .*\\b${name}: '([^']+)'`, 'g'),
});

/**
 * `released` is a day (ISO 8601) that the version is not older than, `source` says where it was read, `supportedUntil` the last day of
 * security fixes, `pinned` which files name the version. `accepted` are advisories that do not stop the audit, and why.
 */
export const PINS = [
  {
    product: 'Temporal CLI',
    version: '1.9.1',
    released: '2026-09-14',
    source: 'Go module github.com/temporalio/cli',
    pinned: [temporal('cli')],
  },
  {
    product: 'Temporal server',
    place: 'in the CLI',
    version: '1.32.0',
    released: '2026-09-11',
    source: 'go.mod of github.com/temporalio/cli 1.9.1',
    pinned: [],
    accepted: {
      ids: ['CVE-2026-89140', 'CVE-2026-104355', 'CVE-2026-120091'],
      because:
        'no CLI has a newer server; a development server has no other cluster and no authorizer to get round, and ' +
        'workercontroller.compute_providers.enabled names none',
    },
  },
  {
    product: 'Temporal server',
    version: '1.32.2',
    released: '2026-10-31',
    source: 'Go module go.temporal.io/server',
    pinned: [temporal('server')],
  },
  {
    product: 'Temporal UI',
    version: '2.54.1',
    released: '2026-09-11',
    source: 'Go module github.com/temporalio/ui-server/v2',
    pinned: [temporal('ui')],
  },
  {
    product: 'Temporal SDK',
    version: '1.24.0',
    released: '2026-09-15',
    source: 'npm',
    pinned: [DEPENDENCIES],
  },
  {
    product: 'Node.js',
    place: 'in the image',
    version: '24.22.2',
    released: '2026-10-21',
    source: 'the day of 24.22.1, which came before it',
    supportedUntil: '2028-04-30',
    pinned: [{ file: 'Dockerfile', pattern: /^ARG NODE_IMAGE=node:([\d.]+)/gm }],
  },
  {
    product: 'Node.js',
    place: 'in clones',
    version: '24.21.0',
    released: '2026-09-08',
    source: 'changelog of Node.js 24',
    supportedUntil: '2028-04-30',
    pinned: [{ file: 'scripts/node/package.json', pattern: /"node": "([^"]+)"/g }],
    accepted: {
      ids: ['CVE-2026-111497'],
      because: 'the npm package "node" has no newer 24; it runs the demo and the tests of a clone, never a deployment',
    },
  },
  {
    product: 'PostgreSQL',
    version: '15.20',
    released: '2026-11-12',
    source: 'changelog of the Debian package postgresql-15',
    supportedUntil: '2027-11-11',
    pinned: [{ file: 'docker-compose.yml', pattern: /image: postgres:([\d.]+)/g }],
  },
  {
    product: 'Debian',
    version: 'bookworm',
    released: '2026-10-21',
    source: 'the images of Node.js and PostgreSQL, which are built on it and not older than these',
    supportedUntil: '2028-06-30',
    pinned: [
      { file: 'Dockerfile', pattern: /^ARG NODE_IMAGE=node:[\d.]+-([a-z]+)/gm },
      { file: 'docker-compose.yml', pattern: /image: postgres:[\d.]+-([a-z]+)/g },
    ],
  },
];

/**
 * `affected` are half-open ranges, from the first affected version to the first that is not. Looked up in the CVE records and
 * GitHub's advisories; where these could not be read, in the sources of the releases before and after the fix, as noted.
 */
export const ADVISORIES = [
  {
    product: 'Temporal server',
    ids: ['CVE-2025-14986'],
    affected: [
      ['1.24.0', '1.27.4'],
      ['1.28.0', '1.28.2'],
      ['1.29.0', '1.29.2'],
    ],
  },
  {
    product: 'Temporal server',
    ids: ['CVE-2025-14987'],
    affected: [
      ['0', '1.27.4'],
      ['1.28.0', '1.28.2'],
      ['1.29.0', '1.29.2'],
    ],
  },
  {
    product: 'Temporal server',
    ids: ['CVE-2026-5199'],
    affected: [
      ['1.29.0', '1.29.5'],
      ['1.30.0', '1.30.3'],
    ],
  },
  {
    product: 'Temporal server',
    ids: ['CVE-2026-5724'],
    affected: [
      ['0', '1.28.4'],
      ['1.29.0', '1.29.6'],
      ['1.30.0', '1.30.4'],
    ],
  },
  {
    product: 'Temporal server',
    ids: ['CVE-2026-87858'],
    affected: [
      ['1.25.0', '1.30.7'],
      ['1.31.0', '1.31.3'],
    ],
  },
  {
    // The fixed end from the sources: the search of a schedule's next time is bounded from 1.30.7 and 1.31.3 on.
    product: 'Temporal server',
    ids: ['CVE-2026-16652'],
    affected: [
      ['1.17.0', '1.30.7'],
      ['1.31.0', '1.31.3'],
    ],
  },
  {
    // In sqlparser, tchannel-go and ringpop-go; the server's go.mod has the fixed ones from 1.30.7 and 1.31.3 on.
    product: 'Temporal server',
    ids: ['CVE-2026-16651', 'CVE-2026-65651', 'CVE-2026-65652', 'CVE-2026-65653', 'CVE-2026-65654'],
    affected: [
      ['0', '1.30.7'],
      ['1.31.0', '1.31.3'],
    ],
  },
  { product: 'Temporal server', ids: ['CVE-2026-89139'], affected: [['1.31.0', '1.31.3']] },
  {
    // Ranges from the sources: both checks are new in 1.30.8, 1.31.4 and 1.32.1. The first affected version was not found.
    product: 'Temporal server',
    ids: ['CVE-2026-89140', 'CVE-2026-104355'],
    affected: [
      ['0', '1.30.8'],
      ['1.31.0', '1.31.4'],
      ['1.32.0', '1.32.1'],
    ],
  },
  {
    // Range from the sources: the compute provider "k8s" came with 1.31 and is left out of 1.31.5 and 1.32.2.
    product: 'Temporal server',
    ids: ['CVE-2026-120091'],
    affected: [
      ['1.31.0', '1.31.5'],
      ['1.32.0', '1.32.2'],
    ],
  },
  {
    // The security release of 21 October 2026, by the gravest of its ten.
    product: 'Node.js',
    ids: ['CVE-2026-111497'],
    affected: [
      ['0', '22.23.4'],
      ['23.0.0', '24.22.1'],
      ['25.0.0', '26.12.1'],
    ],
  },
  {
    // The releases of May and November 2026 by the first of their eleven and forty-two; those of other lines are not listed.
    product: 'PostgreSQL',
    ids: ['CVE-2026-6473'],
    affected: [['15.0', '15.18']],
  },
  { product: 'PostgreSQL', ids: ['CVE-2026-6460'], affected: [['15.0', '15.20']] },
];

/** Negative, 0 or positive, by the numbers of two versions such as `1.32.0`. */
function compareVersions(one, other) {
  const [a, b] = [one, other].map((version) => version.split(/[.-]/).map(Number));
  const length = Math.max(a.length, b.length);
  const differences = Array.from({ length }, (_, at) => (a[at] ?? 0) - (b[at] ?? 0));
  return differences.find((difference) => difference !== 0) ?? 0;
}

const isIn = (version, [from, to]) => compareVersions(version, from) >= 0 && compareVersions(version, to) < 0;

/** The ids of the published vulnerabilities that this version of a product has. */
export function advisoriesOf(product, version, advisories = ADVISORIES) {
  return advisories
    .filter((it) => it.product === product && it.affected.some((range) => isIn(version, range)))
    .flatMap(({ ids }) => ids);
}

/**
 * Whether a Temporal server of this version, such as `1.32.2`, has no published vulnerability. Of a development server those are
 * left out that are accepted for the server in the CLI.
 */
export function isPatchedServer(version, { isDevelopmentServer = false } = {}) {
  const inCli = PINS.find(({ product, place }) => product === 'Temporal server' && place !== undefined);
  const accepted = isDevelopmentServer ? inCli.accepted.ids : [];
  return advisoriesOf('Temporal server', version).every((id) => accepted.includes(id));
}

/** What is wrong at the time `now` with pins, a line each. */
export function pinProblems(now, { pins = PINS, advisories = ADVISORIES, reviewed = REVIEWED } = {}) {
  const today = now.toISOString().slice(0, 10);
  const problems = pins.flatMap((pin) => problemsOf(pin, today, advisories));
  if (addDays(reviewed, OLDEST_REVIEW_DAYS) < today)
    problems.push(`advisories: last reviewed on ${reviewed}, more than ${OLDEST_REVIEW_DAYS} days ago`);
  return problems;
}

function problemsOf({ product, version, released, supportedUntil, accepted, ...pin }, today, advisories) {
  const name = nameOf({ product, version, ...pin });
  const problems = advisoriesOf(product, version, advisories)
    .filter((id) => !accepted?.ids.includes(id))
    .map((id) => `${name}: ${id}`);
  if (addMonths(released, OLDEST_PIN_MONTHS) < today)
    problems.push(`${name}: released on ${released}, more than ${OLDEST_PIN_MONTHS} months ago`);
  if (supportedUntil < today) problems.push(`${name}: no security fixes since ${supportedUntil}`);
  return problems;
}

/** The advisories that are accepted, a line each. */
export const acceptedAdvisories = (pins = PINS) =>
  pins
    .filter(({ accepted }) => accepted !== undefined)
    .map((pin) => `${nameOf(pin)}: ${pin.accepted.ids.join(', ')} accepted: ${pin.accepted.because}`);

/** Where a file names another version than the table; `read` gives the text of a file of the project. */
export function pinDrift(read, pins = PINS) {
  return pins.flatMap(({ product, version, pinned }) =>
    pinned.flatMap(({ file, pattern }) => {
      const found = [...read(file).matchAll(pattern)].map(([, it]) => it);
      const others = found.length === 0 ? ['no version'] : found.filter((it) => it !== version);
      return others.map((other) => `${file}: ${product} ${other}, the table of pins says ${version}`);
    }),
  );
}

const nameOf = ({ product, version, place }) => [product, version, place].filter((it) => it !== undefined).join(' ');

function addMonths(day, months) {
  const date = new Date(day);
  date.setUTCMonth(date.getUTCMonth() + months);
  return date.toISOString().slice(0, 10);
}

const addDays = (day, days) => new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
