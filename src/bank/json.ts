/**
 * The engine's `JSON.parse` with two checks. lossless-json would not do: it does not limit nesting, and accepts a member named
 * twice if it considers the values equal, such as `{}` and `[]`.
 */

/** Deepest nesting accepted; the interface's own answers use six levels. */
const DEPTH_MAX = 32;

/** A body that this client does not accept as JSON. The message never holds a part of the body. */
export class JsonRefused extends Error {
  override readonly name = 'JsonRefused';
}

type Reviver = (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown;
/** `lib.es2024` does not know the reviver's third argument (ECMAScript 2026, JSON.parse source text access). */
const parseWithSource = JSON.parse as (text: string, reviver: Reviver) => unknown;

/**
 * Parses an answer. A number that is not a safe integer becomes its source text, so that a decimal sent as a number loses no
 * digit. Nesting above 32 levels and duplicate members are refused, as parsers disagree about both.
 */
export function parseJson(text: string): unknown {
  return parseOnce(text, (item, source) => (typeof item === 'number' && !Number.isSafeInteger(item) ? source : item));
}

/** Like `JSON.parse`, with the same refusals, for input of people and programs, whose amounts are strings. */
export function readJsonOnce(text: string): unknown {
  return parseOnce(text, (item) => item);
}

function parseOnce(text: string, read: (item: unknown, source: string | undefined) => unknown): unknown {
  const members = countMembers(text);
  let kept = 0;
  const value = parse(text, function (_key, item, { source }) {
    if (!Array.isArray(this)) kept += 1;
    return read(item, source);
  });
  // The reviver also visits the root, which has no colon.
  if (kept - 1 !== members) throw new JsonRefused('a member is named twice');
  return value;
}

function parse(text: string, reviver: Reviver): unknown {
  try {
    return parseWithSource(text, reviver);
  } catch {
    throw new JsonRefused('not JSON');
  }
}

/** Counts object members by their colons, and checks the nesting before parsing, because the reviver recurses. */
function countMembers(text: string): number {
  let depth = 0;
  let members = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"') at = endOfString(text, at);
    else if (char === ':') members += 1;
    else if (char === '}' || char === ']') depth -= 1;
    else if (char === '{' || char === '[') {
      depth += 1;
      if (depth > DEPTH_MAX) throw new JsonRefused('nested too deeply');
    }
  }
  return members;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}
