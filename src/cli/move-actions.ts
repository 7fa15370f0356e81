import { MOVE, PLAN_MOVE } from '../channels/http/operations/move-operations.ts';
import { COMMAND_LINE } from '../domain/finding.ts';
import { madeDigest } from '../domain/identity.ts';
import { isSettled, type ShownState } from '../domain/payout-state.ts';
import { Problem } from '../domain/problem.ts';
import { identityOf, type MoveAsked, moveBound } from '../files/intake/own-move.ts';
import type { MoveKind } from '../files/rules/check-instruction.ts';
import type { PayoutRecord } from '../store/store.ts';
import { confirm } from './confirm.ts';
import { EXIT, type ExitCode } from './exit.ts';
import { type FollowedMove, followMove } from './follow-batch.ts';
import { showPayout } from './inspect.ts';
import { movePlanText, storeText } from './plan-text.ts';
import type { Session } from './session.ts';
import { type Asker, signerOf } from './signer.ts';

const OPTIONS = {
  id: ['id'],
  uid: ['uid'],
  account_id: ['from', 'sell'],
  to_account_id: ['to', 'buy'],
  amount: ['amount'],
  currency: ['currency'],
  note: ['note'],
  reason: ['reason'],
  execute_on: ['executeOn'],
  expires_at: ['expiresAt'],
  fee_cap: ['feeCap'],
  max_slippage: ['maxSlippage'],
} as const;

type MoveOption = (typeof OPTIONS)[keyof typeof OPTIONS][number];

/** Options as commander passes them, by option name. */
interface MoveOptions extends Asker, Readonly<Partial<Record<MoveOption, string>>> {
  yes: boolean;
  detach: boolean;
  timeout: number | undefined;
}

/** `payouts transfer` and `payouts exchange`: validate, plan, confirm, start, follow, print. */
export async function move(session: Session, kind: MoveKind, options: MoveOptions): Promise<ExitCode> {
  if (session.gateway === undefined) await session.assertStoreFits();
  const signer = await signerOf(session, options, 'make');
  const isSigned = signer.sign !== undefined;
  const asked = askedFor(kind, isSigned ? { ...options, by: signer.name } : options);
  const planned = await session.ask(PLAN_MOVE, asked).catch(asTyped(kind));
  if (planned.known !== null) return followTaken(session, planned.known, { asked, options });
  const { outlook, store } = planned;
  // Made of what was typed here: it is shown and signed, no matter which process has asked the bank about it.
  const { max_slippage: ownCap = session.config.settings.terms.maxSlippage } = asked.instruction;
  const bound = kind === 'transfer' ? {} : moveBound(outlook, asked.instruction.amount, ownCap);
  const instruction = {
    ...asked.instruction,
    ...(kind === 'transfer' && { currency: outlook.from.currency }),
    ...bound,
  };
  const show = options.yes ? session.output.say : session.output.notify;
  show([movePlanText({ ...asked, instruction }, outlook), ...storeText(store)].join('\n'));
  const { currency, amount } = instruction;
  await confirm(kind === 'transfer' ? `Transfer ${currency} ${amount}?` : `Buy ${currency} ${amount}?`, options.yes);
  const { reference } = identityOf(asked);
  const digest = madeDigest(instruction);
  const signed = signer.sign?.({ question: 'make', reference, digest });
  if (session.gateway === undefined) await session.stack(options.detach ? 'join-staying' : 'join-or-boot');
  await session.ask(MOVE, { ...asked, instruction: { ...asked.instruction, ...bound }, signed }).catch(asTyped(kind));
  return follow(session, { kind, reference, digest, until: options.detach ? 'claimed' : 'at-rest' }, options);
}

/** Moves findings to the options that the user wrote. */
const asTyped =
  (kind: MoveKind) =>
  (error: unknown): never => {
    if (!(error instanceof Problem) || error.findings.length === 0) throw error;
    const { code, message, hint, findings, cause } = error;
    throw new Problem(error.kind, code, message, {
      hint,
      cause,
      findings: findings.map(({ column, ...finding }) => ({
        ...finding,
        file: COMMAND_LINE,
        line: 1,
        column: column && optionName(kind, column),
      })),
    });
  };

function askedFor(kind: MoveKind, options: MoveOptions): MoveAsked {
  const fields = Object.keys(OPTIONS).flatMap((field): [string, unknown][] => {
    const value = options[optionOf(kind, field)];
    return value === undefined || value === '' ? [] : [[field, value]];
  });
  return { kind, instruction: Object.fromEntries(fields) as MoveAsked['instruction'], by: options.by };
}

function optionOf(kind: MoveKind, field: string): MoveOption {
  const options: Readonly<Record<string, readonly MoveOption[]>> = OPTIONS;
  const [option = 'id', ofExchange = option] = options[field] ?? [];
  return kind === 'transfer' ? option : ofExchange;
}

/** The option as users write it: `--execute-on`. */
const optionName = (kind: MoveKind, field: string): string =>
  `--${optionOf(kind, field).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** The same document again: a row without an end is followed, and its workflow started again if it is gone. */
async function followTaken(
  session: Session,
  { kind, reference, state, instruction }: PayoutRecord,
  { asked, options }: { asked: MoveAsked; options: MoveOptions },
): Promise<ExitCode> {
  session.output.say(`This ${kind} is already known and is ${state}.`);
  if (options.detach) return show(session, reference, EXIT.completed);
  await session.ask(MOVE, { ...asked, signed: undefined });
  const digest = madeDigest(instruction);
  return follow(session, { kind: asked.kind, reference, digest, until: 'at-rest' }, options);
}

async function follow(session: Session, followed: FollowedMove, { timeout, detach }: MoveOptions): Promise<ExitCode> {
  const { reference } = followed;
  const { row, end } = await followMove(session, followed, timeout);
  if (end === 'interrupted') {
    session.leaveAtOnce = true;
    session.output.say(`Detached; it continues. \`payouts status ${reference}\` shows it.`);
  }
  if (row === undefined) return end === 'interrupted' ? EXIT.interrupted : EXIT.stillOpen;
  const exit = detach ? EXIT.completed : exitOf(row.state);
  return show(session, reference, end === 'interrupted' ? EXIT.interrupted : exit);
}

function exitOf(state: ShownState): ExitCode {
  if (state === 'completed') return EXIT.completed;
  return isSettled(state) ? EXIT.exceptions : EXIT.stillOpen;
}

async function show(session: Session, reference: string, exit: ExitCode): Promise<ExitCode> {
  await showPayout(session, reference);
  return exit;
}
