import { readBy } from './values.ts';

export interface GatewayToken {
  /** The maker of what is handed over with this token. */
  name: string | undefined;
  token: string;
}

/** Printable ASCII; a token without a name contains no colon, so that `name:` is not a token. */
const TOKEN = /^(?:([A-Za-z0-9._@-]{1,64}):([\x21-\x7e]+)|([\x21-\x39\x3b-\x7e]+))$/;

/** `TOKEN`, or `name:TOKEN`, or several separated by commas. */
export const gatewayTokens = readBy((text): GatewayToken[] => {
  const tokens = text.split(',').map((part): GatewayToken => {
    const [, name, named, bare = ''] = TOKEN.exec(part.trim()) ?? [];
    return { name, token: named ?? bare };
  });
  if (tokens.every(({ token }) => token !== '')) return tokens;
  throw new Error('is not a list of TOKEN or name:TOKEN; a token has no spaces, and no colon unless it has a name');
});
