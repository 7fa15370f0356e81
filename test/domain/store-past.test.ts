import { describe, expect, it } from 'vitest';
import { judgeOpening, type OpeningFacts, type SenderSeen } from '../../src/domain/store-past.ts';

const WINDOW = 1_000;
const SUSPENDED = 600;
const NOW = 100_000;

const sender = (change: Partial<SenderSeen> = {}): SenderSeen => ({
  senderId: 'one',
  machine: 'here',
  boot: 'today',
  place: '/srv/store.sqlite',
  placeMark: '7:1',
  pid: 1,
  processMark: 'a',
  pulses: 5,
  aliveAt: 50_000,
  endedAt: null,
  ...change,
});

const judged = (change: Partial<OpeningFacts> = {}) =>
  judgeOpening({
    now: NOW,
    own: sender({ senderId: 'own', pid: 2 }),
    senders: [sender()],
    witness: undefined,
    restoredAt: undefined,
    windowMs: WINDOW,
    suspendedMs: SUSPENDED,
    isAlive: () => false,
    ...change,
  });

const witness = { senderId: 'one', pulses: 5, aliveAt: 50_000, place: '/srv/store.sqlite' };

describe('a process that opens a store to send from it', () => {
  it('begins with a new one: any order may be missing', () => {
    expect(judged({ senders: [] })).toEqual({ kind: 'begins', why: 'new', from: 0 });
  });

  it('begins anew after the last one ended: what was under way then may be missing', () => {
    const aliveAt = NOW - WINDOW;
    expect(judged({ senders: [sender({ aliveAt })] })).toEqual({
      kind: 'begins',
      why: 'restart',
      from: aliveAt - WINDOW,
    });
  });

  it('begins anew after a store was not used for longer than the window: any order may be missing', () => {
    expect(judged({ witness })).toEqual({ kind: 'begins', why: 'restart', from: 0 });
  });

  it('joins another one that is alive', () => {
    const senders = [sender({ aliveAt: NOW - SUSPENDED + 1 })];
    expect(judged({ senders, isAlive: () => true })).toEqual({ kind: 'joins' });
  });

  it.each([
    ['has ended', NOW - 1, false],
    ['is suspended for too long', NOW - SUSPENDED, true],
  ])('does not join one that %s', (_, aliveAt, alive) => {
    expect(judged({ senders: [sender({ aliveAt })], isAlive: () => alive })).toMatchObject({ why: 'restart' });
  });

  it('believes no sign of life in the future', () => {
    const senders = [sender({ aliveAt: NOW + SUSPENDED })];
    expect(judged({ senders, isAlive: () => true })).toEqual({ kind: 'begins', why: 'restart', from: NOW - WINDOW });
  });

  it('from before 1970 nothing is asked', () => {
    expect(judged({ senders: [sender({ aliveAt: 5 })] })).toMatchObject({ from: 0 });
  });
});

describe('a store that went back in time', () => {
  it.each([
    ['lacks signs of life that this machine has noted', { ...witness, pulses: 6 }, [sender()], 49_000],
    ['lacks the sender that this machine has noted', { ...witness, senderId: 'lost' }, [sender()], 49_000],
    ['lacks every sender', witness, [], 0],
  ])('is found where it %s', (_, noted, senders, from) => {
    expect(judged({ witness: noted, senders })).toEqual({ kind: 'restored', why: 'rolled-back', from });
  });

  it('is found where one of its senders is alive too', () => {
    const senders = [sender({ senderId: 'other', aliveAt: NOW }), sender()];
    const noted = { ...witness, pulses: 6 };
    expect(judged({ senders, witness: noted, isAlive: () => true })).toMatchObject({ kind: 'restored' });
  });

  it('is not reported twice: somebody has said so since', () => {
    const noted = { ...witness, pulses: 6 };
    expect(judged({ witness: noted, restoredAt: 49_999 })).toMatchObject({ why: 'rolled-back' });
    expect(judged({ witness: noted, restoredAt: 50_000 })).toMatchObject({ kind: 'begins', why: 'restart' });
  });
});

describe('another file than the one that was used last', () => {
  it.each([
    ['under the same name was put there', 'rolled-back', {}],
    ['under another name was moved or copied', 'copied', { place: '/srv/other.sqlite' }],
    ['on another machine was moved or copied there', 'other-user', { machine: 'there' }],
  ])('%s', (_, why, change) => {
    const own = sender({ senderId: 'own', placeMark: '8:1', ...change });
    expect(judged({ own })).toEqual({ kind: 'restored', why, from: 49_000 });
    expect(judged({ own, restoredAt: 50_000 })).toMatchObject({ kind: 'begins', why: 'restart' });
  });

  it('is not one that was only renamed', () => {
    const own = sender({ senderId: 'own', place: '/srv/renamed.sqlite', machine: 'renamed' });
    expect(judged({ own })).toMatchObject({ kind: 'begins', why: 'restart' });
  });
});
