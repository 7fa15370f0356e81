import { Problem } from '../../domain/problem.ts';

/** An unusable setting (exit code 2). The text names the key, its rule and the fix, never the value. */
export class ConfigError extends Problem {
  readonly key: string;
  readonly rule: string;

  constructor(key: string, rule: string, hint: string) {
    super('set-up', 'configuration', `${key}: ${rule}`, { hint });
    this.key = key;
    this.rule = rule;
  }
}
