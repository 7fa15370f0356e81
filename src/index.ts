/**
 * What other programs can use: names, references and messages of the workflows, for a typed Temporal client; the client of the
 * bank's interface; the payload codec; and the sandbox. Everything else is done with the `payouts` command.
 */

export type { Bank } from './api/bank.ts';
export { createBank } from './api/client.ts';
export { BankError } from './api/errors.ts';
export { EncryptionCodec } from './codec/encryption.ts';
export { type KeyRing, parseKeyRing } from './codec/key-ring.ts';
export type { PayoutInput } from './domain/instruction.ts';
export {
  batchWorkflowId,
  cardWorkflowId,
  payoutWorkflowId,
  SEARCH_ATTRIBUTES,
  TASK_QUEUE,
  WORKFLOW_TYPES,
} from './domain/names.ts';
export { referenceOf } from './identity.ts';
export { type RunningSandbox, type SandboxOptions, startSandbox } from './sandbox/server.ts';
export { workflowBundle } from './temporal/bundle.ts';
export { sealedPayloads } from './temporal/sealed-payloads.ts';
export * from './workflows/messages.ts';
export type { PayoutResult } from './workflows/route/ends.ts';
