import type { PayoutRecord } from './store.ts';

/** Rows a page at a time, so that what is asked about them is asked once a page. */
export async function* inPages(rows: AsyncIterable<PayoutRecord>, size = 500): AsyncGenerator<PayoutRecord[]> {
  let page: PayoutRecord[] = [];
  for await (const row of rows) {
    page.push(row);
    if (page.length < size) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}
