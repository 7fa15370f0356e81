import { chmodSync, lstatSync, mkdirSync, readdirSync, realpathSync, type Stats } from 'node:fs';
import { join } from 'node:path';

/** What the product makes in a home, by name. A home may be a folder of somebody's own, whose other files are theirs. */
const OURS =
  /^(?:(?:store|temporal|sandbox|stack\.lock)\.sqlite.*|(?:stack|ports)\.json.*|temporal\.(?:log|pid).*|audit-key\.pem|codec-keys|followers|reports|uploads)$/;

const OWNER_ONLY = 0o700;
/** A sticky folder such as /tmp is shared by design. */
const STICKY = 0o1000;

/**
 * Makes the home, and takes the rights of everybody but its owner from the folder and from what is ours in it: earlier
 * versions left files that others could read, and the Temporal server makes its file as the umask says. Works by path
 * alone: to open and close a database would drop the locks of this process.
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

/** undefined for what has gone meanwhile, or is no file or folder: a link may lead anywhere. */
function tighten(path: string): Stats | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || !(found.isFile() || found.isDirectory())) return undefined;
  // Only its owner may change the mode; what is another user's is not ours to make private.
  if ((found.mode & 0o077) !== 0 && found.uid === process.getuid?.()) chmodSync(path, found.mode & OWNER_ONLY);
  return found;
}
