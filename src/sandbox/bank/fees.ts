/**
 * Fees in minor units, the same in every currency (15.00 USD, 1500 JPY); the interface shows none. Always in the currency of the
 * paying account and on top of the amount. Exchanges are free, since the rate earns; the cost of transfers is in the profile.
 */
const SWIFT_FEE = 1_500n;
const LOCAL_FEE = 100n;

export function paymentFeeOf(paymentType: string): bigint {
  return paymentType === 'swift' ? SWIFT_FEE : LOCAL_FEE;
}

export const EXCHANGE_FEE = 0n;
