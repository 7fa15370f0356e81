import type { Mutant } from './mutant.ts';

const SUBMIT = 'src/activities/submit.ts';
const SUBMIT_STEP = 'src/workflows/steps/submit-order.ts';
const SUBMISSION = 'src/domain/submission.ts';

const PAYMENT_REFERENCE = 'reference: input.reference,\n          amount: sent.amount,';

/** Bugs in how an order is sent, and in what its answer is taken for. */
export const PROTOCOL_MUTANTS: readonly Mutant[] = [
  {
    number: 'M1',
    name: 'random-reference',
    what: 'the reference of a payment is made up at the send',
    edits: [
      {
        file: SUBMIT,
        find: PAYMENT_REFERENCE,
        replace: `reference: \`00000000-0000-5000-8000-\${String(Math.random()).slice(2, 14).padEnd(12, '0')}\`,\n          amount: sent.amount,`,
      },
    ],
  },
  {
    number: 'M2',
    name: 'new-reference-on-retry',
    what: 'a second attempt has a reference of its own',
    edits: [
      {
        file: SUBMIT,
        find: PAYMENT_REFERENCE,
        replace:
          "reference: input.attempt > 1 ? input.reference.replace(/^./, 'f') : input.reference,\n          amount: sent.amount,",
      },
    ],
  },
  {
    number: 'M3',
    name: 'exists-taken-as-refused',
    what: 'code 2003 ends the payout without a look',
    edits: [
      {
        file: SUBMISSION,
        find: "return { known: { ...counted, tainted: true, exists: true }, next: { step: 'resolve' } };",
        replace:
          "return { known: { ...counted, tainted: false }, next: { step: 'refused', meaning: refusalMeaning(2003) } };",
      },
    ],
  },
  {
    number: 'M4',
    name: 'refusal-after-lost-answer',
    what: 'a refusal is believed although an earlier attempt may have been executed',
    edits: [
      {
        file: SUBMISSION,
        find: "case 'refused':\n      return known.tainted\n        ? { known: counted, next: { step: 'resolve' } }",
        replace:
          "case 'refused':\n      return known.tainted\n        ? { known: { ...counted, tainted: false }, next: { step: 'refused', meaning: refusalMeaning(result.code) } }",
      },
    ],
  },
  {
    number: 'M5',
    name: 'failed-on-time-out',
    what: 'a sender that gave no answer counts as a refusal',
    edits: [
      {
        file: SUBMIT_STEP,
        find: "{ outcome: 'ambiguous', why: 'the sender gave no answer' }",
        replace: "{ outcome: 'refused', code: 2001 }",
      },
    ],
  },
  {
    number: 'M7',
    name: 'http-retry-on-post',
    what: 'the client repeats a write like a read',
    edits: [
      {
        file: 'src/api/calls.ts',
        find: 'return withDeadline(limits.sendTotalMs, signal, (deadline) => attemptOnce(options, attempt, deadline));',
        replace: 'return readRepeatedly(options, signal, (deadline) => attemptOnce(options, attempt, deadline));',
      },
    ],
  },
  {
    number: 'M8',
    name: 'send-retried-by-server',
    what: 'the sending activity has three attempts, and a recorded one stops none of them',
    edits: [
      {
        file: 'src/workflows/proxies.ts',
        find: "startToCloseTimeout: '45s',\n  retry: { maximumAttempts: 1 },",
        replace: "startToCloseTimeout: '45s',\n  retry: { maximumAttempts: 3 },",
      },
      {
        file: SUBMIT,
        find: 'if (!(await record(deps, attempt, order))) return',
        replace: 'if ((await record(deps, attempt, order)) === undefined) return',
      },
    ],
  },
  {
    number: 'M11',
    name: 'float-amount',
    what: 'the amount sent has been through binary fractions',
    edits: [
      {
        file: SUBMIT,
        find: PAYMENT_REFERENCE,
        replace: 'reference: input.reference,\n          amount: String((Number(sent.amount) * 1.1) / 1.1),',
      },
    ],
  },
  {
    number: 'M13',
    name: 'exchange-sent-again',
    what: 'an exchange without an answer is sent again without a look',
    edits: [
      {
        file: SUBMIT_STEP,
        find: "case 'resolve':",
        replace:
          "case 'resolve':\n        if (request.expected.kind === 'exchange') {\n          progress.known = { ...known, tainted: false };\n          return { kind: 'cleared' };\n        }",
      },
    ],
  },
  {
    number: 'P1',
    name: 'attempt-not-recorded',
    what: 'an order is sent without a record of the attempt',
    edits: [
      {
        file: SUBMIT,
        find: 'if (!(await record(deps, attempt, order))) return',
        replace: 'if (attempt.attempt === 0) return',
      },
    ],
  },
  {
    number: 'P2',
    name: 'conflict-taken-as-not-sent',
    what: 'an attempt number used by another sender counts as not sent, and no run stands back from another',
    edits: [
      {
        file: SUBMIT,
        find: "return { outcome: 'ambiguous', why: 'another sender used this attempt' };",
        replace: "return { outcome: 'not-sent', why: 'unreachable' };",
      },
      {
        file: SUBMIT,
        find: 'if (await hasRival(deps, attempt)) return await standBack(deps, attempt);',
        replace: '',
      },
    ],
  },
  {
    number: 'P9',
    name: 'no-run-stands-back',
    what: 'a run sends although another one has sent since it last looked',
    edits: [
      {
        file: SUBMIT,
        find: 'if (await hasRival(deps, attempt)) return await standBack(deps, attempt);',
        replace: '',
      },
    ],
  },
  {
    number: 'P10',
    name: 'switch-not-asked',
    what: 'a sender does not ask the switches again before its first byte',
    edits: [
      {
        file: SUBMIT,
        find: 'if (scope !== undefined) return await holdBack(deps, attempt, scope);',
        replace: '',
      },
    ],
  },
  {
    number: 'P3',
    name: 'fence-removed',
    what: 'a sender that was paused for long still sends',
    edits: [{ file: SUBMIT, find: 'const FENCE_MS = 5_000;', replace: 'const FENCE_MS = 5_000_000;' }],
  },
  {
    number: 'P4',
    name: 'new-bytes-on-resend',
    what: 'a resend is made anew instead of repeating the recorded bytes',
    edits: [
      {
        file: SUBMIT,
        find: 'orderInForce<Order>(await deps.store.attempts(attempt.reference)) ?? asked;',
        replace: 'asked;',
      },
      {
        file: 'src/workflows/course.ts',
        find: 'course.paymentOrder ??= paymentOrder(',
        replace: 'course.paymentOrder = paymentOrder(',
      },
    ],
  },
  {
    number: 'P5',
    name: 'ended-row-ignored',
    what: 'an order is sent for a payout whose row has an end',
    edits: [
      {
        file: SUBMIT,
        find: "if (await hasEnded(deps, attempt)) return { outcome: 'ended' };",
        replace: '',
      },
    ],
  },
  {
    number: 'P6',
    name: 'cancel-after-lost-answer',
    what: 'a cancel ends a payout whose answer was lost',
    edits: [
      {
        file: SUBMIT_STEP,
        find: "case 'resolve':",
        replace: "case 'resolve':\n        if (life.wantsCancel) return { kind: 'stopped' };",
      },
    ],
  },
  {
    number: 'P7',
    name: 'cancellation-interrupts',
    what: 'a Temporal cancellation reaches into submit and resolve',
    edits: [
      {
        file: 'src/workflows/payout.ts',
        find: 'return CancellationScope.nonCancellable(async () => {',
        replace: 'return CancellationScope.cancellable(async () => {',
      },
    ],
  },
  {
    number: 'P8',
    name: 'earlier-run-forgotten',
    what: 'a new run does not count what the run before it has sent',
    edits: [{ file: 'src/activities/prepare.ts', find: 'tainted: uncertain.length > 0,', replace: 'tainted: false,' }],
  },
];
