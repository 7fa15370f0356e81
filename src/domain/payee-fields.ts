/** Fields that identify the paid account or its bank. Their order is part of stored keys (`likeness`). */
export const ACCOUNT_FIELDS = [
  ...(['iban_no', 'account_no', 'aba_routing_code', 'bsb', 'sort_code'] as const),
  ...(['swift_code', 'bank_code', 'branch_code'] as const),
] as const;

/** Column names treated as one field; the bank's required-details name the one it wants (interface section 2). */
export const CITY_FIELDS: readonly string[] = ['address_city', 'address_suburb'];

/** Payee fields that the interface names (section 2), and the usual ones of other countries. */
export const USUAL_PAYEE_FIELDS = [
  ...ACCOUNT_FIELDS,
  ...(['account_name', 'first_name', 'last_name', 'company_name', 'mobile', 'region_country'] as const),
  ...(['address_country', 'address_state', 'address_city', 'address_suburb', 'address_postcode'] as const),
  ...(['address_address1', 'address_address2'] as const),
] as const;
