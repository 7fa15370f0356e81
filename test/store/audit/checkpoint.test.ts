import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  isSignedBy,
  parseCheckpoint,
  parseCheckpoints,
  parseVerifier,
  signCheckpoint,
  verifierOf,
  verifierText,
} from '../../../src/store/audit/checkpoint.ts';
import { EMPTY_ROOT, leafHash } from '../../../src/store/audit/merkle.ts';

const { privateKey } = generateKeyPairSync('ed25519');
const ORIGIN = 'durable-payouts/test';
const CHECKPOINT = { origin: ORIGIN, size: 1, root: leafHash('a') };
const verifier = verifierOf(ORIGIN, privateKey);

describe('A checkpoint', () => {
  it('is written as tlog-checkpoint, and read as it was', () => {
    const signed = signCheckpoint(CHECKPOINT, privateKey);
    expect(signed.note).toMatch(
      new RegExp(`^${ORIGIN}\n1\n${RegExp.escape(CHECKPOINT.root)}\n\n— ${ORIGIN} [A-Za-z0-9+/]{91}=\n$`),
    );
    expect(parseCheckpoint(signed.note)).toEqual(signed);
    expect(isSignedBy(signed, verifier)).toBe(true);
  });

  it('is not signed when any character of it was another one', () => {
    const { note } = signCheckpoint(CHECKPOINT, privateKey);
    const accepted = [...note].flatMap((was, at) => {
      const changed = parseCheckpoint(note.slice(0, at) + (was === '1' ? '2' : '1') + note.slice(at + 1));
      return changed !== undefined && isSignedBy(changed, verifier) ? at : [];
    });
    expect(accepted).toEqual([]);
  });

  it('is not signed in another spelling of the same bytes', () => {
    const { note } = signCheckpoint(CHECKPOINT, privateKey);
    const at = note.lastIndexOf('=') - 1;
    const spellings = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].filter((character) => {
      const spelled = parseCheckpoint(note.slice(0, at) + character + note.slice(at + 1));
      return spelled !== undefined && isSignedBy(spelled, verifier);
    });
    expect(spellings).toEqual([note[at]]);
  });

  it('is of one log and one key', () => {
    const signed = signCheckpoint(CHECKPOINT, privateKey);
    expect(isSignedBy(signed, verifierOf('another', privateKey))).toBe(false);
    expect(isSignedBy(signed, verifierOf(ORIGIN, generateKeyPairSync('ed25519').privateKey))).toBe(false);
    const other = signCheckpoint({ ...CHECKPOINT, origin: 'another' }, privateKey);
    expect(isSignedBy(other, verifier)).toBe(false);
  });

  it('is one of many in a file; what is none is reported', () => {
    const notes = [0, 1, 2].map((size) => signCheckpoint({ ...CHECKPOINT, size, root: EMPTY_ROOT }, privateKey));
    const text = notes.map(({ note }) => `${note}\n`).join('');
    expect(parseCheckpoints(text)).toEqual(notes);
    expect(parseCheckpoints(`${text}half of o`)).toEqual([...notes, { note: 'half of o' }]);
    expect(parseCheckpoints('')).toEqual([]);
  });
});

describe('A verifier key', () => {
  it('is read as it was written', () => {
    const text = verifierText(verifier);
    const read = parseVerifier(text);
    expect(read && verifierText(read)).toBe(text);
    expect(text).toMatch(/^durable-payouts\/test\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44}$/);
  });

  it.each([
    ['of another name', (text: string) => `x${text}`],
    ['cut', (text: string) => text.slice(0, -1)],
    ['of another type', (text: string) => text.replace(/\+A/, '+B')],
    ['empty', () => ''],
  ])('is none when it is %s', (_what, change) => {
    expect(parseVerifier(change(verifierText(verifier)))).toBeUndefined();
  });
});
