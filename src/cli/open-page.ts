import { spawn } from 'node:child_process';
import { Problem } from '../domain/problem.ts';
import { environment } from '../platform/config.ts';
import { answeringStack } from '../platform/embedded/open-stack.ts';
import { pagesUrl } from '../reports/links.ts';
import { hasTerminal } from './confirm.ts';
import type { Session } from './session.ts';
import { findTarget } from './targets.ts';

/** `payouts open`: prints the address of a page and, at a terminal, opens it in the browser. */
export async function openPage(session: Session, id: string | undefined, { print }: { print: boolean }): Promise<void> {
  const base = await pagesBase(session);
  const url = `${base}${id === undefined ? '/' : await pathOf(session, id)}`;
  session.output.result({ url }, url);
  if (!print && !session.output.json && hasTerminal()) openInBrowser(url);
}

async function pathOf(session: Session, id: string): Promise<string> {
  const target = await findTarget(session, id);
  return target.kind === 'batch' ? `/batches/${target.batch.batchId}` : `/payouts/${target.payout.reference}`;
}

/** Where pages answer now. Throws a `Problem` if there are none. */
async function pagesBase({ config, gateway }: Session): Promise<string> {
  if (gateway !== undefined && config.gateway.url !== undefined) return config.gateway.url;
  const up = await answeringStack(config.home);
  // Without a policy the only pages are those of a gateway of this home.
  const url = config.settings.policy === undefined && !up?.gatewayUrl ? undefined : pagesUrl(config, up?.gatewayUrl);
  if (url !== undefined) return url;
  throw new Problem('usage', 'no-pages', 'There are no pages: no gateway of this home is running.', {
    hint: 'Start `payouts dev` (or `payouts gateway`) in another terminal, then run this again.',
  });
}

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** What it cannot be opened with is no error: the address is printed. */
function openInBrowser(url: string): void {
  const { DISPLAY, WAYLAND_DISPLAY } = environment();
  // Without a screen, xdg-open would start a browser for terminals, which nobody sees.
  if (process.platform === 'linux' && !DISPLAY && !WAYLAND_DISPLAY) return;
  const [command = '', ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  child.once('error', () => {});
  child.unref();
}
