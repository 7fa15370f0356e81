/** Failure types of activities and workflows: strings in histories, so a rename is a new name. */
export const FAILURES = {
  /** A read of the bank did not work out: unreachable, refused, garbage. Asked again, for an error of a read says nothing about money. */
  bankUnavailable: 'BankUnavailable',
  /** The key was refused. Asked again: an operator may put it right while payouts wait. */
  authentication: 'AuthenticationRefused',
  /** Not there yet: polled by the server's own retries, benign. */
  notYet: 'NotYet',
  /** The workflow id is not `payout/<reference of the instruction>`, or the input names no payout at all. */
  wrongWorkflowId: 'WrongWorkflowId',
  /** The input lacks what every payout needs (account, amount, currency), so there is nothing to claim. */
  invalidInput: 'InvalidInput',
  /** The id is known with another payload. */
  idReused: 'IdReused',
  /** A generation above 0 without proof that the one before took no money. */
  generationNotProven: 'GenerationNotProven',
  /** The policy asks who hands payouts over, and nobody whom it names has proven to have handed this one over. */
  makerNotProven: 'MakerNotProven',
  /** The payout belongs to another store, or the store to another bank or namespace: another worker may be right. */
  wrongStore: 'WrongStore',
  /** The run does not hold the claim any more, or something was sent that it has not settled: it prepares anew. */
  superseded: 'Superseded',
} as const;

const MISUSES = [
  FAILURES.wrongWorkflowId,
  FAILURES.invalidInput,
  FAILURES.idReused,
  FAILURES.generationNotProven,
  FAILURES.makerNotProven,
] as const;

/** Misuses that no retry mends: they fail the workflow with their own words. */
export const PERMANENT_FAILURES: ReadonlySet<string> = new Set(MISUSES);

export type FailureType = (typeof FAILURES)[keyof typeof FAILURES];

/** A workflow was started with what can never become a payout, or a card payment. `message` holds no values. */
export class Misuse extends Error {
  readonly type: (typeof MISUSES)[number];

  constructor(type: (typeof MISUSES)[number], message: string) {
    super(message);
    this.name = 'Misuse';
    this.type = type;
  }
}
