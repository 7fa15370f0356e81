const IBAN = /^[A-Za-z]{2}\d{2}[A-Za-z0-9]{1,30}$/;
const MAIN_OFFICE = /^(.{8})XXX$/;

/** Key for comparing accounts: without blanks, and an IBAN in upper case. */
export function accountKey(account: string): string {
  const compact = account.replace(/\s+/g, '');
  return IBAN.test(compact) ? compact.toUpperCase() : compact;
}

/** Key for comparing banks, by BIC or clearing member: a BIC of eight characters equals the one with `XXX`, the main office. */
export function bankKey(bank: string): string {
  return bank.replace(/\s+/g, '').toUpperCase().replace(MAIN_OFFICE, '$1');
}
