import type { Assessment } from '../../../src/domain/gates.ts';
import { approvalDigest } from '../../../src/domain/identity.ts';
import type { PayoutState } from '../../../src/domain/payout-state.ts';
import { asPayee, signedParts } from '../../../src/people/decisions/asked.ts';
import type { PayoutRecord } from '../../../src/store/store.ts';
import { csvOf, type Row } from '../../e2e/payout-files.ts';
import type { RunningGateway } from '../http/running-gateway.ts';

/** Claims rows as a maker's, in the order of the file. */
export async function claimed(
  { proxy, app, uploads }: RunningGateway,
  rows: readonly Row[],
  by: string,
): Promise<[PayoutRecord, ...PayoutRecord[]]> {
  const { mkdir, writeFile } = await import('node:fs/promises');
  const { takeFile } = await import('../../../src/files/intake/take-file.ts');
  await mkdir(uploads, { recursive: true });
  const path = `${uploads}/payroll-${Date.now()}.csv`;
  await writeFile(path, csvOf(rows));
  const taking = await takeFile({ ...proxy, config: { ...proxy.config, settings: app.settings } }, path, {
    invalid: 'stop',
    by,
    maker: by,
    allowLookAlikes: true,
  });
  if (taking instanceof Error) throw taking;
  if (taking.outcome !== 'claimed') throw new Error(`the rows are ${taking.outcome}`);
  return (await Array.fromAsync(proxy.store.rows(taking.batchId))) as [PayoutRecord, ...PayoutRecord[]];
}

/** Has a row ask people, as its workflow does when it has read the bank. */
export async function asking(
  { proxy, app }: RunningGateway,
  row: PayoutRecord,
  { state = 'awaiting-approval', ...more }: Partial<Assessment> & { state?: PayoutState } = {},
): Promise<string> {
  const { beneficiary_id: id, account_id: payingAccountId } = row.instruction;
  const payee = id === undefined ? undefined : await app.bank.beneficiaries.get(id);
  const digest = approvalDigest(
    signedParts(row, { payee: payee && asPayee(payee), payingAccountId }, app.settings.terms),
  );
  const assessed: Assessment = {
    beneficiary: payee === undefined ? { known: false } : { known: true, id: payee.id, digest: 'shown' },
    payingAccountId,
    fee: '1.20',
    feeCurrency: row.instruction.currency,
    digest,
    approvalsNeeded: 2,
    approvedFirst: true,
    ...more,
  };
  const { reference, term } = row;
  await proxy.store.recordAssessment(
    { reference, term } as Parameters<typeof proxy.store.recordAssessment>[0],
    assessed,
    Date.now(),
  );
  const reason = { code: 'approval-needed', message: 'two people must approve it' };
  await proxy.store.changePayout(reference, { state, reason, at: Date.now() });
  await proxy.store.markReleased([reference], Date.now());
  return digest;
}
