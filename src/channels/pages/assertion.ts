import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { readJsonOnce } from '../../bank/json.ts';
import { Problem } from '../../domain/problem.ts';
import type { Assertion } from '../../people/signing/signing.ts';

const base64url = z.string().regex(/^[\w-]{1,2000}$/);
export const assertion = z.object({
  id: base64url,
  response: z.object({ clientDataJSON: base64url, authenticatorData: base64url, signature: base64url }),
});
const clientData = z.object({ challenge: z.string() });

/** A passkey's answer, as a browser sends it; undefined if the text is not one. */
export const assertionOf = (json: string): Assertion | undefined => read(assertion, json);

/** The challenge that it claims to answer. */
export const challengeIn = ({ response }: Assertion): string | undefined =>
  read(clientData, Buffer.from(response.clientDataJSON, 'base64url').toString('utf8'))?.challenge;

export function read<Schema extends z.ZodType>(schema: Schema, json: string): z.output<Schema> | undefined {
  try {
    return schema.parse(readJsonOnce(json));
  } catch {
    return undefined;
  }
}

/** What a form's script passes to the passkey. Throws a `Problem` if the form was sent without the script. */
export function challengeOptions(
  { headers }: FastifyRequest,
  rpId: string,
  challenge: string,
  ids: readonly string[] = [],
) {
  if (headers.accept !== 'application/json') {
    throw new Problem('usage', 'passkey-needed', 'A passkey is required, and passkeys need JavaScript.', {
      hint: 'Allow JavaScript for this page, or decide on the command line: payouts approve ID --key FILE.',
    });
  }
  const allowCredentials = ids.map((id) => ({ id, type: 'public-key' }));
  return { options: { challenge, rpId, allowCredentials, userVerification: 'required' } };
}
