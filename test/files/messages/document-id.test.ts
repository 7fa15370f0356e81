import { expect, it } from 'vitest';
import { documentId } from '../../../src/files/messages/message-instruction.ts';

const position = 'MSG/1.PAY.7';

it.each([
  ['end-to-end-id', { endToEndId: ' A/1 ', instructionId: 'B', position }, 'A|1'],
  ['end-to-end-id', { endToEndId: 'notprovided', instructionId: 'B', position }, 'B'],
  ['end-to-end-id', { endToEndId: 'NOT PROVIDED', instructionId: ' ', position }, 'MSG|1.PAY.7'],
  ['end-to-end-id', { endToEndId: 'NOTPROVIDED-1', position }, 'NOTPROVIDED-1'],
  ['instruction-id', { endToEndId: 'A', instructionId: 'B', position }, 'B'],
  ['instruction-id', { endToEndId: 'A', position }, 'MSG|1.PAY.7'],
  ['position', { endToEndId: 'A', instructionId: 'B', position }, 'MSG|1.PAY.7'],
] as const)('by %s of %o: %s', (identity, ids, expected) => {
  expect(documentId(ids, identity)).toBe(expected);
});
