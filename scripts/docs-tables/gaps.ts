import { CONFIG_KEYS } from '../../src/platform/config.ts';
import { code, filesOf, type Rows, textOf } from './pages.ts';

const SOURCES = filesOf('src/**/*.ts').map((file) => ({ file, text: textOf(file) }));
const has = (text: string, name: string): boolean => new RegExp(`\\b${name}\\b`).test(text);
const declares = (text: string, name: string): boolean =>
  new RegExp(`^(?:export )?(?:async )?(?:const|function\\*?|class|interface|type) ${name}\\b`, 'm').test(text);

/** What is not shown, the default, where it is decided, what would prove it wrong; the words are those of the page. */
export const gaps: Rows = ({ rows }) =>
  rows.map((cells) => {
    if (cells.length !== 4 || cells.includes('')) throw new Error(`api gaps: four cells, none empty: ${cells}`);
    const [gap = '', preset = '', place = '', proof = ''] = cells;
    return [gap, preset, placed(place), proof];
  });

/** A setting with its default, and a name in the file that declares it: `PAYOUTS_KEY` (`10m`), `name` in `src/file.ts`. */
function placed(place: string): string {
  if (!/`(?:PAYOUTS_|src\/)/.test(place)) throw new Error(`api gaps: no place in the code: ${place}`);
  return place
    .replaceAll(/`(PAYOUTS_\w+)`(?: \(`[^`]*`\))?/g, (_, key: string) => code(key) + presetOf(key))
    .replaceAll(
      /`(\w+)` in `(src\/[^`]+)`/g,
      (_, name: string, file: string) => `${code(name)} in ${code(fileOf(name, file))}`,
    );
}

function presetOf(key: string): string {
  if (!Object.hasOwn(CONFIG_KEYS, key)) throw new Error(`api gaps: no setting ${key}`);
  const preset = CONFIG_KEYS[key as keyof typeof CONFIG_KEYS].default;
  return preset === null || preset === '' ? '' : ` (${code(preset)})`;
}

function fileOf(name: string, file: string): string {
  const there = SOURCES.find((it) => it.file === file);
  if (there !== undefined && has(there.text, name)) return file;
  const [only, another] = SOURCES.filter(({ text }) => declares(text, name));
  if (only === undefined || another !== undefined) throw new Error(`api gaps: ${name} is not in ${file}`);
  return only.file;
}
