import { createRequire } from 'node:module';
import { ownVersion } from '../store/own-files.ts';

/** "payouts 0.1.0, Temporal SDK 1.24.0, Node 24.21.0" */
export function versionText(): string {
  const { version } = createRequire(import.meta.url)('@temporalio/client/package.json') as { version: string };
  return `payouts ${ownVersion()}, Temporal SDK ${version}, Node ${process.versions.node}`;
}
