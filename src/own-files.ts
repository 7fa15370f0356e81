/** How the files of this build end: sources run as they are in a clone, compiled ones in the package (`npm run build`). */
const SUFFIX = import.meta.url.endsWith('.ts') ? '.ts' : '.js';

/** True in the package, which brings its workflow bundles and has no sources. */
export const IS_BUILT = SUFFIX === '.js';

/** The file of one of our modules by its path under `src`, without an ending. */
export const ownModule = (path: string): URL => new URL(`${path}${SUFFIX}`, import.meta.url);
