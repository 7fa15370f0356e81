import { chmodSync, lstatSync, mkdirSync, readdirSync, realpathSync, type Stats } from 'node:fs';
import { join } from 'node:path';

/**
 * Names of everything that the product creates in a home. The home may also be somebody's own folder, whose other files are left
 * alone.
 */
const OURS =
  /^(?:(?:store|temporal|sandbox|stack\.lock)\.sqlite.*|(?:stack|ports|replacements)\.json.*|temporal\.(?:log|pid).*|audit-key\.pem|codec-keys|followers|reports|uploads)$/;

const OWNER_ONLY = 0o700;
/** A folder with the sticky bit, such as /tmp, is shared on purpose. */
const STICKY = 0o1000;

/**
 * Creates the home, and takes all rights of others from the folder and from our files in it: earlier versions left files that
 * others could read, and the Temporal server creates its database by the umask. Works on paths only: opening and closing a
 * database would drop this process's locks on it.
 */
export function makeHomePrivate(home: string): void {
  mkdirSync(home, { recursive: true, mode: OWNER_ONLY });
  const folder = realpathSync(home);
  if ((lstatSync(folder).mode & STICKY) === 0) tighten(folder);
  for (const name of readdirSync(folder)) if (OURS.test(name)) tightenAll(join(folder, name));
}

function tightenAll(path: string): void {
  const found = tighten(path);
  if (found?.isDirectory()) for (const name of readdirSync(path)) tightenAll(join(path, name));
}

/** undefined if it is gone, or neither a file nor a folder: a symbolic link may point anywhere. */
function tighten(path: string): Stats | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || !(found.isFile() || found.isDirectory())) return undefined;
  // Only the owner can change the mode; other users' files are not ours.
  if ((found.mode & 0o077) !== 0 && found.uid === process.getuid?.()) chmodSync(path, found.mode & OWNER_ONLY);
  return found;
}
