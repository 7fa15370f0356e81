import { expect, it } from 'vitest';
import { answerCodec, codecPlace } from '../../src/codec/codec-server.ts';
import { Problem } from '../../src/domain/problem.ts';
import { codecKey, codecKeys } from '../support/codec-keys.ts';

const RING = codecKeys();
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const CLEAR = { metadata: { encoding: base64('json/plain') }, data: base64('{"by":"bob"}') };
const PLACE = { namespace: 'default', workflowId: 'payout/1' };

it('What was encoded for a workflow is decoded for whoever may ask', () => {
  const encoded = answerCodec(RING, 'encode', PLACE, { payloads: [CLEAR] });
  expect(JSON.stringify(encoded)).not.toContain(CLEAR.data);
  const place = codecPlace({});
  expect(answerCodec(RING, 'decode', place, encoded)).toEqual({ payloads: [CLEAR] });
});

it('What cannot be decoded is shown as it is', () => {
  const foreign = answerCodec(codecKeys(codecKey('other', 9)), 'encode', PLACE, { payloads: [CLEAR] });
  expect(answerCodec(RING, 'decode', PLACE, foreign)).toEqual(foreign);
  expect(answerCodec(RING, 'decode', PLACE, { payloads: [CLEAR] })).toEqual({ payloads: [CLEAR] });
});

it('Nothing is encoded that could be taken anywhere', () => {
  const ask = (): object => answerCodec(RING, 'encode', codecPlace({ 'x-namespace': '' }), { payloads: [CLEAR] });
  expect(ask).toThrow(Problem);
  expect(ask).toThrow('encrypted for one workflow');
  expect(answerCodec(RING, 'encode', codecPlace({}), { payloads: [] })).toEqual({});
});

it.each([[null], ['text'], [{ payloads: 1 }], [{ payloads: [{ metadata: { encoding: 5 } }] }]])(
  'A body that holds no payloads is refused, or has none: %j',
  (body) => {
    try {
      expect(answerCodec(RING, 'decode', PLACE, body)).toBeTypeOf('object');
    } catch (error) {
      expect(error).toBeInstanceOf(Problem);
    }
  },
);
