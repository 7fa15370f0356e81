/** A setting that cannot be used (exit code 2). The text names the key, its rule and the fix, never the value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly key: string;
  readonly rule: string;
  /** What to do about it. */
  readonly hint: string;

  constructor(key: string, rule: string, hint: string) {
    super(`${key}: ${rule}`);
    this.key = key;
    this.rule = rule;
    this.hint = hint;
  }
}
