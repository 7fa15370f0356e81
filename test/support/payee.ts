/** Fields of a payee of USD personal, local, but for its account number: nobody's real details. */
export const PAYEE_FIELDS = {
  beneficiary_type: 'personal',
  payment_type: 'local',
  account_name: 'Test Payee',
  first_name: 'Test',
  last_name: 'Payee',
  mobile: '+10000000000',
  region_country: 'US',
  aba_routing_code: '000000001',
  address_country: 'US',
  address_state: 'Test State',
  address_city: 'Test City',
  address_address1: '1 Test Street',
};
