const IBAN = /^[A-Za-z]{2}\d{2}[A-Za-z0-9]{1,30}$/;
const MAIN_OFFICE = /^(.{8})XXX$/;

/** An account as it is compared: blanks carry nothing, and an IBAN has no letter case. */
export function accountKey(account: string): string {
  const compact = account.replace(/\s+/g, '');
  return IBAN.test(compact) ? compact.toUpperCase() : compact;
}

/** A bank as it is compared, by BIC or clearing member: a BIC of eight characters is the main office, `XXX`. */
export function bankKey(bank: string): string {
  return bank.replace(/\s+/g, '').toUpperCase().replace(MAIN_OFFICE, '$1');
}
