export const WHAT_AN_ID_IS =
  'An ID is a batch id, a reference, a workflow id, an order id, a document id, an unambiguous prefix of one of these (at least 4 characters), or `latest` for the newest batch.';
