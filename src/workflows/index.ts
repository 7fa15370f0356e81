/** The workflow types of this product, by name. Export nothing else: every export can be started as a workflow. */
export { cardPayment } from './card-payment.ts';
export { folderScan } from './folder-scan.ts';
export { orderWatch } from './order-watch.ts';
export { currencyExchange, internalTransfer, payout } from './payout.ts';
export { payoutBatch } from './payout-batch.ts';
export { payoutCall } from './payout-call.ts';
export { reconciliation } from './reconciliation.ts';
