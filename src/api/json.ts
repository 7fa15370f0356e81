/**
 * The engine's own `JSON.parse` with two checks, because lossless-json has no bound on nesting, and lets a member named
 * twice pass where it takes the two values for equal, such as `{}` and `[]`.
 */

/** Deepest nesting read; the interface's own answers use six levels. */
const DEPTH_MAX = 32;

/** A body that is no JSON this client reads. The message never holds a part of the body. */
export class JsonRefused extends Error {
  override readonly name = 'JsonRefused';
}

type Reviver = (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown;
/** `lib.es2024` does not know the reviver's third argument (ECMAScript 2026, JSON.parse source text access). */
const parseWithSource = JSON.parse as (text: string, reviver: Reviver) => unknown;

/**
 * Parses an answer. A number that is not a safe integer comes back as its source text, so that a decimal sent as a
 * number loses no digit. Nesting above 32 levels and a member named twice are refused: parsers disagree about both.
 */
export function parseJson(text: string): unknown {
  return parseOnce(text, (item, source) => (typeof item === 'number' && !Number.isSafeInteger(item) ? source : item));
}

/** As `JSON.parse`, with the same refusals: of what people and programs hand in, whose amounts are texts. */
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
  // The reviver also visits the root, which no colon stands for.
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

/** Object members in the text, one colon each; walks before parsing because the reviver's walk is recursive. */
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
