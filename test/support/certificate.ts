import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
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

const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
const openssl = (folder: string, ...words: string[]) =>
  execFileSync('openssl', words, { cwd: folder, stdio: 'ignore' });

/** Makes a certificate authority, `ca.pem`, whose key stays in the folder. */
export function makeAuthority(folder: string): string {
  openssl(
    folder,
    'req',
    '-x509',
    ...EC,
    '-days',
    '2',
    '-subj',
    '/CN=CA of tests',
    '-out',
    'ca.pem',
    '-keyout',
    'ca.key',
  );
  return join(folder, 'ca.pem');
}

/** A certificate of that authority for `san`; with `days` below 0 one that has expired. */
export function issueCertificate(folder: string, name: string, san: string, days = 1): CertificateFiles {
  const [csr, ext] = [`${name}.csr`, `${name}.ext`];
  writeFileSync(join(folder, ext), `subjectAltName=${san}\n`);
  openssl(folder, 'req', ...EC, '-subj', `/CN=${name}`, '-out', csr, '-keyout', `${name}.key`);
  openssl(
    folder,
    ...['x509', '-req', '-in', csr, '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', `${days}`],
    ...['-extfile', ext, '-out', `${name}.pem`],
  );
  return { cert: join(folder, `${name}.pem`), key: join(folder, `${name}.key`) };
}
