import { isLoopback } from '../domain/loopback.ts';

/** Where a `verify_url` may lead. Browsers of cardholders go there; the product itself never fetches it. */
export interface UrlRule {
  /** Hosts in lower case, with a port if it matters; undefined: any. */
  hosts: readonly string[] | undefined;
  /** Accept http on this machine, as the acquirer is there too. */
  onThisMachine: boolean;
}

/** The normalised URL; null if refused: not https, another host, or with credentials. */
export function acceptedUrl(text: string, { hosts, onThisMachine }: UrlRule): string | null {
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '') return null;
  if (hosts !== undefined && !hosts.includes(url.hostname) && !hosts.includes(url.host)) return null;
  const secure = url.protocol === 'https:' || (url.protocol === 'http:' && onThisMachine && isLoopback(url.hostname));
  return secure ? url.href : null;
}
