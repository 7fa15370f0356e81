import { Problem } from '../domain/problem.ts';

const MAKER_UNKNOWN = 'maker-unknown';

/** With an approval policy nobody can be told apart from an unknown maker: payouts without one could never be approved. */
export function assertMaker(rules: readonly unknown[], by: string | undefined): void {
  if (rules.length === 0 || by !== undefined) return;
  const hint = 'Add --by NAME; over HTTP by=NAME, or use a token with a name.';
  throw new Problem('usage', MAKER_UNKNOWN, 'The approval policy needs to know who asks for these payouts.', { hint });
}

/** No file is at fault: whoever ordered it to be taken left the name out. */
export const isMakerUnknown = (error: unknown): boolean => error instanceof Problem && error.code === MAKER_UNKNOWN;
