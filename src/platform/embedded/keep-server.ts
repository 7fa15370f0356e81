import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Log } from '../../domain/settings.ts';
import { DAY_MS } from '../../domain/time.ts';
import { readJsonFile, StackError, writeJsonFile } from './home.ts';
import { type Ask, askServer, type EmbeddedServer, type KeepLimits, untilSick } from './server.ts';
import type { Part } from './stack.ts';

/**
 * What has become of the database of a running server, which goes on writing to a file that was removed or replaced, where all of
 * it is lost at its end. The returned function says what is wrong; undefined: nothing.
 */
function databaseFile(path: string): () => string | undefined {
  const own = identityOf(path);
  return () => {
    const now = identityOf(path);
    if (now === undefined) return `${path} is gone`;
    if (now !== own) return `${path} was replaced while the server was running`;
    try {
      accessSync(path, constants.R_OK | constants.W_OK);
      return undefined;
    } catch (error) {
      return `${path} cannot be written (${(error as NodeJS.ErrnoException).code})`;
    }
  };
}

function identityOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

/** Why and when (Unix time, ms) a home's Temporal server was replaced; kept beside the server's own files, for `payouts doctor`. */
const replacement = z.object({ at: z.number(), why: z.string() });

export type Replacement = z.infer<typeof replacement>;

const file = (home: string): string => join(home, 'replacements.json');

/** Of the last 24 hours, oldest first. */
export function recentReplacements(home: string, now: number): Replacement[] {
  return (readJsonFile(file(home), z.array(replacement)) ?? []).filter(({ at }) => at > now - DAY_MS);
}

export function recordReplacement(home: string, made: Replacement): void {
  writeJsonFile(file(home), [...recentReplacements(home, made.at), made]);
}

/** Not scaled by PAYOUTS_TIME_SCALE: how long a server may take has nothing to do with the waits of payouts. */
const LIMITS: KeepLimits = { everyMs: 5_000, unansweredMax: 6, replacedMax: 3, withinMs: 600_000 };

interface Keeping {
  home: string;
  dbFile: string;
  namespace: string;
  log: Log;
  limits?: Partial<KeepLimits>;
  /** Called with the server up again. */
  replaced(): void;
}

type Kept = Pick<EmbeddedServer, 'address' | 'pid' | 'exited' | 'replace'>;

/**
 * Watches a running server, and replaces it when it is sick or has ended. `failure` is a `StackError` once that does not help.
 * `close` waits for a replacement under way; the server goes on. A read of the database is asked for, not the health service: after
 * one interrupted connection to SQLite a server answered every call with an error, and SERVING (temporalio/temporal#9198). Calls are
 * counted instead of seconds, because a suspended laptop makes none.
 */
export function keepServer(server: Kept, keeping: Keeping): Required<Part> {
  const { dbFile, namespace } = keeping;
  const limits = { ...LIMITS, ...keeping.limits };
  const stopped = new AbortController();
  const failure = Promise.withResolvers<Error>();
  const fileProblem = databaseFile(dbFile);
  const ask: Ask = async (limitMs) => {
    const wrong = fileProblem();
    if (wrong !== undefined) throw new Error(wrong);
    await askServer(server.address, namespace, limitMs);
  };
  const made: number[] = [];
  const keep = async (): Promise<void> => {
    let why: string | undefined;
    while (!stopped.signal.aborted) {
      why ??= await untilTrouble(server, ask, limits, stopped.signal);
      if (why === undefined) return;
      const wrong = fileProblem();
      if (wrong !== undefined) throw fileLost(wrong, why);
      const recent = made.filter((at) => at > performance.now() - limits.withinMs).length;
      if (recent >= limits.replacedMax) throw replacedInVain(recent, limits, why, keeping);
      made.push(performance.now());
      why = await replace(server, why, keeping);
    }
  };
  const kept = keep().catch((error: Error) => {
    keeping.log.error({ error }, 'the embedded Temporal server cannot be replaced');
    failure.resolve(error);
  });
  return {
    failure: failure.promise,
    close: async () => {
      stopped.abort();
      await kept;
    },
  };
}

/** Resolves with what is wrong, or with undefined when `stopped`. */
async function untilTrouble(
  { exited }: Kept,
  ask: Ask,
  limits: KeepLimits,
  stopped: AbortSignal,
): Promise<string | undefined> {
  const ended = new AbortController();
  try {
    const sick = untilSick(ask, limits, AbortSignal.any([stopped, ended.signal]));
    return await Promise.race([exited, sick]);
  } finally {
    ended.abort();
  }
}

/** Resolves with why there is no other server; undefined: it is up. */
async function replace(server: Kept, why: string, { home, log, replaced }: Keeping): Promise<string | undefined> {
  log.warn({ why }, 'the embedded Temporal server is ended and started again');
  recordReplacement(home, { at: Date.now(), why });
  try {
    await server.replace();
  } catch (error) {
    return error instanceof Error ? error.message : `${error}`;
  }
  log.warn(`the embedded Temporal server is up again, as process ${server.pid}`);
  replaced();
  return undefined;
}

const AGAIN = 'Then run the same command again: it continues where it was.';

const fileLost = (wrong: string, why: string): StackError =>
  new StackError(
    'temporal-lost',
    `the embedded Temporal server can neither continue nor start again: ${wrong}`,
    `Put the file back where it was, writable for its owner. ${AGAIN}`,
    new Error(why),
  );

const replacedInVain = (times: number, { withinMs }: KeepLimits, why: string, { home, dbFile }: Keeping): StackError =>
  new StackError(
    'temporal-lost',
    `the embedded Temporal server was started again ${times} times within ${withinMs / 60_000} minutes, and failed again: ${why}`,
    `Read ${join(home, 'temporal.log')}, and whether ${dbFile} and its disk can be written. ${AGAIN}`,
  );
