import tls from 'node:tls';

/**
 * No connection of this process, in either direction, uses less than TLS 1.2, despite any NODE_OPTIONS: the bank's (undici),
 * PostgreSQL's, Temporal's client, the gateway. Temporal's native core has no older version.
 */
tls.DEFAULT_MIN_VERSION = 'TLSv1.2';
