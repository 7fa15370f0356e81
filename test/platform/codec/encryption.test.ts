import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { undecodableIn } from '../../../src/domain/failures.ts';
import { ENCODING, EncryptionCodec } from '../../../src/platform/codec/encryption.ts';
import { type KeyRing, parseKeyRing } from '../../../src/platform/codec/keys.ts';
import { codecKey, codecKeys } from '../../support/codec-keys.ts';

const HERE = { type: 'workflow', namespace: 'payouts', workflowId: 'payout/1' } as const;
const CANARY = 'DE89370400440532013000';
const CLEAR = defaultPayloadConverter.toPayload({ account: CANARY });

const text = ({ metadata, data }: Payload): string =>
  [...Object.values(metadata ?? {}), data ?? new Uint8Array()]
    .map((it) => Buffer.from(it).toString('latin1'))
    .join(' ');

async function sealed(
  keys = codecKeys(),
  payload = CLEAR,
  place: Parameters<EncryptionCodec['encode']>[1] = HERE,
): Promise<Payload> {
  const [one] = await new EncryptionCodec(keys).encode([payload], place);
  return one as Payload;
}

/** The value that arrives, and why if it was refused. */
async function arrived(payload: Payload, { keys = codecKeys(), at }: { keys?: KeyRing; at?: object } = { at: HERE }) {
  const refused: string[] = [];
  const codec = new EncryptionCodec(keys, (why) => refused.push(why));
  const [one] = await codec.decode([payload], at as typeof HERE | undefined);
  return { value: defaultPayloadConverter.fromPayload<unknown>(one as Payload), refused };
}

describe('A payload', () => {
  it('comes back as it was, and is not to be read on its way', async () => {
    const payload = await sealed();
    expect(text(payload)).not.toContain(CANARY);
    expect(Buffer.from(payload.metadata?.encoding ?? []).toString()).toBe(ENCODING);
    expect(await arrived(payload)).toEqual({ value: { account: CANARY }, refused: [] });
  });

  it.each([
    ['an encoding that nobody knows', 'weird', 'x'],
    ['protobuf of a type that we have not', 'json/protobuf', '{}'],
    ['what is no JSON', 'json/plain', '{bad'],
    ['nothing', 'json/plain', ''],
    ['what is encrypted once more', ENCODING, 'x'],
  ])('that holds %s is a value that is dropped: it would block a workflow for ever', async (_case, encoding, data) => {
    const payload = { metadata: { encoding: Buffer.from(encoding) }, data: Buffer.from(data) };
    const { value, refused } = await arrived(await sealed(codecKeys(), payload));
    expect(refused).toEqual(['unreadable']);
    expect(undecodableIn([value])).toBe('holds no value that can be read');
  });

  it('of bytes or of nothing, as the SDK writes them, comes back', async () => {
    for (const given of [undefined, null, new Uint8Array([1]), [], 'text']) {
      const payload = defaultPayloadConverter.toPayload(given);
      expect(await arrived(await sealed(codecKeys(), payload))).toEqual({ value: given, refused: [] });
    }
  });

  it('of a stored history is read: compression and encryption are a format', async () => {
    const metadata = { encoding: ENCODING, 'key-id': 'a', context: 'payouts\npayout/1' };
    const stored = {
      metadata: Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, Buffer.from(value)])),
      data: Buffer.from(
        '4V6i1J7Z9v8eXyQ4ahOKjF/O2WLGjvmwF8K9Rzei0No9vZhTyLNcdcG7AQRAfCdtBc5/HNZyRpwDrg/MNDTOCOB8Hllx55zVoJoTZXdT3kpxa2RabT3V7WImDQGB',
        'base64',
      ),
    };
    const { value } = await arrived(stored, { keys: codecKeys(codecKey('a')), at: HERE });
    expect(value).toEqual({ outcome: 'accepted', orderId: 'ord-1' });
  });

  it('of a large value takes less room than the value', async () => {
    const { data } = await sealed(codecKeys(), defaultPayloadConverter.toPayload(Array(500).fill({ account: CANARY })));
    expect(data?.length).toBeLessThan(500);
  });

  it('is never the same twice', async () => {
    expect(text(await sealed())).not.toBe(text(await sealed()));
  });

  it.each([
    ['of another workflow', { workflowId: 'payout/2' }, 'elsewhere'],
    ['of another namespace', { namespace: 'other' }, 'elsewhere'],
    ['of a workflow whose id goes on', { workflowId: 'payout/1-more' }, 'elsewhere'],
    ['of the same words, parted elsewhere', { namespace: 'payouts\npayout/1', workflowId: '' }, 'elsewhere'],
  ])('%s counts for nothing', async (_case, change, why) => {
    const { value, refused } = await arrived(await sealed(), { at: { ...HERE, ...change } });
    expect(refused).toEqual([why]);
    expect(undecodableIn([value])).toBe('was encrypted for another workflow');
  });

  it('of a schedule counts in what it starts, and what that returns in what it starts next', async () => {
    const [first, next, other] = ['1-2026-11-22T10:00:00Z', '1-2026-11-22T10:05:00Z', '2-2026-11-22T10:05:00Z'].map(
      (id) => ({ ...HERE, workflowId: `payout/${id}` }),
    );
    expect((await arrived(await sealed(), { at: first })).refused).toEqual([]);
    const result = await sealed(undefined, undefined, first);
    expect((await arrived(result, { at: next })).refused).toEqual([]);
    for (const at of [other, HERE]) expect((await arrived(result, { at })).refused).toEqual(['elsewhere']);
  });

  it('of an activity belongs to the workflow that asked for it', async () => {
    const at = { type: 'activity', isLocal: false, activityId: '7', namespace: 'payouts', workflowId: 'payout/1' };
    expect((await arrived(await sealed(), { at })).refused).toEqual([]);
    const ofNone = { ...at, workflowId: undefined };
    expect((await arrived(await sealed(), { at: ofNone })).refused).toEqual(['elsewhere']);
  });

  it('is refused in clear', async () => {
    expect((await arrived(CLEAR)).refused).toEqual(['clear']);
  });

  it('is read with a key that is no longer in use, and refused with one that is unknown', async () => {
    const old = await sealed(codecKeys(codecKey('old', 7)));
    expect((await arrived(old, { keys: codecKeys(codecKey('new', 8), codecKey('old', 7)), at: HERE })).refused).toEqual(
      [],
    );
    expect((await arrived(old, { keys: codecKeys(codecKey('new', 8)), at: HERE })).refused).toEqual(['unknown-key']);
    expect((await arrived(old, { keys: codecKeys(codecKey('old', 9)), at: HERE })).refused).toEqual(['broken']);
  });

  it('is refused with any bit of it turned, and never throws', async () => {
    const payload = await sealed();
    const data = Buffer.from(payload.data ?? []);
    for (let at = 0; at < data.length; at += 1) {
      const turned = Buffer.from(data);
      turned[at] = (turned[at] ?? 0) ^ 1;
      expect((await arrived({ ...payload, data: turned })).refused).toEqual(['broken']);
    }
    for (const length of [0, 1, 11, 27, 28, data.length - 1]) {
      expect((await arrived({ ...payload, data: data.subarray(0, length) })).refused).toEqual(['broken']);
    }
    for (const name of Object.keys(payload.metadata ?? {})) {
      const metadata = { ...payload.metadata, [name]: Buffer.from('payout/2') };
      expect((await arrived({ ...payload, metadata })).refused).toHaveLength(1);
    }
    expect((await arrived({ metadata: null, data: null })).refused).toEqual(['clear']);
  });

  it('of no workflow, the memo of a schedule, counts in none', async () => {
    const [memo] = await new EncryptionCodec(codecKeys()).encode([CLEAR]);
    expect((await arrived(memo as Payload, { at: undefined })).refused).toEqual([]);
    for (const workflowId of ['payout/1', '', '-2026-11-22T10:00:00Z']) {
      expect((await arrived(memo as Payload, { at: { ...HERE, workflowId } })).refused).toEqual(['elsewhere']);
    }
  });
});

describe('A ring of keys', () => {
  it.each([
    ['no id', Buffer.alloc(32).toString('base64'), 'has no id of letters, digits and ._/- at key 1: id:base64'],
    ['a short key', 'a:AAAA', 'has no 32 bytes in base64 at key 1 (openssl rand -base64 32)'],
    ['a long key', `a:${Buffer.alloc(33).toString('base64')}`, 'has no 32 bytes in base64 at key 1'],
    ['no base64', `${codecKey('a')},b:${'*'.repeat(43)}=`, 'has no 32 bytes in base64 at key 2'],
    ['one id twice', `${codecKey('a', 1)},${codecKey('a', 2)}`, 'has two keys with the same id'],
    ['nothing after a comma', `${codecKey('a')},`, 'has no id'],
  ])('is refused with %s', (_case, given, message) => {
    expect(() => parseKeyRing(given)).toThrow(message);
  });
});
