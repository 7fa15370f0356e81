import { once } from 'node:events';
import { fitted, widthOf } from '../reports/wrap.ts';
import { plainJson, plainText } from './plain.ts';

/** stdout carries the result only; progress, prompts and errors go to stderr. */
export interface Output {
  readonly json: boolean;
  /** The result: the document, with its version, where `--json` asks for it; the text otherwise. */
  result(document: object, text: string): void;
  /** The same of a document that is too large to be in memory: JSON in pieces. */
  stream(pieces: AsyncIterable<string>, text: () => Promise<string>): Promise<void>;
  /** Something for the person watching; nothing with `--quiet`. */
  say(text: string): void;
  /** What a question is about: said with `--quiet` too. */
  tell(text: string): void;
  /** Nothing with `--quiet`. A line that replaces the one before on a terminal; elsewhere a line now and then. */
  progress(text: string): void;
}

/** No line break stands inside a string of JSON. */
const onOneLine = (json: string): string => plainJson(json.replaceAll('\n', ''));

const QUIET_PROGRESS_MS = 10_000;

export function createOutput(options: {
  json: boolean;
  quiet?: boolean;
  stdout?: NodeJS.WriteStream;
  stderr?: NodeJS.WriteStream;
}): Output {
  const { json, quiet = false, stdout = process.stdout, stderr = process.stderr } = options;
  let shown = '';
  let lastQuietAt = 0;
  const clear = (): void => {
    if (shown !== '' && stderr.isTTY) stderr.write('\r\u001b[2K');
    shown = '';
  };
  const tell = (text: string): void => {
    clear();
    stderr.write(`${fitted(plainText(text), widthOf(stderr))}\n`);
  };
  return {
    json,
    tell,
    result(document, text) {
      clear();
      const shown = json
        ? plainJson(JSON.stringify({ schemaVersion: 1, ...document }))
        : plainText(text.replace(/\n$/, ''));
      stdout.write(`${shown}\n`);
    },
    async stream(pieces, text) {
      clear();
      if (!json) return this.result({}, await text());
      for await (const piece of pieces) if (!stdout.write(onOneLine(piece))) await once(stdout, 'drain');
      stdout.write('\n');
    },
    say(text) {
      if (!quiet) tell(text);
    },
    progress(given) {
      const text = plainText(given);
      if (quiet || text === shown) return;
      if (stderr.isTTY) {
        clear();
        // A line that runs over the edge is cleared in part alone.
        stderr.write(text.slice(0, Math.max(1, (stderr.columns ?? 80) - 1)));
        shown = text;
        return;
      }
      const now = performance.now();
      if (lastQuietAt !== 0 && now - lastQuietAt < QUIET_PROGRESS_MS) return;
      lastQuietAt = now;
      shown = text;
      stderr.write(`${text}\n`);
    },
  };
}
