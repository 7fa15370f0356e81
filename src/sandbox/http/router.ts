/** What a handler gets. `body` is the parsed JSON, `{}` without one. */
export interface Call {
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string>>;
  body: Readonly<Record<string, unknown>>;
}

export interface Target {
  method: string;
  pathname: string;
  query: Readonly<Record<string, string>>;
}

/** Handlers by method and path: `GET /v1/banking/accounts/{account_id}`. */
export type Routes<Route> = Readonly<Record<`${'GET' | 'POST' | 'PUT' | 'DELETE'} /${string}`, Route>>;

/** The first route that matches; so literal paths must precede those with ids. */
export function matchRoute<Route>(
  routes: Routes<Route>,
  method: string,
  pathname: string,
): { route: Route; params: Record<string, string> } | undefined {
  const segments = `${method} ${pathname}`.split('/');
  for (const [address, route] of Object.entries(routes)) {
    const params = matchPath(address.split('/'), segments);
    if (params !== undefined) return { route, params };
  }
  return undefined;
}

function matchPath(pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index] ?? '';
    if (!part.startsWith('{')) {
      if (part !== segment) return undefined;
      continue;
    }
    const value = decoded(segment);
    if (value === undefined || value === '') return undefined;
    params[part.slice(1, -1)] = value;
  }
  return params;
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** Query parameters; blank ones count as absent, and of repeated ones the first counts. */
export function queryOf(parameters: URLSearchParams): Record<string, string> {
  const query: Record<string, string> = Object.create(null);
  for (const [name, value] of parameters) if (value !== '' && !(name in query)) query[name] = value;
  return query;
}
