import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import type { z } from 'zod';
import { causeOf } from '../../domain/causes.ts';
import { didYouMean } from '../../domain/nearest.ts';
import { plainText } from '../../domain/plain-text.ts';
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

const REDACTED = '[redacted]';

/** A value that cannot get into logs, error texts or JSON by accident; only `reveal()` returns it. */
export class Secret<T = string> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  reveal(): T {
    return this.#value;
  }

  toJSON(): string {
    return REDACTED;
  }

  toString(): string {
    return REDACTED;
  }

  [inspect.custom](): string {
    return REDACTED;
  }
}

/** One setting: the parser of its text, its default (null: absent), and its meaning. */
export interface Key<Schema extends z.ZodType, Default extends string | null> {
  schema: Schema;
  default: Default;
  meaning: string;
}

export function key<Schema extends z.ZodType, const Default extends string | null>(
  schema: Schema,
  defaultText: Default,
  meaning: string,
): Key<Schema, Default> {
  return { schema, default: defaultText, meaning };
}

export type Keys = Readonly<Record<string, Key<z.ZodType, string | null>>>;

export type ValuesOf<Table extends Keys> = {
  [Name in keyof Table]: z.output<Table[Name]['schema']> | (Table[Name]['default'] extends null ? undefined : never);
};

export type Environment = Readonly<Record<string, string | undefined>>;

/** Throws a `ConfigError` for the first unusable one. */
export function readKeys<Table extends Keys>(keys: Table, env: Environment): ValuesOf<Table> {
  const values: Record<string, unknown> = {};
  for (const [name, { schema, default: defaultText, meaning }] of Object.entries(keys)) {
    const text = textOf(env, name) ?? defaultText;
    if (text === null) continue;
    const result = schema.safeParse(text);
    if (!result.success)
      throw new ConfigError(name, result.error.issues[0]?.message ?? 'cannot be used', `Meaning: ${meaning}.`);
    values[name] = result.data;
  }
  return values as ValuesOf<Table>;
}

/**
 * The value of `name`, or the content of the file named by `name_FILE`, without what editors and tools leave at their ends: a mark
 * of the byte order, blanks, line ends. An empty one counts as absent.
 */
function textOf(env: Environment, name: string): string | undefined {
  const file = env[`${name}_FILE`];
  const text = env[name]?.trim() || undefined;
  if (!file) return text;
  if (text !== undefined) throw new ConfigError(name, `is set together with ${name}_FILE`, 'Set only one of the two.');
  return readText(file, `${name}_FILE`).trim() || undefined;
}

/** The text of a file that `setting` names. Throws a `ConfigError` if it cannot be read. */
function readText(path: string, setting: string): string {
  try {
    return plainText(readFileSync(path));
  } catch (error) {
    const { says, remedy } = causeOf(error, 'files') ?? { says: 'it cannot be read', remedy: 'Check the path.' };
    throw new ConfigError(setting, `names a file that cannot be read: ${says}`, remedy);
  }
}

/** Variables read by tests, and those that Kubernetes sets in every container for a Service called payouts-…. */
const NOT_OURS = /^PAYOUTS_(?:(?:TEST|CONTRACT)_|\w+_SERVICE_(?:HOST$|PORT)|\w+_PORT(?:$|_\d+_))/;

/**
 * A sentence for each PAYOUTS_* variable that is not a setting: with a misspelled name, a default would stay in force unnoticed.
 */
export function unknownKeys(env: Environment, known: readonly string[]): string[] {
  const read = new Set(known.flatMap((name) => [name, `${name}_FILE`]));
  // A file of variables with a byte order mark has it in the first name.
  const given = Object.keys(env).filter((name) => name.trim().startsWith('PAYOUTS_') && env[name]);
  const unknown = given.filter((name) => !read.has(name) && !NOT_OURS.test(name));
  return unknown.sort().map((name) => {
    const bare = name.trim();
    return bare === name
      ? `${name} is no setting and has no effect.${didYouMean(name, read)}`
      : `${bare} has a byte order mark or a blank in its name and no effect: save the file of variables as UTF-8 without one.`;
  });
}
