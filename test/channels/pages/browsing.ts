import type { BrowserContext, CDPSession, Page } from 'playwright-core';

/** A device with a passkey, whose holder always puts a finger on it. */
export async function withAuthenticator(page: Page): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return session;
}

/** Makes a passkey on the page for it: what the policy keeps of it. */
export async function enrol(page: Page, origin: string, name: string): Promise<{ id: string; publicKey: string }> {
  await page.goto(`${origin}/passkey`);
  await page.getByLabel('Your name in the policy').fill(name);
  await page.getByRole('button', { name: 'Create a passkey' }).click();
  const lines = (await page.locator('pre.copy').textContent()) ?? '';
  const { passkeys } = JSON.parse(`{${lines}}`);
  return passkeys[0];
}

export async function signIn(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/sign-in`);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
}

/** What a browser complains about, as it comes. */
export function complaints(context: BrowserContext): string[] {
  const said: string[] = [];
  context.on('weberror', (error) => said.push(error.error().message));
  context.on('console', (message) => message.type() === 'error' && said.push(message.text()));
  return said;
}
