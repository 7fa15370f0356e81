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
