import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** "payouts 0.1.0, Temporal SDK 1.24.0, Node 24.21.0" */
export function versionText(): string {
  const ours = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as Package;
  const sdk = createRequire(import.meta.url)('@temporalio/client/package.json') as Package;
  return `payouts ${ours.version}, Temporal SDK ${sdk.version}, Node ${process.versions.node}`;
}

interface Package {
  version: string;
}
