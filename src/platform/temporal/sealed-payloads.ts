import { fileURLToPath } from 'node:url';
import { ApplicationFailure, type DataConverter } from '@temporalio/common';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { UNDECODABLE, undecodableIn } from '../../domain/failures.ts';
import { ownModule } from '../../store/own-files.ts';
import { EncryptionCodec, type OnRefused } from '../codec/encryption.ts';
import type { KeyRing } from '../codec/keys.ts';

/** Also bundled with the workflows if payloads are encrypted. */
export const FAILURE_CONVERTER = fileURLToPath(ownModule('workflows/failure-converter'));

/** Data converter of clients and workers; undefined: payloads are not encrypted. */
export function sealedPayloads(ring: KeyRing | undefined, onRefused?: OnRefused): DataConverter | undefined {
  if (ring === undefined) return undefined;
  return { payloadCodecs: [new EncryptionCodec(ring, onRefused)], failureConverterPath: FAILURE_CONVERTER };
}

/** Fails an activity that somebody else scheduled, with a payload in clear or of another workflow. */
export const refuseUndecodable: ActivityInboundCallsInterceptor = {
  async execute(input, next) {
    const why = undecodableIn(input.args);
    if (why !== undefined) throw ApplicationFailure.nonRetryable(`the input ${why}`, UNDECODABLE);
    return await next(input);
  },
};
