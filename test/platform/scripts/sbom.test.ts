import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../../docs/markdown.ts';
import { newFolder } from '../../support/new-folder.ts';

type Locked = Record<string, { name?: string; version: string; dev?: boolean; link?: boolean }>;

it('npm run sbom writes a CycloneDX document of the package and of all that it depends on', () => {
  const folder = newFolder();
  const file = join(folder, 'sbom.json');
  execFileSync('npm', ['run', 'sbom', '--', file], { cwd: ROOT, stdio: 'ignore' });
  const { bomFormat, metadata, components } = JSON.parse(readFileSync(file, 'utf8'));
  expect([bomFormat, metadata.component.name]).toEqual(['CycloneDX', 'durable-payouts']);
  const listed = components.map((component: { 'bom-ref': string }) => component['bom-ref']);
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as { packages: Locked };
  const installed = Object.entries(packages).filter(([path, { dev, link }]) => path !== '' && !dev && !link);
  const named = installed.map(
    ([path, { name, version }]) => `${name ?? path.split('node_modules/').at(-1)}@${version}`,
  );
  expect(new Set(listed)).toEqual(new Set(named));
});
