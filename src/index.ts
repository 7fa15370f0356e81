/**
 * What other programs can use: names, references and messages of the workflows, for a typed Temporal client; the client of the
 * bank's interface; the payload codec; and the sandbox. Everything else is done with the `payouts` command.
 */

export type { Bank } from './bank/bank.ts';
export { createBank } from './bank/client.ts';
export { BankError } from './bank/errors.ts';
export { referenceOf } from './domain/identity.ts';
export type { PayoutInput } from './domain/instruction.ts';
export {
  batchWorkflowId,
  cardWorkflowId,
  payoutWorkflowId,
  SEARCH_ATTRIBUTES,
  TASK_QUEUE,
  WORKFLOW_TYPES,
} from './domain/names.ts';
export { EncryptionCodec } from './platform/codec/encryption.ts';
export { type KeyRing, parseKeyRing } from './platform/codec/keys.ts';
export { workflowBundle } from './platform/temporal/bundle.ts';
export { sealedPayloads } from './platform/temporal/connection.ts';
export { type RunningSandbox, type SandboxOptions, startSandbox } from './sandbox/start-sandbox.ts';
export * from './workflows/messages.ts';
export type { PayoutResult } from './workflows/payout.ts';
