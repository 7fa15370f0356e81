/** Failure types of activities and workflows: strings in histories, so a rename is a new name. */
export const FAILURES = {
  /** The bank answered in a way that asking again may mend: unreachable, 2001, 2008, 2011, garbage. */
  bankUnavailable: 'BankUnavailable',
  /** The bank refused a read with a code that asking again does not mend. `details[0]` is the code. */
  bankRefused: 'BankRefused',
  /** The key was refused. */
  authentication: 'AuthenticationRefused',
  /** Not there yet: polled by the server's own retries, benign. */
  notYet: 'NotYet',
  /** The workflow id is not `payout/<reference of the instruction>`, or the input names no payout at all. */
  wrongWorkflowId: 'WrongWorkflowId',
  /** The id is known with another payload. */
  idReused: 'IdReused',
  /** A generation above 0 without proof that the one before took no money. */
  generationNotProven: 'GenerationNotProven',
  /** The store belongs to another bank or namespace. */
  wrongStore: 'WrongStore',
} as const;

export type FailureType = (typeof FAILURES)[keyof typeof FAILURES];
