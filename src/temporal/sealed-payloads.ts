import { fileURLToPath } from 'node:url';
import { ApplicationFailure, type DataConverter } from '@temporalio/common';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { EncryptionCodec, type OnRefused } from '../codec/encryption.ts';
import type { KeyRing } from '../codec/key-ring.ts';
import { UNDECODABLE, undecodableIn } from '../domain/undecodable.ts';
import { ownModule } from '../own-files.ts';

/** Bundled with the workflows too, where payloads are sealed. */
export const FAILURE_CONVERTER = fileURLToPath(ownModule('workflows/failure-converter'));

/** For clients and workers alike; undefined: payloads are clear. */
export function sealedPayloads(ring: KeyRing | undefined, onRefused?: OnRefused): DataConverter | undefined {
  if (ring === undefined) return undefined;
  return { payloadCodecs: [new EncryptionCodec(ring, onRefused)], failureConverterPath: FAILURE_CONVERTER };
}

/** An activity that somebody else has scheduled, in clear or with a payload of another workflow, does nothing. */
export const refuseUndecodable: ActivityInboundCallsInterceptor = {
  async execute(input, next) {
    const why = undecodableIn(input.args);
    if (why !== undefined) throw ApplicationFailure.nonRetryable(`the input ${why}`, UNDECODABLE);
    return await next(input);
  },
};
