import { accessSync, constants, statSync } from 'node:fs';

/**
 * What has become of the database of a running server, which goes on writing to a file that was removed or replaced, where all of
 * it is lost at its end. The returned function says what is wrong; undefined: nothing.
 */
export function databaseFile(path: string): () => string | undefined {
  const own = identityOf(path);
  return () => {
    const now = identityOf(path);
    if (now === undefined) return `${path} is gone`;
    if (now !== own) return `${path} was replaced while the server was running`;
    try {
      accessSync(path, constants.R_OK | constants.W_OK);
      return undefined;
    } catch (error) {
      return `${path} cannot be written (${(error as NodeJS.ErrnoException).code})`;
    }
  };
}

function identityOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}
