import { may, type Policy, personOf, type Touches } from '../domain/authority.ts';
import type { ApprovalRule } from '../domain/policy.ts';
import { Problem } from '../domain/problem.ts';

const MAKER_UNKNOWN = 'maker-unknown';
const OUTSIDE_SCOPE = 'outside-scope';

/** Who may hand payouts over, as the configuration says it. */
export interface MakerRules {
  /** Where no policy is set. */
  approvalRules: readonly ApprovalRule[];
  policy?: Policy;
}

/** Throws a `Problem` where nobody, or nobody who may, hands payouts over. `by` has been proven at the door where a policy is set. */
export function assertMaker({ approvalRules, policy }: MakerRules, by: string | undefined): void {
  if (policy !== undefined && may(personOf(policy, by ?? null), 'make')) return;
  if (policy !== undefined) {
    throw new Problem('forbidden', MAKER_UNKNOWN, 'Only makers named in the policy may submit payouts.', {
      hint: "Sign with the key of a maker: --key FILE, or PAYOUTS_SIGNING_KEY_FILE. Over HTTP, use a maker's token.",
    });
  }
  // With approval rules nobody can be told apart from an unknown maker: payouts without one could never be approved.
  if (approvalRules.length === 0 || by !== undefined) return;
  const hint = 'Add --by NAME; over HTTP by=NAME, or use a token with a name.';
  throw new Problem('usage', MAKER_UNKNOWN, 'The approval policy requires the name of the maker.', { hint });
}

/**
 * The same of files from a drop folder, which nobody hands over in person: with a policy they belong to whom the configuration
 * names, whoever else is named beside them.
 */
export function assertFolderMaker(
  rules: MakerRules,
  { folderMaker, by }: { folderMaker: string | undefined; by: string | undefined },
): void {
  if (rules.policy === undefined) {
    assertMaker(rules, by);
    return;
  }
  if (may(personOf(rules.policy, folderMaker ?? null), 'make')) return;
  throw new Problem('set-up', MAKER_UNKNOWN, 'The policy requires a maker for the files of drop folders.', {
    hint: 'Set PAYOUTS_FOLDER_MAKER to a maker of the policy, for the workers too.',
  });
}

/** Throws a `Problem` for the first row that the policy does not let its maker hand over. Rows count from 1. */
export function assertScope(
  { policy }: MakerRules,
  by: string | undefined,
  rows: Iterable<{ row: number; touched: Touches }>,
): void {
  if (policy === undefined) return;
  const person = personOf(policy, by ?? null);
  for (const { row, touched } of rows) {
    if (may(person, 'make', touched)) continue;
    throw new Problem('forbidden', OUTSIDE_SCOPE, `Row ${row} is outside the scope of ${by} in the policy.`, {
      hint: 'Submit only rows within your scope, or have the policy changed. Nothing was sent.',
    });
  }
}

/** No file is at fault: whoever ordered it to be taken left the name out. */
export const isMakerUnknown = (error: unknown): boolean => error instanceof Problem && error.code === MAKER_UNKNOWN;

/** A row that its maker may not hand over: the same file is refused again until the policy is another one. */
export const isOutsideScope = (error: unknown): error is Problem =>
  error instanceof Problem && error.code === OUTSIDE_SCOPE;
