import { createHash, timingSafeEqual } from 'node:crypto';
import { assertRecent, type Delivery, headerOf, Refusal, type Scheme, type WebhookSettings } from './scheme.ts';
import { isSigned } from './signature.ts';
import { byteSequences, type SignatureInput, signatureInputs } from './structured-fields.ts';

/** Without one of these, a signature would be valid for any request; without the digest, for any body. */
const TARGETS = ['@method', '@target-uri', '@path'];
const DIGEST = 'content-digest';

/** The URI scheme as the sender saw it: TLS may end before us, so both are tried if it is signed. */
const URI_SCHEMES = ['https', 'http'];

/**
 * HTTP Message Signatures (RFC 9421) with hmac-sha256 and Content-Digest (RFC 9530); one valid signature is enough. Written here
 * because http-message-signatures takes `@path` and `@request-target` from a normalized URL instead of the request line, checks
 * no digest, and decides by only the last of several signatures.
 */
export const signedMessage =
  ({ secrets, toleranceMs }: WebhookSettings): Scheme =>
  (delivery) => {
    const inputs = signatureInputs(headerOf(delivery.headers, 'signature-input'));
    const signatures = byteSequences(headerOf(delivery.headers, 'signature'));
    assertDigest(headerOf(delivery.headers, DIGEST), delivery.body);
    const refused: Refusal[] = [];
    for (const [label, input] of inputs) {
      try {
        assertCovered(input, delivery.now, toleranceMs);
        const signature = signatures.get(label);
        if (signature === undefined) throw new Refusal('signature-missing');
        const bases = URI_SCHEMES.map((scheme) => signatureBase(input, delivery, scheme));
        // All bases are compared, so that the timing does not depend on which one fits.
        if (bases.map((base) => isSigned(secrets, base, [signature])).includes(true)) return undefined;
        throw new Refusal('signature-wrong');
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        refused.push(error);
      }
    }
    throw refused[0] ?? new Refusal('signature-missing');
  };

function assertCovered({ components, parameters }: SignatureInput, now: number, toleranceMs: number): void {
  if (!components.includes(DIGEST)) throw new Refusal('digest-not-signed');
  if (!TARGETS.some((target) => components.includes(target))) throw new Refusal('target-not-signed');
  const { alg, created, expires } = Object.fromEntries(parameters);
  if (alg !== undefined && alg !== 'hmac-sha256') throw new Refusal('algorithm-unsupported');
  if (typeof created !== 'number') throw new Refusal('timestamp-missing');
  assertRecent(created * 1_000, now, toleranceMs);
  if (typeof expires === 'number' && expires * 1_000 < now) throw new Refusal('signature-expired');
}

/** RFC 9421, section 2.5. */
function signatureBase({ components, raw }: SignatureInput, delivery: Delivery, uriScheme: string): Buffer {
  const lines = components.map((name) => `"${name}": ${componentOf(name, delivery, uriScheme)}`);
  return Buffer.from([...lines, `"@signature-params": ${raw}`].join('\n'), 'latin1');
}

function componentOf(name: string, { method, path, headers }: Delivery, uriScheme: string): string {
  const [pathOnly = '', query] = path.split(/\?(.*)/s);
  switch (name) {
    case '@method':
      return method;
    case '@target-uri':
      return `${uriScheme}://${authorityOf(headers, uriScheme)}${path}`;
    case '@authority':
      return authorityOf(headers, uriScheme);
    case '@scheme':
      return uriScheme;
    case '@request-target':
      return path;
    case '@path':
      return pathOnly;
    case '@query':
      return `?${query ?? ''}`;
  }
  const values = name.startsWith('@') ? undefined : headers[name];
  if (values === undefined) throw new Refusal('component-missing');
  return values.map((value) => value.trim()).join(', ');
}

/** In lower case and without the scheme's default port (RFC 9421, section 2.2.3). */
function authorityOf(headers: Delivery['headers'], uriScheme: string): string {
  const port = uriScheme === 'https' ? /:443$/ : /:80$/;
  return headerOf(headers, 'host').toLowerCase().replace(port, '');
}

const DIGESTS = { 'sha-256': 'sha256', 'sha-512': 'sha512' } as const;

/** At least one digest must be known, and all known ones must be those of the body. */
function assertDigest(header: string, body: Buffer): void {
  const given = byteSequences(header);
  const known = Object.entries(DIGESTS).filter(([name]) => given.has(name));
  if (known.length === 0) throw new Refusal('digest-unsupported');
  for (const [name, algorithm] of known) {
    const expected = createHash(algorithm).update(body).digest();
    const digest = given.get(name);
    if (digest?.length !== expected.length || !timingSafeEqual(digest, expected)) throw new Refusal('digest-wrong');
  }
}
