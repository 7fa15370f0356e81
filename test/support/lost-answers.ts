/** One way to lose the answer of a POST. */
export interface LostAnswer {
  name: string;
  /** Of `POST /__sandbox/faults`, without its operation. */
  fault: { kind: string; [setting: string]: unknown };
  /** What the bank has done by the time that the client gives up. `late`: it does it afterwards. */
  bank: 'done' | 'late' | 'nothing';
  /** What the client may say of it. A workflow receives no more than that. */
  outcome: 'ambiguous' | 'not-sent';
}

/** Longer than any limit of the client. */
const HOUR_MS = 3_600_000;

const answeredNever = (name: string, fault: LostAnswer['fault'], bank: LostAnswer['bank']): LostAnswer => ({
  name,
  fault,
  bank,
  outcome: 'ambiguous',
});

/**
 * The fault points of the failure table (F1: no connection, and F10: a stopped process, are tested on Temporal and by the chaos
 * run).
 */
export const LOST_ANSWERS: readonly LostAnswer[] = [
  answeredNever('F2 read and dropped', { kind: 'drop-before' }, 'nothing'),
  answeredNever('F3 committed and dropped', { kind: 'drop-after' }, 'done'),
  answeredNever('F4 committed and answered after the limit', { kind: 'delay-after', ms: HOUR_MS }, 'done'),
  answeredNever('F5 committed under an error page', { kind: 'http', status: 502, commit: true }, 'done'),
  answeredNever('F6 committed under 2001', { kind: 'code', code: 2001, commit: true }, 'done'),
  answeredNever('F6 committed under 2008', { kind: 'code', code: 2008, commit: true }, 'done'),
  answeredNever('F6 committed under 2011', { kind: 'code', code: 2011, commit: true }, 'done'),
  answeredNever('F7 not done under an error page', { kind: 'http', status: 500, commit: false }, 'nothing'),
  answeredNever('F7 not done under 2001', { kind: 'code', code: 2001, commit: false }, 'nothing'),
  answeredNever('F7 not done under 2008', { kind: 'code', code: 2008, commit: false }, 'nothing'),
  answeredNever('F7 not done under 2011', { kind: 'code', code: 2011, commit: false }, 'nothing'),
  answeredNever('F8 committed, half an answer', { kind: 'garbage-after', form: 'half' }, 'done'),
  answeredNever('F8 committed, an answer that breaks off', { kind: 'garbage-after', form: 'cut' }, 'done'),
  answeredNever('F8 committed, no text', { kind: 'garbage-after', form: 'no-utf8' }, 'done'),
  answeredNever('F8 committed, code 0 without data', { kind: 'garbage-after', form: 'no-data' }, 'done'),
  answeredNever('F8 committed, a code that is no number', { kind: 'garbage-after', form: 'text-code' }, 'done'),
  answeredNever('F9 committed and dripping', { kind: 'slow-after', ms: HOUR_MS }, 'done'),
  answeredNever('F11 committed after the connection is gone', { kind: 'late-commit', ms: 700 }, 'late'),
  {
    name: 'a refused token',
    fault: { kind: 'http', status: 401, commit: false },
    bank: 'nothing',
    outcome: 'not-sent',
  },
  answeredNever('a limit on the rate', { kind: 'http', status: 429, commit: false, retryAfterSeconds: 1 }, 'nothing'),
];

/** The first of each pair of what the bank has done and what the client may say: all that a workflow can distinguish. */
export const LOST_ANSWERS_BY_EFFECT: readonly LostAnswer[] = [
  ...Map.groupBy(LOST_ANSWERS, ({ bank, outcome }) => `${bank} ${outcome}`).values(),
].flatMap(([first]) => first ?? []);
