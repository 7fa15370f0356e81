/** Action of the audit entry about a payload in Temporal that does not count; its `why` is an `Undecodable`. */
export const PAYLOAD_REFUSED = 'payload refused';
