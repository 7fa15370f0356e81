/** Failure types of activities and workflows. They are strings in histories: renaming one makes it a new type. */
export const FAILURES = {
  /** A read of the bank failed: unreachable, refused or invalid. Retried, because an error of a read says nothing about money. */
  bankUnavailable: 'BankUnavailable',
  /** The API key was refused. Retried: an operator may correct it while payouts wait. */
  authentication: 'AuthenticationRefused',
  /** Not ready yet: polled through the server's retries, logged as benign. */
  notYet: 'NotYet',
  /** The workflow id does not match the instruction's reference (`payout/<reference>`), or the input names no payout at all. */
  wrongWorkflowId: 'WrongWorkflowId',
  /** The input lacks what every payout needs (account, amount, currency), so there is nothing to claim. */
  invalidInput: 'InvalidInput',
  /** The document id is known with another payload. */
  idReused: 'IdReused',
  /** A generation above 0 without proof that the previous one took no money. */
  generationNotProven: 'GenerationNotProven',
  /** The policy requires a maker's proof, and nobody it names has proven to have submitted this payout. */
  makerNotProven: 'MakerNotProven',
  /** The payout belongs to another store, or the store to another bank or namespace: another worker may be the right one. */
  wrongStore: 'WrongStore',
  /** The run no longer holds the claim, or something was sent whose outcome it does not know: it prepares again. */
  superseded: 'Superseded',
} as const;

const MISUSES = [
  FAILURES.wrongWorkflowId,
  FAILURES.invalidInput,
  FAILURES.idReused,
  FAILURES.generationNotProven,
  FAILURES.makerNotProven,
] as const;

/** Misuses that no retry can correct; they fail the workflow with their own message. */
export const PERMANENT_FAILURES: ReadonlySet<string> = new Set(MISUSES);

export type FailureType = (typeof FAILURES)[keyof typeof FAILURES];

/** A workflow was started with input that can never become a payout or a card payment. `message` holds no values. */
export class Misuse extends Error {
  readonly type: (typeof MISUSES)[number];

  constructor(type: (typeof MISUSES)[number], message: string) {
    super(message);
    this.name = 'Misuse';
    this.type = type;
  }
}

/** Action of the audit entry about a payload in Temporal that does not count; its `why` is an `Undecodable`. */
export const PAYLOAD_REFUSED = 'payload refused';

/** Whether an error of the system or of a library has this code: `ENOENT`. */
export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

/**
 * Placeholder for a payload that the codec did not accept. An exception in a codec blocks a workflow for ever
 * (sdk-typescript#1139), and anybody who can write to the namespace can send such a payload: it becomes a value, which the
 * receiver drops.
 */

/**
 * `clear`: not encrypted. `unknown-key`: encrypted with a key that is not in the ring. `broken`: cannot be opened with its key.
 * `elsewhere`: encrypted for another workflow or namespace. `unreadable`: the decrypted bytes hold no value.
 */
export type Undecodable = 'clear' | 'unknown-key' | 'broken' | 'elsewhere' | 'unreadable';

/** Failure type of errors about such a payload. */
export const UNDECODABLE = 'Undecodable';

const MEMBER = 'durable-payouts/undecodable';

const MEANINGS: Readonly<Record<Undecodable, string>> = {
  clear: 'is not encrypted',
  'unknown-key': 'is encrypted with a key that PAYOUTS_CODEC_KEYS does not name',
  broken: 'cannot be decrypted',
  elsewhere: 'was encrypted for another workflow',
  unreadable: 'holds no value that can be read',
};

export const undecodable = (why: Undecodable): Readonly<Record<string, Undecodable>> => ({ [MEMBER]: why });

/** What is wrong with the first undecodable value, as the end of a sentence; undefined if all were decoded. */
export function undecodableIn(values: readonly unknown[]): string | undefined {
  for (const value of values) {
    if (typeof value !== 'object' || value === null || !(MEMBER in value)) continue;
    const why = value[MEMBER as keyof typeof value] as Undecodable;
    return MEANINGS[why] ?? MEANINGS.broken;
  }
  return undefined;
}
