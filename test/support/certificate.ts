import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

export interface CertificateFiles {
  cert: string;
  key: string;
}

/** A certificate of 127.0.0.1 for a day and its key, which sign themselves; made by `openssl`, which must be there. */
export function makeCertificate(folder: string, name = 'gateway'): CertificateFiles {
  const files = { cert: join(folder, `${name}.pem`), key: join(folder, `${name}.key`) };
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'],
      ...['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1', '-out', files.cert, '-keyout', files.key],
    ],
    { stdio: 'ignore' },
  );
  return files;
}
