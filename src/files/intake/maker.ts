import { may, type Policy, personOf, type ScopeFacts } from '../../domain/authority.ts';
import type { ApprovalRule } from '../../domain/policy.ts';
import { Problem } from '../../domain/problem.ts';

const MAKER_UNKNOWN = 'maker-unknown';
const OUTSIDE_SCOPE = 'outside-scope';

/** Who may hand payouts over, by the configuration. */
export interface MakerRules {
  /** Used without a policy. */
  approvalRules: readonly ApprovalRule[];
  policy?: Policy;
}

/**
 * Throws a `Problem` if a maker is required and missing, or may not hand payouts over. Under a policy, `by` has been proven at
 * the channel.
 */
export function assertMaker({ approvalRules, policy }: MakerRules, by: string | undefined): void {
  if (policy !== undefined && may(personOf(policy, by ?? null), 'make')) return;
  if (policy !== undefined) {
    throw new Problem('forbidden', MAKER_UNKNOWN, 'Only makers named in the policy may submit payouts.', {
      hint: "Sign with the key of a maker: --key FILE, or PAYOUTS_SIGNING_KEY_FILE. Over HTTP, use a maker's token.",
    });
  }
  // With approval rules, anybody could be the unknown maker, so payouts without one could never be approved.
  if (approvalRules.length === 0 || by !== undefined) return;
  const hint = 'Add --by NAME; over HTTP by=NAME, or use a token with a name.';
  throw new Problem('usage', MAKER_UNKNOWN, 'The approval policy requires the name of the maker.', { hint });
}

/**
 * The same for a drop folder, where nobody hands files over in person: under a policy, the maker is the one in the configuration,
 * for any other name given.
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

/** Throws a `Problem` for the first row that is outside its maker's scope. `row`: its number from 1, or what it is. */
export function assertScope(
  { policy }: MakerRules,
  by: string | undefined,
  rows: Iterable<{ row: number | string; touched: ScopeFacts }>,
): void {
  if (policy === undefined) return;
  const person = personOf(policy, by ?? null);
  for (const { row, touched } of rows) {
    if (may(person, 'make', touched)) continue;
    const named = typeof row === 'number' ? `Row ${row}` : row;
    throw new Problem('forbidden', OUTSIDE_SCOPE, `${named} is outside the scope of ${by} in the policy.`, {
      hint: 'Submit only rows within your scope, or have the policy changed. Nothing was sent.',
    });
  }
}

/** Not the file's fault: the caller did not give the name. */
export const isMakerUnknown = (error: unknown): boolean => error instanceof Problem && error.code === MAKER_UNKNOWN;

/** A row outside its maker's scope: the file will be refused until the policy changes. */
export const isOutsideScope = (error: unknown): error is Problem =>
  error instanceof Problem && error.code === OUTSIDE_SCOPE;
