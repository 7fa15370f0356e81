import { askedOnce } from '../checks/asked-once.ts';
import { httpProvider } from '../checks/http-provider.ts';
import type { Config } from '../config.ts';
import type { PayeeChecks } from '../services/payee-checks.ts';

/** Who is asked about payees: the configured provider, or that of this stack's sandbox. Undefined: nobody. */
export function payeeChecks({ checks, bank }: Config, apiUrl: string): PayeeChecks | undefined {
  if (checks === undefined) return undefined;
  const { provider, timeoutMs, maxAgeMs, verifiedCurrencies } = checks;
  const at =
    provider.kind === 'sandbox'
      ? { name: 'sandbox', url: `${apiUrl}/checks`, secret: bank.secret.reveal() }
      : { name: new URL(provider.url).host, url: provider.url, secret: provider.secret.reveal() };
  return { provider: askedOnce(httpProvider({ ...at, timeoutMs })), maxAgeMs, verifiedCurrencies };
}
