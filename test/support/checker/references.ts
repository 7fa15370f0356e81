import { createHash } from 'node:crypto';

/** The namespace that the contract of references names. */
const NAMESPACE = '6b1f4a3e-8d52-4c0b-9a77-2f6e0c1d5b94';

export const UUID_V5 = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** UUID version 5 (RFC 9562, section 5.5) of `uid/id/kind/generation`. */
export function expectedReference(
  { uid, id, generation }: { uid: string; id: string; generation: number },
  kind: 'payment' | 'exchange',
): string {
  const namespace = Buffer.from(NAMESPACE.replaceAll('-', ''), 'hex');
  const hash = createHash('sha1')
    .update(namespace)
    .update(`${uid}/${id}/${kind}/${generation}`)
    .digest()
    .subarray(0, 16);
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x50, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = hash.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
