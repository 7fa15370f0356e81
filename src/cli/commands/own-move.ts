import { payloadDigest } from '../../domain/identity.ts';
import { payoutInput } from '../../domain/instruction.ts';
import { inMarkdown } from '../../domain/markdown.ts';
import { isAtRest, type PayoutState } from '../../domain/payout-state.ts';
import { type MoveAsked, type MovePlan, planMove, takenMove } from '../../files/intake/own-move.ts';
import { storeUseOf } from '../../files/intake/store-use.ts';
import type { MoveKind } from '../../files/rules/check-move.ts';
import { executionsOver, restartPayout } from '../../platform/temporal/executions.ts';
import type { PayoutRecord } from '../../store/store.ts';
import { confirm } from '../confirm.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { type FollowedPayout, followPayout } from '../follow.ts';
import { movePlanText, storeText } from '../plan.ts';
import type { Session } from '../session.ts';
import { type Asker, signAndStore, signerOf } from '../signer.ts';
import { withValidationBank } from '../validation-bank.ts';
import { showPayout } from './inspect.ts';

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
  await session.assertStoreFits();
  const store = await session.store();
  const signer = await signerOf(session, options, 'make');
  const isSigned = signer.sign !== undefined;
  const asked = askedFor(kind, isSigned ? { ...options, by: signer.name } : options);
  const optionOf = (field: string): string => optionName(kind, field);
  const known = await takenMove(store, asked, optionOf);
  if (known !== undefined) return followTaken(session, known, options);
  const plan = await withValidationBank(session, (bank) => planMove(bank, asked, session.config.settings, optionOf));
  const show = options.yes ? session.output.say : session.output.tell;
  show([movePlanText(plan), ...storeText(await storeUseOf(session.config, store))].join('\n'));
  const { currency, amount } = plan.instruction;
  await confirm(kind === 'transfer' ? `Transfer ${currency} ${amount}?` : `Buy ${currency} ${amount}?`, options.yes);
  // Under a policy the workflow accepts only what was signed by its maker for exactly this instruction.
  const digest = payloadDigest(plan.instruction);
  await signAndStore(store, signer, { question: 'make', reference: plan.reference, digest });
  return startAndFollow(session, plan, options);
}

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

async function startAndFollow(session: Session, plan: MovePlan, options: MoveOptions): Promise<ExitCode> {
  const { kind, instruction, by = null, reference, workflowId } = plan;
  const { currency, amount, id } = instruction;
  await session.stack(options.detach ? 'join-staying' : 'join-or-boot');
  await (await session.bank()).authenticate();
  await executionsOver(await session.client()).startPayout({
    workflowId,
    kind,
    reference,
    input: payoutInput({ instruction, batchId: null, by, generation: 0 }),
    summary: `${currency} ${amount}, document ${inMarkdown(id)}`,
  });
  return follow(session, { reference, workflowId, until: options.detach ? 'claimed' : 'at-rest' }, options);
}

/** The same document again: a row without an end is followed, and its workflow started again if it is gone. */
async function followTaken(session: Session, row: PayoutRecord, options: MoveOptions): Promise<ExitCode> {
  const { kind, reference, workflowId, state } = row;
  session.output.say(`This ${kind} is already known and is ${state}.`);
  if (options.detach) return show(session, row, EXIT.completed);
  const client = await session.client();
  if (!(await executionsOver(client).isOpen(workflowId))) await restartPayout(client, row);
  return follow(session, { reference, workflowId, until: 'at-rest' }, options);
}

async function follow(session: Session, followed: FollowedPayout, { timeout, detach }: MoveOptions): Promise<ExitCode> {
  const { row, end } = await followPayout(session, followed, timeout);
  if (end === 'interrupted') {
    session.leaveAtOnce = true;
    session.output.say(`Detached; it continues. \`payouts status ${followed.reference}\` shows it.`);
  }
  if (row === undefined) return end === 'interrupted' ? EXIT.interrupted : EXIT.stillOpen;
  const exit = detach ? EXIT.completed : exitOf(row.state);
  return show(session, row, end === 'interrupted' ? EXIT.interrupted : exit);
}

function exitOf(state: PayoutState): ExitCode {
  if (state === 'completed') return EXIT.completed;
  return isAtRest(state) ? EXIT.exceptions : EXIT.stillOpen;
}

async function show(session: Session, row: PayoutRecord, exit: ExitCode): Promise<ExitCode> {
  await showPayout(session, row.reference);
  return exit;
}
