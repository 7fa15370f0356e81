import type { PayeeChecks } from '../activities/payee-checks.ts';
import { askedOnce } from '../bank/payee-checks/asked-once.ts';
import { httpProvider } from '../bank/payee-checks/http-provider.ts';
import { may, type Policy } from '../domain/authority.ts';
import { ConfigError } from './config/config-error.ts';
import type { Config } from './config.ts';

/**
 * The provider of payee checks: the configured one, or that of this stack's sandbox. Undefined: none. Throws a `ConfigError` if
 * the policy lets nobody decide on a screening.
 */
export function payeeChecks({ checks, bank, settings }: Config, apiUrl: string): PayeeChecks | undefined {
  if (checks === undefined) return undefined;
  assertDecidable(settings.policy);
  const { provider, timeoutMs, maxAgeMs, verifiedCurrencies } = checks;
  const at =
    provider.kind === 'sandbox'
      ? { name: 'sandbox', url: `${apiUrl}/checks`, secret: bank.secret.reveal() }
      : { name: new URL(provider.url).host, url: provider.url, secret: provider.secret.reveal() };
  return { provider: askedOnce(httpProvider({ ...at, timeoutMs })), maxAgeMs, verifiedCurrencies };
}

/** Otherwise a payout held for a screening would be held for ever. */
function assertDecidable(policy: Policy | undefined): void {
  if (policy === undefined) return;
  if (policy.people.some((person) => may(person, 'screening') && person.credentials.length > 0)) return;
  throw new ConfigError(
    'PAYOUTS_CHECKS',
    'has payees screened, but the policy gives nobody with a key the role compliance: nobody could clear a hit',
    'Give somebody the role compliance in the policy, or unset PAYOUTS_CHECKS.',
  );
}
