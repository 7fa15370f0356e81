import { type Html, html } from '../../reports/html.ts';

/** An address with these members in its query; those without a value are left out. */
export function addressOf(path: string, query: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === '' ? [] : [[name, `${value}`]],
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}

/** Links to the page before and the one behind; `page` from 1. */
export const pageLinks = (
  path: string,
  query: Readonly<Record<string, string | undefined>>,
  { page, isMore }: { page: number; isMore: boolean },
): Html | false =>
  (page > 1 || isMore) &&
  html`<div class="actions" role="navigation" aria-label="More rows">
${page > 1 && html`<a class="button" rel="prev" href="${addressOf(path, { ...query, page: page > 2 ? page - 1 : undefined })}">Previous page</a>`}
${isMore && html`<a class="button" rel="next" href="${addressOf(path, { ...query, page: page + 1 })}">Next page</a>`}
</div>`;
