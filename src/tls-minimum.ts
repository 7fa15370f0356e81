import tls from 'node:tls';

/**
 * No connection of this process goes below TLS 1.2, made or taken, whatever NODE_OPTIONS says: the bank's (undici),
 * PostgreSQL's, Temporal's client, the gateway. Temporal's native core has no older version to offer.
 */
tls.DEFAULT_MIN_VERSION = 'TLSv1.2';
