import { describe, expect, it } from 'vitest';
import { Problem } from '../../../src/domain/problem.ts';
import { answerCodec, codecContext } from '../../../src/platform/codec/codec-server.ts';
import { codecKey, codecKeys } from '../../support/codec-keys.ts';

const OURS = { keys: codecKeys(), namespace: 'default' };
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const CLEAR = { metadata: { encoding: base64('json/plain') }, data: base64('{"by":"bob"}') };
const PLACE = { namespace: 'default', workflowId: 'payout/1' };

it('What was encoded for a workflow is decoded for callers who may ask', () => {
  const encoded = answerCodec(OURS, 'encode', PLACE, { payloads: [CLEAR] });
  expect(JSON.stringify(encoded)).not.toContain(CLEAR.data);
  const context = codecContext({});
  expect(answerCodec(OURS, 'decode', context, encoded)).toEqual({ payloads: [CLEAR] });
});

it('What cannot be decoded is shown as it is', () => {
  const foreign = answerCodec({ ...OURS, keys: codecKeys(codecKey('other', 9)) }, 'encode', PLACE, {
    payloads: [CLEAR],
  });
  expect(answerCodec(OURS, 'decode', PLACE, foreign)).toEqual(foreign);
  expect(answerCodec(OURS, 'decode', PLACE, { payloads: [CLEAR] })).toEqual({ payloads: [CLEAR] });
});

it('A short request is not decoded to gigabytes: what is beyond the limit is shown as it is', () => {
  const long = { ...CLEAR, data: base64(JSON.stringify('a'.repeat(5 * 1024 * 1024))) };
  const { payloads: [sealed = {}] = [] } = answerCodec(OURS, 'encode', PLACE, { payloads: [long] });
  const many = { payloads: Array(100).fill(sealed) };
  expect(JSON.stringify(many).length).toBeLessThan(1024 * 1024);
  const { payloads = [] } = answerCodec(OURS, 'decode', PLACE, many);
  expect(payloads.map((one) => ('data' in one ? one.data === long.data : false)).indexOf(false)).toBe(6);
  expect(payloads.slice(6)).toEqual(many.payloads.slice(6));
});

it('Nothing is encoded that could be taken anywhere', () => {
  const ask = (): object => answerCodec(OURS, 'encode', codecContext({ 'x-namespace': '' }), { payloads: [CLEAR] });
  expect(ask).toThrow(Problem);
  expect(ask).toThrow('encrypted for one workflow');
  expect(answerCodec(OURS, 'encode', codecContext({}), { payloads: [] })).toEqual({});
});

it('Nothing is encrypted for another namespace', () => {
  const ask = (): object => answerCodec(OURS, 'encode', { ...PLACE, namespace: 'other' }, { payloads: [CLEAR] });
  expect(ask).toThrow('only for the namespace of the payouts');
});

it('Nothing is encrypted that no workflow can read', () => {
  const payloads = [CLEAR, { ...CLEAR, metadata: { encoding: base64('json/protobuf') } }];
  expect(() => answerCodec(OURS, 'encode', PLACE, { payloads })).toThrow('values that a workflow can read');
});

it.each([[null], ['text'], [{ payloads: 1 }], [{ payloads: [{ metadata: { encoding: 5 } }] }]])(
  'A body that holds no payloads is refused, or has none: %j',
  (body) => {
    try {
      expect(answerCodec(OURS, 'decode', PLACE, body)).toBeTypeOf('object');
    } catch (error) {
      expect(error).toBeInstanceOf(Problem);
    }
  },
);

describe('A body that claims more than it holds is refused at once', () => {
  it.each([
    ['bytes by their number in metadata', { metadata: { encoding: { length: 1e9 } } }],
    ['bytes by their number in data', { data: { length: 2e9 } }],
    [
      'more metadata than any payload has',
      { metadata: Object.fromEntries(Array.from({ length: 33 }, (_, at) => [at, ''])) },
    ],
  ])('%s', (_case, payload) => {
    expect(() => answerCodec(OURS, 'decode', PLACE, { payloads: [payload] })).toThrow('contains no payloads');
  });

  it('more payloads than any page has', () => {
    const answer = (length: number): object =>
      answerCodec(OURS, 'decode', PLACE, { payloads: Array.from({ length }, () => ({})) });
    expect(answer(10_000)).toBeTypeOf('object');
    expect(() => answer(10_001)).toThrow('or too many');
    expect(() => answerCodec(OURS, 'decode', PLACE, { payloads: { length: 1e9 } })).toThrow(Problem);
  });

  it('only what a payload of ours has comes back', () => {
    const payloads = [{ ...CLEAR, externalPayloads: Array.from({ length: 10 }, () => ({})) }];
    expect(answerCodec(OURS, 'decode', PLACE, { payloads })).toEqual({ payloads: [CLEAR] });
  });
});
