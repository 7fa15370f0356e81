import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import {
  defaultPayloadConverter,
  type Payload,
  type PayloadCodec,
  type SerializationContext,
} from '@temporalio/common';
import proto from '@temporalio/proto';
import { type Undecodable, undecodable } from '../../domain/failures.ts';
import type { CodecKey, KeyRing } from './keys.ts';

const { Payload: WirePayload } = proto.temporal.api.common.v1;

/** The workflow that a payload was encrypted for; it is valid nowhere else. */
export interface Place {
  namespace: string;
  workflowId: string;
}

export const ENCODING = 'binary/encrypted';
/** Authenticated, and not written: there is one way to read a payload. Another one needs another name, and to read both. */
const FORMAT = 'deflate AES-256-GCM';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Metadata in clear text beside the ciphertext, and authenticated. Short, because every payload of a history carries it.
 * `context`: namespace and workflow id, a line each.
 */
const META = { encoding: 'encoding', keyId: 'key-id', context: 'context' } as const;

/** The place of what belongs to no workflow, such as the memo of a schedule: valid in no workflow. */
const NO_WORKFLOW: Place = { namespace: '', workflowId: '' };

/** Called for every payload that was not accepted. */
export type OnRefused = (why: Undecodable, place: Partial<Place>) => void;

/**
 * Compresses and encrypts everything that Temporal stores: inputs, results, messages, memos, summaries, and failures if their
 * converter encodes them. AES-256-GCM with a random nonce for each payload; key id, namespace and workflow id are authenticated,
 * so that a payload copied to another workflow is not accepted there. `decode` never throws: a payload that is not accepted
 * becomes an `undecodable` value.
 */
export class EncryptionCodec implements PayloadCodec {
  readonly #ring: KeyRing;
  readonly #onRefused: OnRefused;

  constructor(ring: KeyRing, onRefused: OnRefused = () => undefined) {
    this.#ring = ring;
    this.#onRefused = onRefused;
  }

  async encode(payloads: Payload[], context?: SerializationContext): Promise<Payload[]> {
    const place = placeOf(context);
    return payloads.map((payload) => seal(payload, place, this.#ring.current));
  }

  async decode(payloads: Payload[], context?: SerializationContext): Promise<Payload[]> {
    return payloads.map((payload) => {
      const opened = accepted(payload, this.#ring, context);
      if (typeof opened !== 'string') return opened;
      this.#onRefused(opened, { namespace: context?.namespace, workflowId: context?.workflowId });
      return defaultPayloadConverter.toPayload(undecodable(opened));
    });
  }
}

/** The decrypted payload if it is valid here, or why not. */
function accepted(payload: Payload, ring: KeyRing, context: SerializationContext | undefined): Payload | Undecodable {
  const opened = open(payload, ring);
  if (typeof opened === 'string') return opened;
  return misplaced(opened.place, context) ?? (isReadable(opened.payload) ? opened.payload : 'unreadable');
}

/** Whether the converter of workers and clients can read it: what throws there would block a workflow too. */
export function isReadable(payload: Payload): boolean {
  try {
    defaultPayloadConverter.fromPayload(payload);
    return true;
  } catch {
    return false;
  }
}

export function seal(payload: Payload, { namespace, workflowId }: Place, { id, key }: CodecKey): Payload {
  const context = `${namespace}\n${workflowId}`;
  const metadata = {
    [META.encoding]: bytesOf(ENCODING),
    [META.keyId]: bytesOf(id),
    [META.context]: bytesOf(context),
  };
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(authenticated(id, context));
  // The length then depends on the contents. It could be exploited if somebody chose text beside a secret again and again; each
  // payload is written once. No dictionary: its words would become part of the format.
  const sealed = cipher.update(deflateRawSync(WirePayload.encode(payload).finish()));
  cipher.final();
  return { metadata, data: Buffer.concat([nonce, cipher.getAuthTag(), sealed]) };
}

interface Opened {
  payload: Payload;
  place: Place;
  /** Its size. */
  bytes: number;
}

/** The decrypted payload and the workflow it is for, or why it cannot be opened. `most`: the bytes that there is room for. */
export function open(payload: Payload, ring: KeyRing): Opened | Undecodable;
export function open(payload: Payload, ring: KeyRing, most: number): Opened | Undecodable | 'too-long';
export function open(payload: Payload, ring: KeyRing, most?: number): Opened | Undecodable | 'too-long' {
  const { metadata, data } = payload;
  if (textOf(metadata?.[META.encoding]) !== ENCODING) return 'clear';
  const context = textOf(metadata?.[META.context]);
  const found = ring.find(textOf(metadata?.[META.keyId]));
  if (found === undefined) return 'unknown-key';
  if (!data || data.length < NONCE_BYTES + TAG_BYTES) return 'broken';
  try {
    const decipher = createDecipheriv('aes-256-gcm', found.key, data.subarray(0, NONCE_BYTES))
      .setAAD(authenticated(found.id, context))
      .setAuthTag(data.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const opened = Buffer.concat([decipher.update(data.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
    const inflated = inflateRawSync(opened, { maxOutputLength: most });
    return { payload: WirePayload.decode(inflated), place: placeIn(context), bytes: inflated.length };
  } catch (error) {
    return most !== undefined && (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
      ? 'too-long'
      : 'broken';
  }
}

function placeOf(context: SerializationContext | undefined): Place {
  if (context?.workflowId === undefined) return NO_WORKFLOW;
  return { namespace: context.namespace, workflowId: context.workflowId };
}

/** Temporal's suffix to the workflow id of a schedule's action. */
const SCHEDULED_AT = /-\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/;

function misplaced(place: Place, context: SerializationContext | undefined): Undecodable | undefined {
  if (context === undefined) return undefined;
  // An activity may be started without a workflow: by nobody of ours.
  const here = placeOf(context);
  if (here.namespace !== place.namespace) return 'elsewhere';
  if (here.workflowId === place.workflowId) return undefined;
  // What a schedule starts has the input from the schedule, and the result from what it started last.
  const isOfSchedule =
    SCHEDULED_AT.test(here.workflowId) &&
    here.workflowId.replace(SCHEDULED_AT, '') === place.workflowId.replace(SCHEDULED_AT, '');
  return isOfSchedule ? undefined : 'elsewhere';
}

/** Of the `context` of an encrypted payload. */
export function placeIn(context: string): Place {
  const [namespace = '', ...workflowId] = context.split('\n');
  return { namespace, workflowId: workflowId.join('\n') };
}

const authenticated = (keyId: string, context: string): Buffer => bytesOf(JSON.stringify([FORMAT, keyId, context]));

const bytesOf = (text: string): Buffer => Buffer.from(text, 'utf8');
const textOf = (bytes: Uint8Array | null | undefined): string => Buffer.from(bytes ?? []).toString('utf8');
