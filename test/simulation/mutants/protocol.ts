import type { Mutant } from './mutant.ts';

const SEND_ORDER = 'src/activities/send.ts';
const SEND_ONCE = 'src/activities/send.ts';
const PLACE = 'src/workflows/payout/order.ts';
const CLAIMED_ROW = 'src/store/claimed-row.ts';
const ATTEMPTS = 'src/store/attempts.ts';
const SUBMISSION = 'src/domain/submission.ts';

const PAYMENT_REFERENCE = 'account_id, beneficiary_id, reference, amount, currency,';

/** Bugs in how an order is sent, and in what its answer is taken for. */
export const PROTOCOL_MUTANTS: readonly Mutant[] = [
  {
    number: 'M1',
    name: 'random-reference',
    what: 'the reference of a payment is made up at the send',
    edits: [
      {
        file: SEND_ORDER,
        find: PAYMENT_REFERENCE,
        replace: PAYMENT_REFERENCE.replace(
          'reference',
          `reference: \`00000000-0000-5000-8000-\${String(Math.random()).slice(2, 14).padEnd(12, '0')}\``,
        ),
      },
    ],
  },
  {
    number: 'M2',
    name: 'new-reference-on-retry',
    what: 'a second attempt has a reference of its own',
    edits: [
      {
        file: SEND_ORDER,
        find: 'post(sender.bank, row.uid, reference, order, options),',
        replace:
          "post(sender.bank, row.uid, asked.attempt > 1 ? reference.replace(/^./, 'f') : reference, order, options),",
      },
    ],
  },
  {
    number: 'M3',
    name: 'exists-taken-as-refused',
    what: 'code 2003 ends the payout without a search',
    edits: [
      {
        file: SUBMISSION,
        find: "    case 'exists':\n      return {",
        replace:
          "    case 'exists':\n      if (known !== undefined) return { known: { ...counted, tainted: false }, next: { step: 'refused', meaning: refusalMeaning('already-exists') } };\n      return {",
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
        find: "case 'refused': {\n      if (known.tainted) return { known: movedNothing(counted), next: { step: 'resolve' } };",
        replace: "case 'refused': {\n      counted.tainted = false;",
      },
    ],
  },
  {
    number: 'M5',
    name: 'failed-on-time-out',
    what: 'a sender that gave no answer counts as a refusal',
    edits: [
      {
        file: PLACE,
        find: "{ outcome: 'ambiguous', why: 'the sender gave no answer' }",
        replace: "{ outcome: 'refused', condition: 'internal-error', code: 2001 }",
      },
    ],
  },
  {
    number: 'M7',
    name: 'http-retry-on-post',
    what: 'the client repeats a write like a read',
    edits: [
      {
        file: 'src/bank/calls.ts',
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
        file: SEND_ONCE,
        find: "if (begun !== 'begun') return",
        replace: 'if (begun === undefined) return',
      },
    ],
  },
  {
    number: 'M11',
    name: 'float-amount',
    what: 'the amount sent has been through binary fractions',
    edits: [
      {
        file: SEND_ORDER,
        find: PAYMENT_REFERENCE,
        replace: PAYMENT_REFERENCE.replace('amount', 'amount: String((Number(amount) * 1.1) / 1.1)'),
      },
    ],
  },
  {
    number: 'M13',
    name: 'exchange-sent-again',
    what: 'an exchange without an answer is sent again without a search',
    edits: [
      {
        file: PLACE,
        find: "case 'resolve':",
        replace:
          "case 'resolve':\n        if (this.kind === 'exchange') {\n          this.learns({ ...this.known, tainted: false });\n          return { kind: 'gates' };\n        }",
      },
    ],
  },
  {
    number: 'P1',
    name: 'attempt-not-recorded',
    what: 'an order is sent without a record of the attempt',
    edits: [
      {
        file: SEND_ONCE,
        find: 'const begun = await store.recordAttempt(record);',
        replace: "const begun: string = record.attempt > 0 ? 'begun' : 'taken';",
      },
    ],
  },
  {
    number: 'P2',
    name: 'conflict-taken-as-not-sent',
    what: 'an attempt number used by another sender counts as not sent',
    edits: [
      {
        file: 'src/workflows/proxies.ts',
        find: "startToCloseTimeout: '45s',\n  retry: { maximumAttempts: 1 },",
        replace: "startToCloseTimeout: '45s',\n  retry: { maximumAttempts: 3 },",
      },
      {
        file: SEND_ONCE,
        find: "return { outcome: 'ambiguous', why: GAVE_WAY[begun.because], gaveWayTo: begun.to };",
        replace: "return { outcome: 'not-sent', why: 'unreachable' };",
      },
    ],
  },
  {
    number: 'P9',
    name: 'claim-not-asked',
    what: 'a run that is not the holder of the claim any more still sends and ends',
    edits: [
      {
        file: CLAIMED_ROW,
        find: 'row.term !== claim.term || row.claimRunId !== runId || ',
        replace: '',
      },
      {
        file: ATTEMPTS,
        find: ".where('term', '=', claim.term)",
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
        file: SEND_ORDER,
        find: "if (scope !== undefined) return { outcome: 'not-sent', why: 'switched-off', scope };",
        replace: "if (scope === ('nothing' as unknown)) return { outcome: 'not-sent', why: 'unreachable' };",
      },
    ],
  },
  {
    number: 'P3',
    name: 'first-byte-deadline-removed',
    what: 'a sender that was paused for long still sends',
    edits: [
      {
        file: SEND_ONCE,
        find: 'const FIRST_BYTE_WITHIN_MS = 5_000;',
        replace: 'const FIRST_BYTE_WITHIN_MS = 5_000_000;',
      },
    ],
  },
  {
    number: 'P4',
    name: 'new-bytes-on-resend',
    what: 'a resend is made anew instead of repeating the recorded bytes',
    edits: [
      {
        file: SEND_ORDER,
        find: 'orderToRepeat<SentOrder>(attempts) ?? made',
        replace: 'made',
      },
    ],
  },
  {
    number: 'P5',
    name: 'ended-row-ignored',
    what: 'an order is sent for a payout whose row has an end',
    edits: [
      { file: CLAIMED_ROW, find: ' || isEnd(row.state)', replace: '' },
      {
        file: ATTEMPTS,
        find: "    .where('term', '=', claim.term)\n    .where('state', 'not in', END_STATES)",
        replace: "    .where('term', '=', claim.term)",
      },
      {
        file: 'src/store/claims.ts',
        find: "    .where('payloadDigest', '=', claim.payloadDigest)\n    .where('state', 'not in', END_STATES)",
        replace: "    .where('payloadDigest', '=', claim.payloadDigest)",
      },
      {
        file: 'src/activities/payout.ts',
        find: 'if (isEnd(record.state)) return ended(record, record.state);',
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
        file: PLACE,
        find: "case 'resolve':",
        replace:
          "case 'resolve':\n        if (view.wantsCancel) return { kind: 'unpaid', state: 'cancelled', reason: because('cancelled-by-request') };",
      },
      { file: ATTEMPTS, find: "if (open.length > 0) return 'in-doubt';", replace: '' },
    ],
  },
  {
    number: 'P7',
    name: 'cancellation-interrupts',
    what: 'a Temporal cancellation reaches into submit and resolve',
    edits: [
      {
        file: 'src/workflows/payout/claim.ts',
        find: 'return CancellationScope.nonCancellable(async () => {',
        replace: 'return CancellationScope.cancellable(async () => {',
      },
    ],
  },
  {
    number: 'P82',
    name: 'late-sender-let-through',
    what: 'a worker that paused with a send in hand begins it after its payout has searched and gone on',
    edits: [
      {
        file: 'src/workflows/payout/waits.ts',
        find: "view.renewed(await renewClaim({ claim: view.claim }, 'nothing is sent late any more'));",
        replace: '',
      },
      // What people are asked again, the sender finds unanswered in the store.
      { file: SEND_ORDER, find: ' && (await mayLeave(sender, row, assessed))', replace: '' },
    ],
  },
  {
    number: 'P8',
    name: 'earlier-run-forgotten',
    what: 'a new run does not count what the run before it has sent',
    edits: [
      { file: SUBMISSION, find: 'tainted: uncertain.length > 0,', replace: 'tainted: false,' },
      { file: ATTEMPTS, find: "if (open.length > 0) return 'in-doubt';", replace: '' },
    ],
  },
  {
    number: 'P11',
    name: 'end-without-asking',
    what: 'an end without money is stored despite what was sent',
    edits: [
      { file: ATTEMPTS, find: "if (open.length > 0) return 'in-doubt';", replace: '' },
      { file: SUBMISSION, find: 'tainted: uncertain.length > 0,', replace: 'tainted: uncertain.length > 1,' },
    ],
  },
  {
    number: 'P12',
    name: 'silence-taken-as-not-sent',
    what: 'an attempt that the store does not show counts as never sent',
    edits: [
      {
        file: PLACE,
        find: '?? UNANSWERED;',
        replace: "?? { outcome: 'not-sent', why: 'unreachable' };",
      },
    ],
  },
  {
    number: 'P13',
    name: 'live-sender-ignored',
    what: 'a run sends while another sender may still be about to',
    edits: [
      { file: ATTEMPTS, find: 'sentAt - other.sentAt < SENDER_LIFE_MS', replace: 'sentAt < other.sentAt' },
      { file: 'src/workflows/payout/resolve.ts', find: 'search.liveForMs === 0 && ', replace: '' },
      {
        file: 'src/workflows/payout/resolve.ts',
        find: 'if (search.liveForMs > 0) doubt.since',
        replace: 'if (search.liveForMs < 0) doubt.since',
      },
      { file: SUBMISSION, find: '(answeredAt ?? sentAt + SENDER_LIFE_MS)', replace: '(answeredAt ?? sentAt)' },
    ],
  },
  {
    number: 'P14',
    name: 'sender-believes-its-caller',
    what: 'approvals that the reading asks for are not searched for in the store',
    edits: [
      {
        file: SEND_ORDER,
        find: ' && (await mayLeave(sender, row, assessed))',
        replace: '',
      },
      {
        file: 'src/domain/gates.ts',
        find: 'needed === 0 || passes.approved',
        replace: 'needed <= 1 || passes.approved',
      },
    ],
  },
  {
    number: 'P15',
    name: 'record-without-outcome-taken-as-unsent',
    what: 'an attempt whose record has no outcome counts as one that its sender has said was not sent',
    edits: [
      {
        file: SUBMISSION,
        find: "outcome === 'not-sent' || outcome === 'refused').map",
        replace: "outcome === null || outcome === 'not-sent' || outcome === 'refused').map",
      },
    ],
  },
  {
    number: 'P16',
    name: 'payment-in-doubt-passed-over',
    what: 'a payment that may have been executed goes through the gates like a new one',
    edits: [
      {
        file: 'src/workflows/payout.ts',
        find: '.find((order) => order?.isUnresolved)',
        replace: '.find((order) => (order === main ? order.parked !== null : order?.isUnresolved))',
      },
    ],
  },
  {
    number: 'P17',
    name: 'paid-before-bought',
    what: 'rows are paid without waiting for the exchange of their batch',
    worlds: { sharedExchanges: true },
    edits: [
      {
        file: 'src/activities/batch-exchange.ts',
        find: "if (state === 'completed') return undefined;",
        replace: 'if (!isUnpaid(state)) return undefined;',
      },
    ],
  },
  {
    number: 'P18',
    name: 'bought-once-more',
    what: 'a row exchanges for itself although the exchange of its batch buys for it',
    worlds: { sharedExchanges: true },
    edits: [
      {
        file: 'src/activities/assess.ts',
        find: 'exchanged || !buysForItself(instruction)',
        replace: "exchanged || instruction.max_rate === '0'",
      },
    ],
  },
];
