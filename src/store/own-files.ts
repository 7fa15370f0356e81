import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** Extension of this build's files: sources run directly in a clone, compiled files in the package (`npm run build`). */
const SUFFIX = import.meta.url.endsWith('.ts') ? '.ts' : '.js';

/** True in the package, which has its workflow bundles and no sources. */
export const IS_BUILT = SUFFIX === '.js';

/** URL of one of our modules, by its path under `src` without extension. */
export const ownModule = (path: string): URL => new URL(`../${path}${SUFFIX}`, import.meta.url);

/** Of this product, by its `package.json`. */
export function ownVersion(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version as string;
}

/** Of the Temporal SDK, whose packages have one version. */
export function sdkVersion(): string {
  return createRequire(import.meta.url)('@temporalio/common/package.json').version as string;
}
