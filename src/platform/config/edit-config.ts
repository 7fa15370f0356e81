import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { replaceSecretFile } from '../secret-file.ts';
import { type ConfigDocument, parsedConfig, type Table } from './config-file.ts';
import { ConfigError } from './key.ts';

interface Change {
  profile: string | undefined;
  /** As written in a file: `api_url`. */
  name: string;
  /** Empty: the setting is removed. */
  value: string;
}

const PROFILE = /^[\w-]{1,64}$/;

/** Writes one setting into a file, which is made if it is missing; comments and order stay. Throws a `ConfigError`. */
export function changeConfigFile(path: string, change: Change): void {
  if (change.profile !== undefined && !PROFILE.test(change.profile)) {
    throw new ConfigError('PAYOUTS_PROFILE', 'is not a name of letters, digits, - and _', 'Choose another name.');
  }
  const isNew = !existsSync(path);
  const text = isNew ? '' : readFileSync(path, 'utf8');
  const changed = changedText(text, path, change);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // What a link names is replaced, not the link: people keep such files elsewhere.
  const target = isNew ? path : realpathSync(path);
  const mode = isNew ? undefined : statSync(target).mode;
  replaceSecretFile(target, changed);
  if (mode !== undefined) chmodSync(target, mode);
}

/** Only lines of a simple form are changed; the result is read again and compared with what it has to say. */
export function changedText(text: string, path: string, change: Change): string {
  const wanted = changedDocument(parsedConfig(text, path), change);
  const changed = changedLines(text === '' ? [] : text.replace(/\n$/, '').split('\n'), change);
  const result = `${changed.join('\n')}\n`;
  if (isDeepStrictEqual(readAgain(result, path), structuredClone(wanted))) return result;
  throw new ConfigError(path, `has ${change.name} in a form that this command does not change`, 'Edit the file.');
}

/** Undefined: it is not TOML any more. Copied, since a library's objects have other prototypes. */
function readAgain(text: string, path: string): ConfigDocument | undefined {
  try {
    return structuredClone(parsedConfig(text, path));
  } catch {
    return undefined;
  }
}

function changedDocument(document: ConfigDocument, { profile, name, value }: Change): ConfigDocument {
  const with_ = (table: Table): Table => {
    const { [name]: _, ...rest } = table;
    return value === '' ? rest : { ...rest, [name]: JSON.parse(literal(value)) };
  };
  if (profile === undefined) return with_(document);
  const { profiles = {} } = document;
  return { ...document, profiles: { ...profiles, [profile]: with_(profiles[profile] ?? {}) } };
}

function changedLines(lines: readonly string[], { profile, name, value }: Change): string[] {
  const head = profile === undefined ? -1 : lines.findIndex((line) => tableOf(line) === `profiles.${profile}`);
  if (profile !== undefined && head === -1) {
    const gap = lines.length === 0 ? [] : [''];
    return [...lines, ...gap, `[profiles.${profile}]`, ...(value === '' ? [] : [`${name} = ${literal(value)}`])];
  }
  const next = lines.findIndex((line, index) => index > head && tableOf(line) !== undefined);
  const end = next === -1 ? lines.length : next;
  const at = lines.findIndex(
    (line, index) => index > head && index < end && /^\s*([\w-]+)\s*=/.exec(line)?.[1] === name,
  );
  const line = value === '' ? [] : [`${name} = ${literal(value)}`];
  if (at !== -1) return lines.toSpliced(at, 1, ...line);
  let last = end;
  while (last > head + 1 && lines[last - 1]?.trim() === '') last -= 1;
  const gap = last === end && next !== -1 && line.length > 0 ? [''] : [];
  return lines.toSpliced(last, 0, ...line, ...gap);
}

const tableOf = (line: string): string | undefined => /^\s*\[\s*([\w.-]+)\s*\]\s*(?:#.*)?$/.exec(line)?.[1];

/** A number or a word of TOML as it is; other text as a string, in the escapes that JSON shares with TOML. */
const literal = (value: string): string =>
  /^(?:true|false|0|[1-9]\d{0,14})$/.test(value) ? value : JSON.stringify(value);
