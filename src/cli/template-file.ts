import type { RequiredDetailsEntry } from '../bank/schemas/beneficiaries.ts';
import { OFFER } from '../channels/http/operations/bank-operations.ts';
import { widthOf } from '../domain/display.ts';
import type { Finding } from '../domain/finding.ts';
import { Problem } from '../domain/problem.ts';
import { whyUnreadable } from '../files/input.ts';
import type { MessageContext } from '../files/messages/message-context.ts';
import { type MessageFiles, messageContextOf } from '../files/messages/message-context.ts';
import { MESSAGE_NAMES, readInstructions } from '../files/read-file.ts';
import {
  csvTemplate,
  fieldsWithoutSample,
  jsonTemplate,
  type Lacking,
  MessageParties,
  messageTemplate,
  type TemplateIds,
  templateIds,
  templateRows,
  xlsxTemplate,
} from '../files/template/template.ts';
import { bankOffer, offerIn } from '../platform/open-bank.ts';
import type { TemplateKind } from './command.ts';
import { shellWord, table } from './output.ts';
import type { Session } from './session.ts';
import { withValidationBank } from './validation-bank.ts';

/** `payouts template [KIND]`: a file to fill in, which passes validation unchanged at the bank it is for. */
export async function template(
  session: Session,
  kind: TemplateKind,
  { currency, from, ...files }: MessageFiles & { currency?: string; from?: string },
): Promise<void> {
  if (from !== undefined) return fromMessage(session, kind, from, files);
  const entries = await offerOf(session, currency);
  const missing = fieldsWithoutSample(entries);
  if (missing.length > 0)
    session.output.say(`No sample value matches the bank's rule for ${missing.join(', ')}; fill it in.`);
  if (kind === 'xlsx') return session.output.bytes(xlsxTemplate(templateRows(entries, idsOf(session)), entries));
  const text = textOf(kind, entries, idsOf(session));
  session.output.result({ template: kind, text }, text);
}

/**
 * A template of the file that completes a given bank message. It shows accounts and payees unmasked, since its reader pays them.
 */
async function fromMessage(session: Session, kind: TemplateKind, from: string, files: MessageFiles): Promise<void> {
  if (kind !== 'mapping' && kind !== 'payees') {
    throw new Problem('usage', 'no-template-from', 'Only mapping and payees can be made from a bank message.', {
      hint: `payouts template mapping --from ${shellWord(from)}`,
    });
  }
  // It reads accounts and payees of a message in clear, and completes it with files of this machine.
  session.assertInPlace();
  const context = await messageContextOf(session.config, files, Date.now());
  const parties = await messageParties(from, context);
  const entries = await withValidationBank(session, (bank) => offerIn(bank, parties.currencies));
  const text =
    kind === 'mapping' ? parties.mapping(context.mapping, idsOf(session), entries) : parties.directory(entries);
  if (kind === 'payees') session.output.say(toFillIn(parties.lacking(entries)));
  session.output.result({ template: kind, text }, text);
}

/** Payees that are named of a group; the directory has them all. */
const NAMED_MAX = 3;

/** All that somebody has to fill in, so that nothing is asked for in a second round. */
function toFillIn(groups: readonly Lacking[]): string {
  if (groups.length === 0) return 'Nothing has to be filled in.';
  const rows = groups.flatMap(({ payees, columns }) => {
    const named = payees.slice(0, NAMED_MAX).map(({ name, account }) => `${name} ${account}`.trim());
    const more = payees.length > NAMED_MAX ? [`${payees.length - NAMED_MAX} more`] : [];
    const who = [...named, ...more].join(', ');
    const lines = Object.entries(columns);
    return lines.map(([type, names]) => [
      who,
      lines.length > 1 ? `if ${type}` : type,
      names.join(', ') || 'nothing more',
    ]);
  });
  return `To fill in:\n${table(['payees', 'type', 'columns'], rows, widthOf(process.stderr))}`;
}

function textOf(kind: Exclude<TemplateKind, 'xlsx'>, entries: RequiredDetailsEntry[], ids: TemplateIds): string {
  if (kind === 'csv') return csvTemplate(templateRows(entries, ids), entries);
  if (kind === 'json') return jsonTemplate(templateRows(entries, ids));
  return messageTemplate(entries, ids, new Date())[kind === 'pain.001' ? 'pain001' : kind];
}

const idsOf = ({ config }: Session): TemplateIds => templateIds(config.bank.kind === 'sandbox');

/** Debtors and creditors of a bank message. Throws a `Problem` if the file is not a bank message or cannot be read. */
async function messageParties(path: string, context: MessageContext): Promise<MessageParties> {
  const parties = new MessageParties();
  const findings: Finding[] = [];
  const ignore = (): void => {};
  const sink = {
    row: ignore,
    column: ignore,
    warning: ignore,
    message: ignore,
    finding: (finding: Finding) => {
      if (finding.row === null) findings.push(finding);
    },
  };
  const seen: MessageContext['seen'] = (...seen) => parties.take(...seen);
  await readInstructions(path, sink, { ...context, seen }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === undefined) throw error;
    throw new Problem('usage', 'file-unreadable', `${path} ${whyUnreadable(error)}.`, {
      hint: `Name an existing bank message: ${MESSAGE_NAMES}.`,
    });
  });
  if (findings.length === 0 && !parties.isEmpty) return parties;
  throw new Problem('invalid-input', 'no-bank-message', 'The file is not a complete, readable bank message.', {
    hint: `Name a ${MESSAGE_NAMES} file; payouts validate FILE shows what is wrong with it.`,
    findings,
  });
}

/** What the bank asks for of payees, in one currency or in all that the institution holds. */
export async function offerOf(session: Session, currency: string | undefined): Promise<RequiredDetailsEntry[]> {
  if (session.gateway !== undefined) return (await session.ask(OFFER, { currency })).entries;
  return withValidationBank(session, (bank) => bankOffer(bank, currency));
}
