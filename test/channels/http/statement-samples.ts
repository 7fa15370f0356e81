/** A statement of one account that payouts are made from, with what a test has the bank book; amounts as MT940 writes them. */
export function mt940Of(
  lines: readonly string[],
  { opening = '1000,00', closing = '1000,00', account = 'acc-u1001-usd' } = {},
): string {
  return [
    ...[':20:STARTUMS', `:25:${account}`, ':28C:7/1', `:60F:C260312USD${opening}`],
    ...lines.flatMap((line, index) => [`:61:2603120312${line}NONREF//BK${index}`, ':86:166?20SVWZ+no payout of ours']),
    ...[`:62F:C260312USD${closing}`, '-'],
  ].join('\r\n');
}

/** A debit and a credit that belong to no payout. */
export const UNEXPLAINED = mt940Of(['D77,70NTRF', 'C7,70NTRF'], { closing: '930,00' });
