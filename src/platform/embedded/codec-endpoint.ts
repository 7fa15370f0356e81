import type { IncomingMessage } from 'node:http';
import { Problem } from '../../domain/problem.ts';
import {
  answerCodec,
  CODEC_BYTES_MAX,
  type CodecOperation,
  type CodecSpace,
  codecContext,
} from '../codec/codec-server.ts';

/** Path of the codec server under the Web UI's address, for its pages and the `temporal` command. */
export const CODEC_PATH = '/codec';

/** A page of UI 2.54 adds a query, of which nothing is used. */
const OPERATION = /^\/codec\/(?:([^/?]+)\/)?(encode|decode)(?:\?|$)/;

/** Undefined for every other request. */
export const codecOperation = ({ method, url = '' }: IncomingMessage): CodecOperation | undefined =>
  method === 'POST' ? (OPERATION.exec(url)?.[2] as CodecOperation | undefined) : undefined;

export async function answerCodecRequest(
  incoming: IncomingMessage,
  operation: CodecOperation,
  space: CodecSpace,
): Promise<{ status: number; document: object }> {
  try {
    const body: unknown = JSON.parse((await bytesOf(incoming)).toString('utf8'));
    const inPath = OPERATION.exec(incoming.url ?? '')?.[1];
    const context = codecContext(incoming.headers, inPath && decodeURIComponent(inPath), workflowOfPage(incoming));
    return { status: 200, document: answerCodec(space, operation, context, body) };
  } catch (error) {
    if (error instanceof Problem) return { status: 400, document: { message: `${error.message} ${error.hint}` } };
    return { status: 400, document: { message: 'The body is not JSON with payloads, or is too large.' } };
  }
}

const WORKFLOW_PAGE = /^https?:\/\/[^/]+\/namespaces\/[^/]+\/workflows\/([^/?#]+)\//;

/**
 * A form of the Web UI does not name the workflow that it writes to; its page, which has the same origin, does in the Referer.
 */
function workflowOfPage({ headers: { referer = '' } }: IncomingMessage): string | undefined {
  const id = WORKFLOW_PAGE.exec(referer)?.[1];
  return id && decodeURIComponent(id);
}

/** The body of a request. Throws a RangeError if it is larger than 8 MiB. */
export async function bytesOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > CODEC_BYTES_MAX) throw new RangeError('too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
