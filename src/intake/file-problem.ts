import { Problem } from '../domain/problem.ts';

/** Errors caused by a path, its owner or its disk, not by our code. https://nodejs.org/api/errors.html#common-system-errors */
const CODES: readonly unknown[] = [
  ...['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'EISDIR', 'EEXIST', 'ENAMETOOLONG', 'ELOOP', 'ENOSPC', 'EDQUOT'],
];

/** An error of the file system as a problem; undefined for other errors. */
export function fileProblem(error: unknown): Problem | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, path } = error as NodeJS.ErrnoException;
  if (path === undefined || !CODES.includes(code)) return undefined;
  return new Problem('set-up', 'file-system', `${error.message}.`, {
    hint: "Check the path, its folder and their permissions. The product's own files are in PAYOUTS_HOME.",
    cause: error,
  });
}
