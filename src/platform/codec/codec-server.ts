import type { Payload } from '@temporalio/common';
import proto from '@temporalio/proto';
import { Problem } from '../../domain/problem.ts';
import { isReadable, open, seal } from './encryption.ts';
import type { KeyRing } from './keys.ts';

const { Payloads } = proto.temporal.api.common.v1;

/** What the Temporal Web UI and the `temporal` command ask of a codec server. */
export type CodecOperation = 'encode' | 'decode';

/** Largest request body: a page of a history, or a large input. */
export const CODEC_BYTES_MAX = 8 * 1024 * 1024;
/** Most bytes that a request is decoded to: what is short may have been a long text. */
const DECODED_BYTES_MAX = 4 * CODEC_BYTES_MAX;
/** Most payloads of a request: more than a page of a history has. */
const PAYLOADS_MAX = 10_000;
/** Most metadata entries of a payload: an encrypted one has five. */
const METADATA_MAX = 32;

/** What a codec server works with. It encrypts for this namespace only. */
export interface CodecSpace {
  keys: KeyRing;
  namespace: string;
}

/** For which workflow encoded payloads are to be valid: that of `--codec-header`, or of the Web UI's page that asks. */
interface CodecContext {
  namespace: string;
  workflowId: string | undefined;
}

/** Header that names the workflow; Temporal's own header names the namespace. */
export const WORKFLOW_HEADER = 'x-workflow-id';
const NAMESPACE_HEADER = 'x-namespace';
/** The namespace if the `temporal` command was not given one: then it sends no header. */
const DEFAULT_NAMESPACE = 'default';

/**
 * From the headers of a request, the namespace in its path if there is one, else the workflow whose page asks. Throws a `Problem`
 * if namespaces differ.
 */
export function codecContext(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  inPath?: string,
  ofPage?: string,
): CodecContext {
  const one = (name: string): string | undefined => [headers[name]].flat()[0];
  const inHeader = one(NAMESPACE_HEADER) || undefined;
  if (inPath !== undefined && inHeader !== undefined && inPath !== inHeader) {
    throw new Problem('usage', 'codec-namespace', 'The path names another namespace than the header X-Namespace.', {
      hint: 'End the endpoint with /codec, without a namespace.',
    });
  }
  return { namespace: inPath ?? inHeader ?? DEFAULT_NAMESPACE, workflowId: one(WORKFLOW_HEADER) ?? ofPage };
}

/**
 * Answers one request; payloads go in and out as protobuf JSON. What cannot be decoded is returned unchanged, and so is what
 * is beyond `DECODED_BYTES_MAX`. Throws a `Problem` if the body contains no payloads, or if an encode names no workflow, is for
 * another namespace, or has a value that no workflow could read.
 */
export function answerCodec(
  space: CodecSpace,
  operation: CodecOperation,
  context: CodecContext,
  body: unknown,
): { payloads?: object[] } {
  const payloads = payloadsOf(body);
  const answered = operation === 'encode' ? encoded(payloads, context, space) : decoded(payloads, space.keys);
  return Payloads.fromObject({ payloads: answered }).toJSON();
}

function encoded(payloads: Payload[], { namespace, workflowId }: CodecContext, ours: CodecSpace): Payload[] {
  if (payloads.length === 0) return [];
  if (namespace !== ours.namespace) {
    throw new Problem('usage', 'codec-namespace', 'Payloads are encrypted only for the namespace of the payouts.', {
      hint: `Give temporal the option --namespace ${ours.namespace}.`,
    });
  }
  if (!workflowId) {
    const why = 'A payload is encrypted for one workflow, but this request does not name it.';
    throw new Problem('usage', 'codec-place', why, {
      hint: "Give temporal the option --codec-header 'X-Workflow-Id=WORKFLOW ID', or decide with payouts approve, reject or cancel.",
    });
  }
  if (!payloads.every(isReadable)) {
    throw new Problem('usage', 'codec-payload', 'Only values that a workflow can read are encrypted.', {
      hint: 'Give temporal --input as JSON, without --input-meta.',
    });
  }
  return payloads.map((payload) => seal(payload, { namespace, workflowId }, ours.keys.current));
}

function decoded(payloads: Payload[], ring: KeyRing): Payload[] {
  let left = DECODED_BYTES_MAX;
  return payloads.map((payload) => {
    const opened = left === 0 ? 'too-long' : open(payload, ring, left);
    if (opened === 'too-long') left = 0;
    if (typeof opened === 'string') return payload;
    left -= opened.bytes;
    return opened.payload;
  });
}

function payloadsOf(body: unknown): Payload[] {
  try {
    return Payloads.fromObject({ payloads: shapedPayloads(body) }).payloads;
  } catch {
    throw new Problem('usage', 'codec-body', 'The body contains no payloads, or too many.', {
      hint: `Send {"payloads": [{"metadata": {...}, "data": "base64"}]}, at most ${PAYLOADS_MAX}.`,
    });
  }
}

/**
 * Accepts only the JSON form of payloads: protobufjs takes any object with a length for bytes, and allocates that many.
 *
 * @throws TypeError for anything else
 */
function shapedPayloads(body: unknown): object[] {
  const { payloads = [] } = body as { payloads?: unknown };
  if (!Array.isArray(payloads) || payloads.length > PAYLOADS_MAX) throw new TypeError('no payloads');
  return payloads.map((payload: unknown) => {
    const { metadata = {}, data = '' } = payload as { metadata?: unknown; data?: unknown };
    if (typeof data !== 'string' || !isTexts(metadata)) throw new TypeError('no payload');
    return { metadata, data };
  });
}

function isTexts(metadata: unknown): boolean {
  if (typeof metadata !== 'object' || metadata === null) return false;
  const texts = Object.values(metadata);
  return texts.length <= METADATA_MAX && texts.every((text) => typeof text === 'string');
}
