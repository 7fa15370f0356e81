const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EISDIR: 'is a folder',
  EACCES: 'cannot be read: its permissions do not allow it',
};

/** Why a file cannot be opened: the end of a sentence that begins with its path. */
export const whyUnreadable = ({ code = 'unknown' }: NodeJS.ErrnoException): string =>
  WHY[code] ?? `cannot be read (${code})`;
