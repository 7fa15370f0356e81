/** A mapping file or payee directory that cannot be used (exit code 2). The text holds no account number and no name. */
export class ContextFileError extends Error {
  override readonly name = 'ContextFileError';
  /** Path as given. */
  readonly file: string;
  readonly hint: string;

  constructor(file: string, problem: string, hint: string) {
    super(`${file}: ${problem}`);
    this.file = file;
    this.hint = hint;
  }
}
