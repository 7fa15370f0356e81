import { z } from 'zod';

/** A bearer token of the gateway. */
export interface GatewayToken {
  /** The maker of what is handed over with it. */
  name: string | undefined;
  token: string;
}

const NAMED = /^([A-Za-z0-9._@-]{1,64}):(\S+)$/;

/** `TOKEN`, or `name:TOKEN`, or several of them with commas between. */
export const gatewayTokens = z.string().transform((text, context): GatewayToken[] => {
  const tokens = text.split(',').map((part): GatewayToken => {
    const [, name, token = part] = NAMED.exec(part.trim()) ?? [];
    return { name, token: token.trim() };
  });
  if (tokens.every(({ token }) => /^[\x21-\x7e]+$/.test(token))) return tokens;
  context.addIssue({ code: 'custom', message: 'is no list of TOKEN or name:TOKEN; a token has no blanks' });
  return z.NEVER;
});
