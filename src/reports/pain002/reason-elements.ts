import type { TransactionFacts } from '../../domain/bank-message.ts';
import { asWritten, element, leaf, textLines } from '../xml-text.ts';
import { elementOfCode, fileCodeOf, findingCodeOf, reasonCodeOf, VERIFICATION_CODES } from './iso-reasons.ts';
import { isRefused, type RefusalAnswer, type Superseded } from './status-report.ts';
import type { TransactionStatus } from './transaction-status.ts';

/** `StsRsnInf`: a code of the external list, and an explanation in lines, which contain no values of a row. */

/** The most reasons for a file or row; a final one says how many more there are. */
const REASONS_MAX = 100;

const UNPAID_WITH_OTHERS = 'the file was refused because of other transactions';

/** Why a transaction is refused or waits; also an order id that is too long for `AcctSvcrRef` (35). */
export function transactionReason(facts: TransactionFacts, status: TransactionStatus): string {
  if (isRefused(facts)) {
    if (facts.findings.length === 0) return statusReason('NARR', UNPAID_WITH_OTHERS);
    return listed(facts.findings, (finding) =>
      statusReason(findingCodeOf(finding), `${finding.column ?? 'row'}: ${finding.rule}: ${finding.message}`),
    );
  }
  const { reason, orderId, verification } = facts;
  const isTold = reason !== null && (status === 'RJCT' || status === 'PDNG');
  const code = isTold ? reasonCodeOf(reason.code) : undefined;
  const told = isTold ? statusReason(code, `${reason.code}: ${reason.message}`) : '';
  const verified = verification === undefined ? undefined : VERIFICATION_CODES[verification];
  // Added to any other reason, unless it is the same.
  const payee =
    verified === undefined || verified === code ? '' : statusReason(verified, `payee verification: ${verification}`);
  const order = orderId !== null && asWritten(orderId) === undefined ? statusReason(undefined, `order ${orderId}`) : '';
  return told + payee + order;
}

/** Which answer this one supersedes: a pain.002 has no element for that. */
export const supersession = ({ version, messageId }: Superseded): string =>
  statusReason(undefined, `version ${version} of this answer: supersedes ${messageId}; lists the changes since`);

/** Why a file is refused: first what is wrong with the whole file, then its rows. */
export function fileRefusal(findings: RefusalAnswer['findings']): string {
  const about = (whole: boolean) => findings.filter(({ row }) => (row === null) === whole);
  return listed([...about(true), ...about(false)], (finding) => {
    const code = finding.row === null ? fileCodeOf(finding.rule) : findingCodeOf(finding);
    return statusReason(code, `line ${finding.line}: ${finding.rule}: ${finding.message}`);
  });
}

function listed<T>(items: readonly T[], told: (item: T) => string): string {
  const more = items.length - REASONS_MAX;
  const rest = more > 0 ? statusReason('NARR', `${more} more findings are not listed; correct these first`) : '';
  return items.slice(0, REASONS_MAX).map(told).join('') + rest;
}

const statusReason = (code: string | undefined, story: string): string =>
  element(
    'StsRsnInf',
    element('Rsn', leaf(elementOfCode(code), code)),
    ...textLines(story).map((line) => leaf('AddtlInf', line)),
  );
