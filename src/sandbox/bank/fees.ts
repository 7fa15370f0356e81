/**
 * Fees in minor units, whatever the currency (15.00 USD, 1500 JPY); their size is not shown by the interface. Always in
 * the currency of the paying account, on top of the amount. Exchanges are free, for they earn by their rate; what a transfer
 * costs is in the profile.
 */
const SWIFT_FEE = 1_500n;
const LOCAL_FEE = 100n;

export function paymentFeeOf(paymentType: string): bigint {
  return paymentType === 'swift' ? SWIFT_FEE : LOCAL_FEE;
}

export const EXCHANGE_FEE = 0n;
