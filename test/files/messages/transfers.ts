import type { CreditTransfer } from '../../../src/files/credit-transfer.ts';
import { EMPTY_MAPPING, type MessageMapping } from '../../../src/files/messages/mapping.ts';
import type { MessageContext } from '../../../src/files/messages/message-context.ts';
import { type Entry, PayeeDirectory } from '../../../src/files/messages/payee-directory.ts';

const DEBTOR = 'DE00SAMPLE0000000001';

/** The rule of structured addresses is in force. */
export const DAYS = { structuredAddressesFrom: '2026-11-14', today: '2026-11-22' };

export function transfer(own: Partial<CreditTransfer> = {}): CreditTransfer {
  return {
    row: 1,
    line: 7,
    id: 'INV-1',
    debtorAccount: DEBTOR,
    amount: '10.00',
    currency: 'EUR',
    service: {},
    creditor: { name: 'Sample Metals', iban: 'FR25SAMPLE0000004714', bic: 'SAMPFRPP' },
    original: { payment: 0, endToEndId: 'INV-1', amount: '10.00', currency: 'EUR' },
    ...own,
  };
}

export const mapping = (own: Partial<MessageMapping> = {}): MessageMapping => ({
  ...EMPTY_MAPPING,
  accounts: new Map([[DEBTOR, { uid: 'u-1', account_id: 'acc-1' }]]),
  beneficiaryType: 'business',
  ...own,
});

export function directory(...entries: readonly (Entry & { account: string })[]): PayeeDirectory {
  const payees = new PayeeDirectory();
  for (const { account, ...entry } of entries) payees.add(account, entry);
  return payees;
}

export const contextOf = (own: Partial<MessageContext> = {}): MessageContext => ({
  mapping: mapping(),
  payees: directory(),
  ...DAYS,
  ...own,
});
