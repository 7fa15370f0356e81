import type { Page } from '../../bank/schemas/wire.ts';
import { badRequest } from '../refusal.ts';

const PAGE_SIZE_DEFAULT = 20;

/** `request`: query parameters, unparsed (interface section 8); `cap`: the largest page size (`pageCap` of the profile). */
export function pageOf<T>(
  total: number,
  request: { page?: string | undefined; page_size?: string | undefined },
  cap: number,
  read: (limit: number, offset: number) => T[],
): Required<Omit<Page<T>, 'doubt'>> {
  const page = positive(request.page) ?? 1;
  const page_size = Math.min(positive(request.page_size) ?? PAGE_SIZE_DEFAULT, cap);
  const records = read(page_size, (page - 1) * page_size);
  return { total, page, pages: Math.ceil(total / page_size), page_size, records };
}

function positive(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw badRequest('page and page_size are integers from 1');
  return Number(text);
}
