/** Texts that people give in a message to a workflow: they are stored, and shown in terminals and on pages. */

const NAME_LENGTH_MAX = 200;
const TEXT_LENGTH_MAX = 2_000;

/** PostgreSQL keeps no NUL: what took one in could never write down who decided. The others steer a terminal. */
const CONTROLS = /[^\P{Cc}\n\r\t]/u;

/** Why a message cannot be taken in with this text, e.g. `"by" is missing`; undefined if it can. */
export function textProblem(member: string, text: unknown, most = TEXT_LENGTH_MAX): string | undefined {
  if (typeof text !== 'string' || text.trim() === '') return `"${member}" is missing`;
  if (text.length > most) return `"${member}" has more than ${most} characters`;
  return CONTROLS.test(text) ? `"${member}" has control characters` : undefined;
}

/** The same for the name of whoever gives it. */
export const nameProblem = (by: unknown): string | undefined => textProblem('by', by, NAME_LENGTH_MAX);

/** The same for a text that may be left out. */
export const noteProblem = (member: string, text: unknown): string | undefined =>
  text === undefined || text === null || text === '' ? undefined : textProblem(member, text);
