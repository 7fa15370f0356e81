import { dataOf, noData } from '../answers.ts';
import type { Bank } from '../bank.ts';
import type { Calls } from '../calls.ts';
import { says, undefinedIf } from '../errors.ts';
import { readAllBeneficiaries } from '../list-pages.ts';
import { addedBeneficiary, beneficiary, beneficiaryPage, requiredDetails } from '../schemas/beneficiaries.ts';

const BENEFICIARIES = '/v1/banking/beneficiaries';
const BENEFICIARY = `${BENEFICIARIES}/{beneficiary_id}`;

/** Beneficiaries (interface section 4). Adding has no idempotency key: check the list first. */
export function beneficiariesResource({ read, send }: Calls): Bank['beneficiaries'] {
  const pages: Parameters<typeof readAllBeneficiaries>[0] = {
    /** GET /v1/banking/beneficiaries: one page. A bank may answer that there are none with the code that says so. */
    list: async (query, options) => {
      const page = () => read({ path: BENEFICIARIES, query: { ...query } }, dataOf(beneficiaryPage), options);
      if (query.page > 1) return page();
      return (await undefinedIf(says('beneficiary-not-found'), page)) ?? { records: [], total: 0 };
    },
  };
  return {
    /** GET /v1/banking/beneficiaries/required-details: the fields a payee needs, by payment type. */
    requiredDetails: (currency, beneficiaryType, options) => {
      const query = { currency, beneficiary_type: beneficiaryType };
      return read({ path: `${BENEFICIARIES}/required-details`, query }, dataOf(requiredDetails), options);
    },

    /** POST /v1/banking/beneficiaries: uid, currency, beneficiary_type, payment_type and the required fields. */
    add: (body, options) => send({ method: 'POST', path: BENEFICIARIES, body }, dataOf(addedBeneficiary), options),

    /** GET /v1/banking/beneficiaries/{beneficiary_id}: checked to be this one. */
    get: (beneficiaryId, options) => {
      const asked = beneficiary.refine(({ id }) => id === beneficiaryId, { path: ['id'] });
      return read({ path: BENEFICIARY, ids: { beneficiary_id: beneficiaryId } }, dataOf(asked), options);
    },

    listAll: (query, options) => readAllBeneficiaries(pages, query, options),

    /** PUT /v1/banking/beneficiaries/{beneficiary_id}: uid and the required fields. Answers no data. */
    update: async (beneficiaryId, body, options) => {
      await send({ method: 'PUT', path: BENEFICIARY, ids: { beneficiary_id: beneficiaryId }, body }, noData, options);
    },

    /** DELETE /v1/banking/beneficiaries/{beneficiary_id}. Answers no data. */
    delete: async (beneficiaryId, options) => {
      await send({ method: 'DELETE', path: BENEFICIARY, ids: { beneficiary_id: beneficiaryId } }, noData, options);
    },
  };
}
