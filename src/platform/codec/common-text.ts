/**
 * What payloads have in common, as the dictionary of their compression: a payload of 200 bytes has little of its own to repeat.
 * It is part of the format: any other text, even one byte longer, leaves the payloads of stored histories unreadable.
 */
export const COMMON: Buffer = Buffer.from(
  [
    '{"accepted":true,"message":"',
    '{"by":"","reason":"","note":"","evidence":"","decisionId":"","action":"resolve"}',
    '{"kind":"ended","reference":"","merchant_request_id":"","paymentId":"","status":"SUCCEEDED","cardPayment"',
    '{"batchId":"","total":0,"window":50,"afterRow":0,"canary":null,"control":"running","uid":"","row":1}',
    '"reads the order itself if nothing is reported""searches for the order of this reference""pays EUR 0.00, attempt 1"',
    '{"reference":"","orderId":"ord-","status":"COMPLETED","stage":"paid"}',
    '{"meaning":"paid","stage":"paid","status":"PROCESSING","orderId":"","differences":[],"fee":"0.00","feeCurrency":"EUR","expiredAt":1}',
    '{"kind":"ready","claim":{"storeId":"","reference":"","term":1},"maker":null,"terms":{"waits":{"patienceMs":86400000,',
    '"fundsPatienceMs":86400000,"approvalTtlMs":259200000,"lateCommitMs":600000,"listLagMs":120000,"noMoneyRecheckMs":60000,',
    '"statusAgeLimitMs":259200000,"lookAgainMs":5000,"lookAgainMaxMs":300000},"referenceDedupe":"assumed",',
    '"closedMeans":"unclear","auditTtlMs":259200000,"maxSlippage":"0.01"},"payment":{"reference":""},"exchange":{"reference":""},',
    '"parked":null,"assessment":{"beneficiary":{"known":true,"id":"","digest":""},"payingAccountId":"","fee":"0.00",',
    '"feeCurrency":"USD","digest":"","approvalsNeeded":0,"flags":["first-payment"],"funds":{"accountId":"","needs":"","enough":true}}}',
    '"claims the payout and reads the bank"',
    '{"reference":"","state":"completed","reason":null,"orderId":"","fee":"0.00","feeCurrency":"',
    '{"claim":{"storeId":"","reference":"","term":1},"attempt":1,"look":{"closedMeans":"unclear"}}',
    '{"id":"","uid":"","account_id":"","amount":"0.00","currency":"EUR","batchId":"","by":"',
    '{"outcome":"accepted","orderId":"',
    '\n\u0016\n\bencoding\u0012\njson/plain\u0012',
  ].join(''),
);
