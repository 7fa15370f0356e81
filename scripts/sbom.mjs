/**
 * Writes what the package depends on as a CycloneDX document, from the lock file: `npm run sbom [FILE]`, `sbom.json` by default.
 * More than npm's own: that prints a heading before the document, calls the package after the folder that it is in, and leaves
 * out with `--omit dev` what the package needs and something of development needs too.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const [, , file = 'sbom.json'] = argv;

const run = (args) =>
  JSON.parse(execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }));
const isForDevelopment = ({ properties }) => properties.some(({ name }) => name === 'cdx:npm:package:development');

const { name } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const { metadata, components, dependencies, ...document } = run([
  'sbom',
  '--sbom-format',
  'cyclonedx',
  '--package-lock-only',
]);
const kept = components.filter((component) => !isForDevelopment(component));
const refs = new Set([metadata.component, ...kept].map((component) => component['bom-ref']));
const sbom = {
  ...document,
  metadata: { ...metadata, component: { ...metadata.component, name } },
  components: kept,
  dependencies: dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => refs.has(other)) })),
};
writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`);
console.log(`${file}: ${kept.length} packages`);
