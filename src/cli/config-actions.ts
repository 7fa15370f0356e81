import { resolve } from 'node:path';
import { fitted, labelled, widthOf } from '../domain/display.ts';
import { Problem } from '../domain/problem.ts';
import {
  assertOwnFile,
  type ConfigFile,
  folderConfigPath,
  type GivenSettings,
  isSecret,
  problemWith,
  settingName,
  userConfigPath,
  writtenName,
} from '../platform/config/config-file.ts';
import { changeConfigFile } from '../platform/config/edit-config.ts';
import { ConfigError, readKeys } from '../platform/config/key.ts';
import { pathText } from '../platform/config/values.ts';
import { CONFIG_KEYS, environment, givenSettings, loadConfig, SETTING_GROUPS } from '../platform/config.ts';
import { plainText } from './output.ts';
import type { Session } from './session.ts';

export function configPath({ output }: Session): void {
  const [user, folder] = [userConfigPath(environment()), folderConfigPath()];
  output.result({ user, folder }, user);
}

/** `payouts config set`: an empty value removes the setting. */
export function setConfig(
  { output, profile }: Session,
  written: string,
  value: string,
  { folder }: { folder: boolean },
): void {
  const kind = folder ? 'folder' : 'user';
  const path = folder ? folderConfigPath() : userConfigPath(environment());
  if (folder && profile !== undefined) throw noProfileThere();
  const name = settingName(written);
  const text = value !== '' && isPath(name) ? resolve(value) : value;
  const problem = problemWith(CONFIG_KEYS, { kind }, written, text);
  if (problem !== undefined) throw new ConfigError('payouts config', problem.rule, problem.hint);
  if (text !== '') assertUsable(name, text);
  if (!folder) assertOwnFile(path);
  changeConfigFile(path, { profile, name: writtenName(name), value: text });
  output.result({ file: path, profile: profile ?? null, setting: name }, `Written: ${path}`);
}

const noProfileThere = (): Problem =>
  new Problem('usage', 'usage', 'The file of a folder has no profiles.', { hint: 'Leave out --profile or --folder.' });

const isPath = (name: string): boolean => {
  const { [name as keyof typeof CONFIG_KEYS]: key } = CONFIG_KEYS;
  return key === undefined || key.schema === pathText;
};

/** Throws a `ConfigError` for a value that the setting cannot have. The file of a secret is read when it is used. */
function assertUsable(name: string, text: string): void {
  const { [name as keyof typeof CONFIG_KEYS]: key } = CONFIG_KEYS;
  if (key !== undefined) readKeys({ [name]: key }, { [name]: text });
}

interface ShownSetting {
  group: string;
  name: string;
  /** Null: it has no value. */
  value: string | null;
  isSecret: boolean;
  /** Path of a file, with its profile, `environment` or `default`. */
  from: string;
}

/** `payouts config show`: what is set, or with `all` everything, by subject. */
export function showConfig({ output, profile }: Session, { all }: { all: boolean }): void {
  const given = givenSettings(profile);
  const shown = Object.entries(SETTING_GROUPS).flatMap(([group, keys]) =>
    Object.entries(keys).flatMap(([name, key]) => shownSetting(group, name, key.default, given)),
  );
  const settings = all ? shown : shown.filter(({ from }) => from !== DEFAULT);
  const files = given.files.map(({ kind, path, profile: read }) => ({ kind, path, profile: read ?? null }));
  const text = [
    ...given.files.map((file) => `${file.kind === 'user' ? 'Your file' : 'This folder'}  ${nameOf(file)}`),
    ...(settings.length === 0 ? [nothingSet(given)] : groupTexts(settings, given)),
    ...problemTexts(given.problems),
  ].join('\n');
  output.result({ files, settings, problems: given.problems.map(({ message }) => message) }, text);
}

const DEFAULT = 'default';

const nothingSet = ({ files }: GivenSettings): string =>
  files.length === 0
    ? `Nothing is set, and there is no ${userConfigPath(environment())}: the sandbox bank and the embedded Temporal.`
    : 'Nothing is set: the sandbox bank and the embedded Temporal.';

function shownSetting(group: string, name: string, preset: string | null, given: GivenSettings): ShownSetting {
  const byFile = given.env[`${name}_FILE`] ? `${name}_FILE` : undefined;
  const set = byFile ?? name;
  const text = given.env[set]?.trim() || undefined;
  const hidden = byFile === undefined && text !== undefined && isSecret(CONFIG_KEYS, name, text);
  const origin = given.origins.get(set);
  const from = text === undefined ? DEFAULT : origin === undefined ? 'environment' : nameOf(origin);
  return {
    group,
    name: text === undefined ? name : set,
    value: hidden ? null : (text ?? preset),
    isSecret: hidden,
    from,
  };
}

const nameOf = ({ path, profile }: ConfigFile): string => (profile === undefined ? path : `${path} [${profile}]`);

const WHERE = { user: 'your file', folder: 'this folder' } as const;

function groupTexts(settings: readonly ShownSetting[], given: GivenSettings): string[] {
  const width = widthOf(process.stdout);
  const origin = ({ name, from }: ShownSetting): string => {
    const file = given.origins.get(name);
    return file === undefined ? from : WHERE[file.kind];
  };
  const labelWidth = Math.max(...settings.map(({ name }) => writtenName(name).length)) + 2;
  return [...Map.groupBy(settings, ({ group }) => group)].flatMap(([group, rows]) => [
    '',
    group,
    ...rows.flatMap((row) => {
      const value = row.isSecret ? '(secret)' : row.value === null ? '-' : row.value || '(empty)';
      const where = row.from === DEFAULT ? '' : ` (${origin(row)})`;
      return labelled(writtenName(row.name), `${value}${where}`, { indent: 2, labelWidth, width });
    }),
  ]);
}

const problemTexts = (problems: readonly ConfigError[]): string[] =>
  problems.length === 0 ? [] : ['', ...problems.map(({ message, hint }) => `${message}. ${hint}`)];

/** `payouts config check`: every problem of files and environment; exit code 2 if there is one. */
export function checkConfig({ output, profile }: Session): void {
  const given = givenSettings(profile);
  const { warnings, problems } = foundIn(given);
  if (problems.length > 0) {
    const lines = problems.map(({ message, hint }) => fitted(`${message}. ${hint}`, widthOf(process.stderr)));
    throw new Problem('set-up', 'configuration', plainText(lines.join('\n')), {
      hint: 'payouts config show says where each setting comes from.',
    });
  }
  const files = given.files.map(nameOf);
  const read = files.length === 0 ? 'No configuration file; the environment' : files.join(', ');
  const text = [`${read}: usable.`, ...warnings].join('\n');
  output.result({ files, warnings }, text);
}

/** Each unusable setting by itself; what settings do together only once each of them is usable. */
function foundIn(given: GivenSettings): { warnings: readonly string[]; problems: readonly ConfigError[] } {
  const single = Object.entries(CONFIG_KEYS).flatMap(([name, key]) =>
    problemsIn(() => readKeys({ [name]: key }, given.env)),
  );
  const problems = [...given.problems, ...single];
  if (problems.length > 0) return { warnings: [], problems };
  let warnings: readonly string[] = [];
  const together = problemsIn(() => {
    const { unknownSettings, tooOpen } = loadConfig(given.env);
    warnings = [...unknownSettings, ...tooOpen];
  });
  return { warnings, problems: together };
}

function problemsIn(read: () => void): ConfigError[] {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return [error];
    throw error;
  }
}
