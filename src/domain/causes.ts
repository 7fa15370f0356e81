/** What a connection or a file is used for, as people and settings call it. */
interface Side {
  /** Begins a sentence. */
  what: string;
  /** What names where it is, and what it needs to be let in. */
  address: string;
  access: string;
  /** How to trust a certificate authority of one's own, and how TLS is turned on and off. */
  authority: string;
  tls: string;
}

const OWN_CA = 'NODE_EXTRA_CA_CERTS=FILE, or the CA certificates of this machine with NODE_USE_SYSTEM_CA=1';
const BY_HTTP = { authority: OWN_CA, tls: 'https:// uses TLS, http:// does not' };

export const SIDES = {
  temporal: {
    what: 'Temporal',
    address: 'TEMPORAL_ADDRESS',
    access: 'TEMPORAL_API_KEY or the TLS files, and that they may use the namespace in TEMPORAL_NAMESPACE',
    authority: `TEMPORAL_TLS_SERVER_CA_CERT_PATH=FILE, ${OWN_CA}`,
    tls: 'TEMPORAL_TLS=true uses TLS, TEMPORAL_TLS=false does not; an API key turns it on',
  },
  bank: {
    what: 'The bank',
    address: 'PAYOUTS_API_URL',
    access: 'PAYOUTS_API_KEY, PAYOUTS_API_SECRET and the PAYOUTS_AUTH_* settings',
    ...BY_HTTP,
  },
  store: {
    what: "The store's PostgreSQL",
    address: 'PAYOUTS_STORE_URL',
    access: 'user and password in PAYOUTS_STORE_URL',
    authority: 'sslrootcert=FILE in PAYOUTS_STORE_URL',
    tls: 'sslmode=verify-full in PAYOUTS_STORE_URL uses TLS',
  },
  checks: {
    what: 'The provider of payee checks',
    address: 'PAYOUTS_CHECKS_URL',
    access: 'PAYOUTS_CHECKS_SECRET',
    ...BY_HTTP,
  },
  gateway: {
    what: 'The gateway',
    address: '--gateway or PAYOUTS_GATEWAY_URL',
    access: 'PAYOUTS_GATEWAY_TOKEN or the key of this command',
    ...BY_HTTP,
  },
  'sign-in': {
    what: 'The sign-in provider',
    address: 'PAYOUTS_OIDC_ISSUER',
    access: 'PAYOUTS_OIDC_CLIENT_ID and PAYOUTS_OIDC_CLIENT_SECRET',
    ...BY_HTTP,
  },
  receiver: {
    what: 'The receiver of events',
    address: 'its url in PAYOUTS_EVENTS',
    access: 'its secret in PAYOUTS_EVENTS',
    authority: OWN_CA,
    tls: 'https:// uses TLS',
  },
  files: {
    what: 'A file',
    address: 'the path',
    access: 'the permissions',
    authority: '',
    tls: '',
  },
} as const satisfies Record<string, Side>;

export type SideName = keyof typeof SIDES;

interface Row {
  /** Of which side only; absent: of everything that is connected to. */
  of?: readonly SideName[];
  /** It stays until somebody changes something. */
  isSetUp?: true;
  /** Compared with code, name, message and details of every error in the chain. */
  shape: RegExp;
  /** Goes on after the side and a colon. */
  says: string;
  /** `{address}`, `{access}`, `{authority}` and `{tls}` are replaced by what the side calls them. */
  remedy: string;
}

const NETWORK = ['temporal', 'bank', 'store', 'checks', 'gateway', 'sign-in', 'receiver'] as const;
const HTTP = ['bank', 'checks', 'gateway', 'sign-in', 'receiver'] as const;

/**
 * Codes are those of Node (https://nodejs.org/api/errors.html, https://nodejs.org/api/tls.html#x509-certificate-error-codes), undici,
 * PostgreSQL (https://www.postgresql.org/docs/current/errcodes-appendix.html), SQLite (https://www.sqlite.org/rescode.html) and gRPC;
 * words are those of Temporal's native core (tonic, rustls), which has no codes. The first row that fits counts.
 */
export const CAUSES = {
  // A proxy on the way, before what lies behind it.
  'proxy-unreachable': {
    of: NETWORK,
    shape: /\bPROXY_UNREACHABLE\b/,
    says: 'the proxy on the way to it cannot be reached',
    remedy: 'Check PAYOUTS_PROXY; hosts in NO_PROXY are reached without it.',
  },
  'proxy-authentication': {
    of: NETWORK,
    shape: /\bPROXY_REFUSED_407\b|\b407\b.*(?:proxy|CONNECT)|(?:proxy|CONNECT).*\b407\b/i,
    says: 'the proxy on the way to it wants a name and a password',
    remedy: 'Put them into PAYOUTS_PROXY_FILE: http://NAME:PASSWORD@HOST:PORT, percent-encoded.',
  },
  'proxy-refuses': {
    of: NETWORK,
    shape: /\bPROXY_REFUSED_\d+\b/,
    says: 'the proxy on the way to it does not connect to it',
    remedy: 'Have the proxy allow host and port of {address}, or name the host in NO_PROXY.',
  },

  // What this process brings itself.
  'no-ca-certificates': {
    of: NETWORK,
    isSetUp: true,
    shape: /NativeCertsNotFound|no native root CA certificates/i,
    says: 'this machine has no CA certificates, so that no certificate can be checked',
    remedy: 'Install the package ca-certificates, or name a CA: {authority}.',
  },
  'own-certificate-other-key': {
    of: NETWORK,
    isSetUp: true,
    shape: /KEY_VALUES_MISMATCH|key values mismatch|KeyMismatch|InconsistentKeys/,
    says: 'our own certificate belongs to another key',
    remedy: 'Give a certificate and its own key ({access}).',
  },
  'own-certificate-unusable': {
    of: NETWORK,
    isSetUp: true,
    shape: /ERR_OSSL_|PrivateKeyParseError|CertificateParseError|UnsupportedCertVersion|no start line|bad decrypt/,
    says: 'our own certificate or key, or the CA that is named, cannot be read',
    remedy: 'Give them in PEM form ({access}; {authority}).',
  },
  'key-unsendable': {
    of: NETWORK,
    isSetUp: true,
    shape:
      /invalid (?:metadata|header) (?:value|key)|Metadata string value .* illegal|ERR_INVALID_CHAR|InvalidHeaderValue|InvalidMetadataValue/i,
    says: 'the key has a character that cannot be sent, such as a line end',
    remedy: 'Copy the key again, without line ends, quotes and blanks ({access}).',
  },
  'address-unusable': {
    of: NETWORK,
    isSetUp: true,
    shape: /Invalid address for Temporal|ERR_INVALID_URL|ERR_SOCKET_BAD_PORT|invalid uri|InvalidUri/i,
    says: 'its address cannot be read',
    remedy: 'Write HOST:PORT or a URL, as the setting wants it: {address}.',
  },
  'too-many-open-files': {
    shape: /\bEN?MFILE\b|\bENFILE\b|Too many open files/i,
    says: 'this process may not open another file or connection',
    remedy: 'Raise the limit of open files (ulimit -n, LimitNOFILE=, the limits of the container).',
  },

  // TLS.
  'answers-without-tls': {
    of: NETWORK,
    isSetUp: true,
    shape:
      /WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG|ERR_SSL_HTTP_REQUEST|InvalidContentType|does not support SSL connections|ERR_SSL_UNKNOWN_PROTOCOL|packet length too long|http request/i,
    says: 'it answers without TLS, and TLS is asked for',
    remedy: 'Turn TLS on at its side, or correct the port in {address}: {tls}.',
  },
  'wants-tls': {
    of: NETWORK,
    isSetUp: true,
    shape: /\bWANTS_TLS\b|no encryption|SSL (?:connection )?(?:is )?required|HTTP request to an HTTPS server/i,
    says: 'it wants TLS, and is asked without',
    remedy: 'Turn TLS on, or correct the port in {address}: {tls}.',
  },
  'certificate-expired': {
    of: NETWORK,
    isSetUp: true,
    shape: /CERT_HAS_EXPIRED|InvalidCertificate\(Expired|certificate has expired/i,
    says: "its certificate has expired by this machine's clock",
    remedy: 'Have the certificate renewed; if it is still valid, set the clock of this machine (date -u shows it).',
  },
  'certificate-not-yet-valid': {
    of: NETWORK,
    isSetUp: true,
    shape: /CERT_NOT_YET_VALID|InvalidCertificate\(NotValidYet|certificate is not yet valid/i,
    says: "its certificate is not valid yet by this machine's clock",
    remedy: 'Set the clock of this machine (date -u shows it); if it is right, have the certificate corrected.',
  },
  'certificate-of-another-host': {
    of: NETWORK,
    isSetUp: true,
    shape: /ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH|NotValidForName|does not match certificate's altnames/i,
    says: 'its certificate is for another host name',
    remedy: 'Use the name that the certificate is for in {address}, or have one issued for this name.',
  },
  'certificate-of-unknown-ca': {
    of: NETWORK,
    isSetUp: true,
    shape:
      /SELF_SIGNED_CERT|UNABLE_TO_(?:GET_ISSUER|VERIFY_LEAF)|UnknownIssuer|CERT_UNTRUSTED|CERT_SIGNATURE_FAILURE|INVALID_CA|CaUsedAsEndEntity|self[- ]signed certificate|unable to (?:verify the first|get (?:local )?issuer) certificate/i,
    says: 'its certificate comes from a CA that is not trusted here',
    remedy: 'If it is your own CA (or that of a proxy that opens TLS), trust it: {authority}.',
  },
  'certificate-refused': {
    of: NETWORK,
    isSetUp: true,
    shape: /\bCERT_\w+|InvalidCertificate|ERR_TLS_CERT_|UNABLE_TO_\w+|PATH_LENGTH_EXCEEDED|INVALID_PURPOSE|CRL_\w+/,
    says: 'its certificate is not accepted',
    remedy: 'Have it replaced by one for the host of {address}, of a CA that is trusted here: {authority}.',
  },
  'client-certificate-refused': {
    of: NETWORK,
    isSetUp: true,
    shape:
      /CERTIFICATE_REQUIRED|CertificateRequired|ALERT_(?:BAD_CERTIFICATE|CERTIFICATE_\w+|UNKNOWN_CA|HANDSHAKE_FAILURE|ACCESS_DENIED|UNSUPPORTED_CERTIFICATE)|fatal alert: (?:BadCertificate|Certificate\w+|UnknownCA|HandshakeFailure|AccessDenied)|connection requires a valid client certificate/,
    says: 'it does not accept us without a client certificate, or not with ours',
    remedy: 'Give the certificate and key that it knows ({access}).',
  },
  'tls-version': {
    of: NETWORK,
    isSetUp: true,
    shape: /UNSUPPORTED_PROTOCOL|PROTOCOL_VERSION|ProtocolVersion|ERR_SSL_NO_PROTOCOLS_AVAILABLE|VERSION_TOO_LOW/,
    says: 'it offers no version of TLS from 1.2 on',
    remedy: 'Have TLS 1.2 or 1.3 turned on at its side.',
  },

  // PostgreSQL, by SQLSTATE.
  'too-many-connections': {
    of: ['store'],
    shape:
      /^53300\b|^3D000\b.*too many|too many (?:clients|connections)|remaining connection slots|no more connections allowed/m,
    says: 'it is out of connections',
    remedy: 'Lower PAYOUTS_STORE_CONNECTIONS, or raise max_connections (or the limit of the role or the pooler).',
  },
  'store-pool-busy': {
    of: ['store'],
    shape: /timeout exceeded when trying to connect|STORE_POOL_BUSY/,
    says: 'no connection to it became free in time',
    remedy: 'Raise PAYOUTS_STORE_CONNECTIONS if it has more; else see what keeps it busy (pg_stat_activity).',
  },
  'store-password': {
    of: ['store'],
    isSetUp: true,
    shape: /^28P01\b|^SASL: .*(?:signature|server) /m,
    says: 'it does not accept the user or the password',
    remedy: 'Check {access}. Percent-encode : / ? # @ % in a password: # is %23.',
  },
  'store-no-password': {
    of: ['store'],
    isSetUp: true,
    shape: /SASL: .*client password|no password supplied|empty password/,
    says: 'it wants a password, and there is none',
    remedy: 'Set it in {address}: postgres://USER:PASSWORD@HOST/DATABASE.',
  },
  'store-no-role': {
    of: ['store'],
    isSetUp: true,
    shape: /^28000\b.*role .* does not exist|^28000\b.*not permitted to log in/m,
    says: 'it has no such user, or one that may not log in',
    remedy: 'Correct the user in {address}, or create the roles (ops/postgres/roles.sh).',
  },
  'store-not-let-in': {
    of: ['store'],
    isSetUp: true,
    shape: /^28000\b/m,
    says: 'it does not let this user in from here',
    remedy: "Check the user in {address}, and the server's pg_hba.conf: user, database, address, TLS.",
  },
  'store-no-database': {
    of: ['store'],
    isSetUp: true,
    shape: /^3D000\b/m,
    says: 'it has no such database',
    remedy: 'Correct the name in {address}, or create the database (createdb), owned by the user in it.',
  },
  'store-permission': {
    of: ['store'],
    isSetUp: true,
    shape: /^42501\b/m,
    says: 'it lacks a permission for this user',
    remedy:
      'The roles of the store are in docs/production.md; payouts migrate, run by its owner, grants them what they need.',
  },
  'store-read-only': {
    of: ['store'],
    shape: /^25006\b|read-only transaction|recovery is in progress/m,
    says: 'it is read-only: a standby, or set so',
    remedy: 'Name the primary in {address} (target_session_attrs); check default_transaction_read_only.',
  },
  'store-full': {
    of: ['store'],
    shape: /^53100\b|No space left on device/m,
    says: 'it has no space left on its disk',
    remedy: 'Free space on the disk of its data and its WAL.',
  },
  'store-starting': {
    of: ['store'],
    shape: /^57P03\b/m,
    says: 'it is starting up, recovering or shutting down',
    remedy: 'Wait; if it lasts, its log says why.',
  },
  'store-ended': {
    of: ['store'],
    shape: /^57P0[1245]\b|Connection terminated|connection error and is not queryable|connection has been discarded/m,
    says: 'it closed the connection',
    remedy: 'It is restarted, or a pooler or firewall between closes connections: its log says which.',
  },
  'store-busy': {
    of: ['store'],
    shape: /^(?:53\w{3}|57P\w\w|08\w{3})\b/m,
    says: 'it cannot work for now',
    remedy: 'Its log says which.',
  },
  'store-not-postgres': {
    of: ['store'],
    isSetUp: true,
    shape: /received invalid response|unknown message code|Received unexpected/i,
    says: 'what answers there is not PostgreSQL',
    remedy: 'Correct host and port in {address}.',
  },

  // gRPC.
  'temporal-key-refused': {
    of: ['temporal'],
    isSetUp: true,
    shape: /^16\b|UNAUTHENTICATED|Unauthenticated|does not have valid authentication credentials/m,
    says: 'it does not accept the key',
    remedy: 'Check {access}; a key may have expired or belong to another account.',
  },
  'temporal-not-allowed': {
    of: ['temporal'],
    isSetUp: true,
    shape: /^7\b|PERMISSION_DENIED|PermissionDenied|permission to execute/m,
    says: 'it does not let us in',
    remedy: 'Check {access}.',
  },
  'temporal-no-namespace': {
    of: ['temporal'],
    isSetUp: true,
    shape: /NamespaceNotFound|^5\b.*[Nn]amespace|Namespace \S+ is not found/m,
    says: 'it has no such namespace',
    remedy: 'Correct TEMPORAL_NAMESPACE (in Temporal Cloud it ends with the account: NAME.ACCOUNT), or create it.',
  },
  'temporal-busy': {
    of: ['temporal'],
    shape: /^8\b|RESOURCE_EXHAUSTED/m,
    says: 'it refuses further calls for now, by a limit of the namespace',
    remedy: 'Wait, or have the limit raised (docs/operations.md).',
  },
  'temporal-database': {
    of: ['temporal'],
    shape:
      /no usable database connection|persistence|database is locked|sql: |Error while dialing|connection error: desc/i,
    says: 'it answers, but cannot use its database or another part of its own',
    remedy: "Check the PostgreSQL and the services of Temporal; the server's log says more.",
  },
  'temporal-not-there': {
    of: ['temporal'],
    isSetUp: true,
    shape:
      /^12\b|UNIMPLEMENTED|unknown service|http2 error|Http2, Error|h2 protocol error|ERR_HTTP2_\w+|NGHTTP2_\w+|Received HTTP status code|InvalidH?HttpVersion|HPE_\w+|NO_APPLICATION_PROTOCOL|NoApplicationProtocol/im,
    says: 'what answers there is not Temporal',
    remedy: 'Correct host and port in {address} (7233 is usual; the Web UI has another).',
  },

  // The network.
  'nothing-listens': {
    of: NETWORK,
    shape: /\bECONNREFUSED\b|Connection refused|ConnectionRefused/i,
    says: 'nothing listens there',
    remedy: 'Start it, or correct host and port in {address}.',
  },
  'dns-silent': {
    of: NETWORK,
    shape: /\bEAI_(?:AGAIN|FAIL)\b|\b(?:E?SERVFAIL|ETIMEOUT)\b|Temporary failure in name resolution/,
    says: 'no DNS server answers for its host name',
    remedy:
      'Check the DNS of this machine (/etc/resolv.conf) and the network; a typing error in {address} can look the same.',
  },
  'name-not-found': {
    of: NETWORK,
    shape: /\bENOTFOUND\b|\bENODATA\b|\bEAI_\w+|dns error|Name or service not known|Name resolution failed/,
    says: 'its host name is not known here',
    remedy: 'Correct the name in {address}, or the DNS of this machine.',
  },
  'no-route': {
    of: NETWORK,
    shape: /\bE(?:HOST|NET)UNREACH\b|\bENETDOWN\b|\bEADDRNOTAVAIL\b|No route to host|Network is unreachable/i,
    says: 'no way leads there from this machine',
    remedy:
      'Check network, firewall and network policy (IPv4 or IPv6), and whether only a proxy leads out (PAYOUTS_PROXY).',
  },
  'blocked-here': {
    of: NETWORK,
    shape: /\b(?:EACCES|EPERM)\b/,
    says: 'this machine forbids the connection',
    remedy: 'Check firewall, network policy and the sandbox of the service for {address}.',
  },
  'private-address': {
    of: ['receiver'],
    shape: /PrivateAddress/,
    says: 'its name leads to an address of a private network',
    remedy: 'If it is meant, set privateNetwork for it in PAYOUTS_EVENTS.',
  },

  // HTTP answers.
  'token-missing': {
    of: HTTP,
    shape: /without a token in the expected member|a token that a header cannot carry/,
    says: 'it answers without a usable token where one is expected',
    remedy: 'Correct {address}, or name the member with PAYOUTS_AUTH_TOKEN_FIELD.',
  },
  'token-repeated': {
    of: ['bank'],
    shape: /answers again the token that the bank has refused/,
    says: '/v1/auth answers again the token that the bank has refused; something in between may keep old answers',
    remedy: 'Have the way to {address} examined: no proxy, gateway or cache may keep the answers of /v1/auth.',
  },
  'key-refused': {
    of: HTTP,
    shape: /AuthenticationError|\bHTTP 40[13]\b|refused the key/,
    says: 'it does not accept the key',
    remedy: 'Check {access}; it may also let in known addresses only.',
  },
  redirects: {
    of: HTTP,
    shape: /\bHTTP 3\d\d\b/,
    says: 'it redirects to another address, which is not followed',
    remedy: 'Put the final address into {address}; a login page of the network does this, too.',
  },
  'asks-for-fewer-calls': {
    of: HTTP,
    shape: /\bHTTP 429\b|limit of calls left no room/,
    says: 'calls are limited, and no more are let through for now',
    remedy: 'Wait. PAYOUTS_API_RATE and PAYOUTS_API_RATE_PER_USER are the own limits.',
  },
  'wrong-path': {
    of: HTTP,
    shape: /\bHTTP 4(?:04|05|10)\b/,
    says: 'it does not know this path',
    remedy: 'Correct host and path in {address}.',
  },
  'fails-itself': {
    of: HTTP,
    shape: /\bHTTP 5\d\d\b/,
    says: 'it, or a proxy in front of it, reports an error of its own',
    remedy: 'Wait, and ask those who run it.',
  },
  'answers-something-else': {
    of: HTTP,
    shape:
      /without an envelope|gave no token|not JSON|is not a gateway|does not follow the contract|outside the interface|HPE_\w+|\bHTTP [24]\d\d\b/,
    says: 'what answers there does not speak its interface: a page of a proxy, a login or a maintenance, or another service',
    remedy: 'If it worked before, wait, and ask those who run it; otherwise correct host, port and path in {address}.',
  },
  'tls-failed': {
    of: NETWORK,
    shape: /\bERR_SSL_\w+|\bEPROTO\b|received fatal alert|ERR_TLS_\w+|PeerIncompatible|PeerMisbehaved/,
    says: 'TLS with it fails',
    remedy: 'Check the port in {address}, and what is between: {tls}.',
  },
  silent: {
    of: NETWORK,
    shape:
      /\bETIMEDOUT\b|UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT|TimeoutError|time limit reached|[Tt]imeout ?[Ee]xpired|DEADLINE_EXCEEDED|Deadline exceeded|before the deadline|no token in time|no answer in time|timed out/,
    says: 'it does not answer in time',
    remedy: 'Check {address}, and firewall and proxy on the way, which may drop what they do not let through.',
  },
  'closes-the-connection': {
    of: NETWORK,
    shape:
      /\bECONNRESET\b|\bEPIPE\b|\bECONNABORTED\b|UND_ERR_SOCKET|socket hang up|broken ?pipe|connection (?:reset|closed|ended)|SocketError|incomplete answer|other side closed/i,
    says: 'it closes the connection without an answer',
    remedy: 'Check {address}, whether it wants TLS ({tls}), and firewall and proxy on the way.',
  },

  // Files.
  'disk-full': {
    of: ['files'],
    isSetUp: true,
    shape: /\bENOSPC\b|\bEDQUOT\b|database or disk is full|\bSQLITE_FULL\b/,
    says: 'no space is left on its disk, or its quota is used up',
    remedy: 'Free space there; nothing was lost, run the same command again.',
  },
  'no-permission': {
    of: ['files'],
    isSetUp: true,
    shape: /\bEACCES\b|\bEPERM\b/,
    says: 'this user may not use it',
    remedy:
      'Change owner or permissions of the path and its folders (id shows the user), or set PAYOUTS_HOME elsewhere.',
  },
  'read-only-disk': {
    of: ['files'],
    isSetUp: true,
    shape: /\bEROFS\b|readonly database/,
    says: 'its disk is read-only',
    remedy: 'Mount a volume that can be written, or set PAYOUTS_HOME to a folder on one.',
  },
  'no-file': {
    of: ['files'],
    isSetUp: true,
    shape: /\bENOENT\b|\bENOTDIR\b|unable to open database file/,
    says: 'it is not there, or what stands above it is no folder',
    remedy: 'Check the path.',
  },
  'is-a-folder': {
    of: ['files'],
    isSetUp: true,
    shape: /\bEISDIR\b/,
    says: 'it is a folder',
    remedy: 'Name a file in it.',
  },
  'path-unusable': {
    of: ['files'],
    isSetUp: true,
    shape: /\bENAMETOOLONG\b|\bELOOP\b|\bEEXIST\b|\bENOTEMPTY\b|\bEXDEV\b|\bEINVAL\b/,
    says: 'its path cannot be used',
    remedy: 'Check the path: its length, its links, and what is there already.',
  },
  'disk-fails': {
    of: ['files'],
    isSetUp: true,
    shape: /\bEIO\b|\bESTALE\b|disk I\/O error/,
    says: 'its disk fails',
    remedy: 'Check the disk, or the share that it is on.',
  },
} as const satisfies Record<string, Row>;

export type CauseName = keyof typeof CAUSES;

export interface Cause {
  name: CauseName;
  /** The end of a sentence, without anything of the error but its code. */
  says: string;
  remedy: string;
  /** It stays until somebody changes something. */
  isSetUp: boolean;
}

/** Why something of `side` failed, by an error and those that caused it; undefined if nothing in them says why. */
export function causeOf(error: unknown, side: SideName): Cause | undefined {
  const texts = chainOf(error).map(textOf);
  const rows = Object.entries<Row>(CAUSES);
  const [name, row] =
    rows.find(([, { of, shape }]) => (of ?? [side]).includes(side) && texts.some((it) => shape.test(it))) ?? [];
  if (name === undefined || row === undefined) return undefined;
  return { name: name as CauseName, says: row.says, remedy: remedyFor(row, side), isSetUp: row.isSetUp === true };
}

/** A remedy in the words of a side. */
const remedyFor = ({ remedy }: Row, side: SideName): string =>
  remedy.replace(/\{(address|access|authority|tls)\}/g, (_, name: keyof Side) => SIDES[side][name]);

/** The text for people: a sentence, and what to do. `at`: where it was searched for. */
export function causeInWords(error: unknown, side: SideName, at = ''): { message: string; hint: string } | undefined {
  const cause = causeOf(error, side);
  if (cause === undefined) return undefined;
  const subject = side === 'files' && at !== '' ? at : `${SIDES[side].what}${at && ` at ${at}`}`;
  return { message: `${subject} cannot be used: ${cause.says}${codeShown(error)}.`, hint: cause.remedy };
}

/** For those who search for it: a code says nothing of what was sent. */
function codeShown(error: unknown): string {
  const code = chainOf(error).flatMap(({ code }) => (typeof code === 'string' && CODE.test(code) ? [code] : []))[0];
  const inWords = chainOf(error).flatMap(({ message }) => CODE_IN_WORDS.exec(`${message}`)?.[1] ?? [])[0];
  const shown = code ?? inWords;
  return shown === undefined ? '' : ` (${shown})`;
}

const CODE = /^(?:[A-Z][A-Z0-9_]{3,50}|[0-9][0-9A-Z]{4})$/;
const CODE_IN_WORDS = /\((E[A-Z_]{3,50}|UND_ERR_\w+|[A-Z]+_[A-Z0-9_]+|HTTP \d{3})\b/;

interface Link {
  code?: unknown;
  name?: unknown;
  message?: unknown;
  details?: unknown;
  cause?: unknown;
  errors?: unknown;
}

const LINKS_MAX = 20;

/** The error, what caused it, and those that it sums up. */
function chainOf(error: unknown): Link[] {
  const found: Link[] = [];
  const waiting: unknown[] = [error];
  while (waiting.length > 0 && found.length < LINKS_MAX) {
    const next = waiting.shift();
    if (typeof next !== 'object' || next === null || found.includes(next as Link)) continue;
    const link = next as Link;
    found.push(link);
    waiting.push(link.cause, ...(Array.isArray(link.errors) ? link.errors : []));
  }
  return found;
}

/** Code and message begin a line, so that a row can ask for them alone. */
const textOf = ({ code, name, message, details }: Link): string =>
  `${code ?? ''} ${name}: ${message}\n${message}\n${details ?? ''}`;
