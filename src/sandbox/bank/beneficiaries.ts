import type { z } from 'zod';
import type { Beneficiary } from '../../bank/schemas/beneficiaries.ts';
import type { Page } from '../../bank/schemas/wire.ts';
import type { Database, Parameters } from '../database.ts';
import { newId } from '../ids.ts';
import { Refusal } from '../refusal.ts';
import type { beneficiaryListQuery } from '../requests.ts';
import { type BeneficiaryKind, checkedItems } from './beneficiary-items.ts';
import type { Books } from './books.ts';
import { pageOf } from './paging.ts';

export interface BeneficiaryRow extends BeneficiaryKind {
  id: string;
  uid: string;
  /** JSON object of the detail fields. */
  items: string;
  created_at: bigint;
}

/** Adds a payee; the same details again add another one (the interface shows no key). Throws 2002, 2009. */
export function addBeneficiary(
  { db, now }: Books,
  request: BeneficiaryKind & { uid: string; [field: string]: unknown },
): { beneficiary_id: string } {
  const items = checkedItems(request, request);
  const { uid, currency, beneficiary_type, payment_type } = request;
  const id = newId('ben');
  const details = JSON.stringify(items);
  const row = { id, uid, currency, beneficiary_type, payment_type, items: details, created_at: now() };
  db.insert('beneficiaries', row);
  return { beneficiary_id: id };
}

const COLUMNS = 'id, created_at, uid, currency, payment_type, beneficiary_type, items';

/** Throws 2004. */
export function requireBeneficiary(db: Database, id: string): BeneficiaryRow {
  const row = db.one<BeneficiaryRow>(`SELECT ${COLUMNS} FROM beneficiaries WHERE id = :id`, { id });
  if (row === undefined) throw new Refusal(2004);
  return row;
}

/** Throws 2004 also if it belongs to another user. */
export function requireBeneficiaryOf(db: Database, uid: string, id: string): BeneficiaryRow {
  const row = requireBeneficiary(db, id);
  if (row.uid !== uid) throw new Refusal(2004);
  return row;
}

type BeneficiaryFilter = z.infer<typeof beneficiaryListQuery>;

/** The newest first. */
export function listBeneficiaries({ db, profile }: Books, filter: BeneficiaryFilter): Page<Beneficiary> {
  const { page, page_size, ...columns } = filter;
  const values: Parameters = {};
  for (const [column, value] of Object.entries(columns)) if (value !== undefined) values[column] = value;
  const where = Object.keys(values).map((column) => `${column} = :${column}`);
  const query = `FROM beneficiaries WHERE ${where.join(' AND ')}`;
  const total = db.one<{ total: bigint }>(`SELECT COUNT(*) AS total ${query}`, values)?.total ?? 0n;
  return pageOf(Number(total), { page, page_size }, profile.pageCap, (limit, offset) => {
    const sql = `SELECT ${COLUMNS} ${query} ORDER BY created_at DESC, seq DESC LIMIT :limit OFFSET :offset`;
    return db.all<BeneficiaryRow>(sql, { ...values, limit, offset }).map(toBeneficiary);
  });
}

/** Replaces every detail field. Throws 2002, 2004. */
export function updateBeneficiary({ db }: Books, id: string, request: { uid: string; [field: string]: unknown }): void {
  const row = requireBeneficiaryOf(db, request.uid, id);
  db.update('beneficiaries', { id }, { items: JSON.stringify(checkedItems(row, request)) });
}

/** Orders already placed continue. Throws 2004. */
export function deleteBeneficiary({ db }: Books, id: string): void {
  requireBeneficiary(db, id);
  db.run('DELETE FROM beneficiaries WHERE id = :id', { id });
}

export function toBeneficiary(row: BeneficiaryRow): Beneficiary {
  return { ...row, created_at: Number(row.created_at), items: JSON.parse(row.items) };
}
