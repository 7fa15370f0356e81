/** Result codes of SQLite, https://www.sqlite.org/rescode.html. */
export const SQLITE_BUSY = 5;
export const SQLITE_READONLY = 8;
export const SQLITE_CORRUPT = 11;
export const SQLITE_CANTOPEN = 14;
/** Other processes kept changing the WAL's locks, or one stopped while holding them: no read could begin. */
export const SQLITE_PROTOCOL = 15;
export const SQLITE_NOTADB = 26;
/** Extended code: the file was renamed or replaced after it was opened. */
export const SQLITE_READONLY_DBMOVED = 1032;

/** Whether SQLite failed with one of these codes; a primary code (low byte) covers its extended codes. */
export function isSqliteError(error: unknown, ...codes: readonly number[]): boolean {
  if (!(error instanceof Error) || !('errcode' in error)) return false;
  const code = Number(error.errcode);
  return codes.includes(code) || codes.includes(code & 0xff);
}

/** Whether it failed, without having done anything, because other processes use the file. */
export const isLocked = (error: unknown): boolean => isSqliteError(error, SQLITE_BUSY, SQLITE_PROTOCOL);
