/**
 * Searches the lock file for what should not be installed and through the pins of the platform for what is old or
 * vulnerable, then asks the registry for known vulnerabilities and for signatures. Ends with 1 when it finds something; what could
 * not be asked is said. `npm run audit`.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { acceptedAdvisories, PINS, pinDrift, pinProblems, REVIEWED } from './pins.mjs';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** Licences that ask for no more than their text beside a copy; MPL-2.0 asks for changes of its own files, and there are none. */
const LICENCES = new Set([
  ...['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'CC-BY-4.0', 'ISC', 'MIT', 'MIT-0'],
  ...['MPL-2.0', 'PSF-2.0', 'Python-2.0', 'Unlicense'],
]);
/** Packages whose manifest names no licence, with the one that is in their LICENSE file. */
const NAMED_IN_A_FILE = { unionfs: 'Unlicense' };

/** A registry that does not answer must not hold CI up. */
const ASKED_FOR_MS = 45_000;
const GRAVE = ['high', 'critical'];

/** What is wrong with a lock file, a line each; `manifest` says by `allowScripts` whose install scripts run, and whose do not. */
export function lockProblems(lock, manifest) {
  // Not our own: the project, and scripts/node by both its names.
  const locked = Object.entries(lock.packages).filter(([path, { link }]) => path.includes('node_modules/') && !link);
  const problems = locked.flatMap(([path, it]) => packageProblems(nameOf(path), it, manifest));
  return [...problems, ...missingPlatforms(lock.packages), ...temporalProblems(locked, manifest)];
}

function packageProblems(
  name,
  { version, integrity, license = NAMED_IN_A_FILE[name], resolved, hasInstallScript },
  manifest,
) {
  const at = `${name}@${version}`;
  const problems = [];
  if (!integrity?.startsWith('sha512-')) problems.push(`${at}: no SHA-512 of its contents`);
  if (!isAllowed(license)) problems.push(`${at}: licence ${license ?? 'unknown'}`);
  if (resolved !== undefined && !resolved.startsWith('https://'))
    problems.push(`${at}: not from a registry: ${resolved}`);
  if (hasInstallScript && manifest.allowScripts?.[name] === undefined)
    problems.push(`${at}: runs a script when it is installed`);
  return problems;
}

/** Of "A OR B" (or "A or B") one is enough, of "A AND B" both count. */
const isAllowed = (license = '') =>
  license
    .replace(/[()]/g, '')
    .split(/ or /i)
    .some((choice) => choice.split(' AND ').every((part) => LICENCES.has(part)));

/** A lock file that was written on one platform may have lost the packages of the others. */
function missingPlatforms(packages) {
  const names = new Set(Object.keys(packages).map(nameOf));
  return Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !names.has(name))
      .map((name) => `${nameOf(path)}: its optional package ${name} is not locked`),
  );
}

function temporalProblems(locked, { dependencies, devDependencies }) {
  const named = Object.entries({ ...dependencies, ...devDependencies });
  const wanted = new Set(named.filter(([name]) => isOfTemporal(name)).map(([, version]) => version));
  const versions = new Set(locked.filter(([path]) => isOfTemporal(nameOf(path))).map(([, { version }]) => version));
  const all = [...wanted.union(versions)];
  return all.length === 1 ? [] : [`@temporalio/*: needs one exact version for all of them, found ${all.join(', ')}`];
}

const isOfTemporal = (name) => name.startsWith('@temporalio/');
const nameOf = (path) => path.split('node_modules/').at(-1);

/** What a report of `npm audit --json` says: `grave` is about what the product runs with, `others` about the rest. */
export function advisories({ vulnerabilities }, lock) {
  const all = Object.values(vulnerabilities).map(({ name, severity, nodes }) => ({
    line: `${name}: ${severity}`,
    isGrave: GRAVE.includes(severity) && nodes.some((path) => !lock.packages[path]?.dev),
  }));
  const lines = (isGrave) => all.filter((it) => it.isGrave === isGrave).map(({ line }) => line);
  return { grave: lines(true), others: lines(false) };
}

/** What npm answers, or why it does not. */
async function askRegistry(...args) {
  const options = { cwd: ROOT, stdio: ['ignore', 'pipe', 'ignore'], timeout: ASKED_FOR_MS };
  const child = spawn('npm', [...args, '--json'], options);
  let text = '';
  for await (const chunk of child.stdout) text += chunk;
  if (text === '') return { failure: `no answer within ${ASKED_FOR_MS / 1000} s` };
  const answer = JSON.parse(text);
  return answer.error === undefined ? { answer } : { failure: answer.message ?? answer.error.summary };
}

async function audit() {
  const read = (file) => readFileSync(join(ROOT, file), 'utf8');
  const lock = JSON.parse(read('package-lock.json'));
  const problems = lockProblems(lock, JSON.parse(read('package.json')));
  say(`lock file, ${Object.keys(lock.packages).length - 1} packages`, problems);

  const pins = [...pinDrift(read), ...pinProblems(new Date())];
  say(`pins of the platform, ${PINS.length}, advisories of ${REVIEWED}`, pins);
  for (const line of acceptedAdvisories()) console.log(`  ${line}`);

  const [known, signed] = await Promise.all([askRegistry('audit'), askRegistry('audit', 'signatures')]);
  const { grave, others } = advisories(known.answer ?? { vulnerabilities: {} }, lock);
  say('known vulnerabilities', [...grave, ...others], known.failure);
  const forged = (signed.answer?.invalid ?? []).map(({ name, version }) => `${name}@${version}`);
  say('invalid registry signatures', forged, signed.failure);
  return problems.length + pins.length + grave.length + forged.length;
}

function say(what, found, failure) {
  console.log(`${what}: ${failure === undefined ? `${found.length} found` : `NOT CHECKED, npm says: ${failure}`}`);
  for (const line of found) console.log(`  ${line}`);
}

if (argv[1] === fileURLToPath(import.meta.url)) process.exitCode = (await audit()) > 0 ? 1 : 0;
