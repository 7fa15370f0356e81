import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { explain } from '../../../src/cli/explain.ts';
import { INSTRUCTION_FIELDS } from '../../../src/domain/instruction.ts';
import { REASONS } from '../../../src/domain/reasons.ts';
import { INCIDENTS } from '../../../src/domain/reconciliation.ts';
import { RULES } from '../../../src/files/rules/rules.ts';
import { STATES } from '../../../src/reports/state-texts.ts';
import { type BankSession, openBankSession } from '../bank-session.ts';

let open: BankSession;

beforeAll(async () => {
  open = await openBankSession();
});
afterAll(() => open?.close());

async function printed(name?: string, currency?: string): Promise<string> {
  await explain(open.session, name, { currency });
  return open.printed.text;
}

describe('without a name', () => {
  it('lists every column, rule and reason code', async () => {
    const text = await printed();
    for (const name of [...INSTRUCTION_FIELDS, ...Object.keys(RULES), ...Object.keys(REASONS)])
      expect(text).toContain(name);
    expect(Object.keys(open.printed.document as object)).toEqual([
      ...['columns', 'rules', 'states', 'reasons', 'incidents'],
    ]);
  });
});

describe('a column of ours', () => {
  it.each(INSTRUCTION_FIELDS)('%s is explained with its rule, an example and its findings', async (name) => {
    expect(await printed(name)).toMatch(
      new RegExp(`^column +${name}\nmeaning +\\S.*\nneeded +\\S.*\nrule +\\S.*\nexample +\\S.*\nfindings +\\S`),
    );
    expect(open.printed.document).toMatchObject({ name, column: { findings: expect.any(Array) } });
  });
});

describe('a field of the bank', () => {
  it('is explained with who asks for it, its data type, its regex and an example', async () => {
    const lines = (await printed('aba_routing_code')).split('\n');
    expect(lines.filter((line) => line.startsWith('USD'))).toEqual([
      expect.stringMatching(/^USD +personal +local +yes +number +\^\[\\d \]\{6,13\}\$ +000000000$/),
      expect.stringMatching(/^USD +business +local +yes +number +\^\[\\d \]\{6,13\}\$ +000000000$/),
    ]);
    expect(open.printed.document).toMatchObject({
      field: { asked: [{ currency: 'USD', regex: '^[\\d ]{6,13}$' }, {}] },
    });
  });

  it('is asked about in one currency with --currency', async () => {
    const text = await printed('iban_no', 'CHF');
    expect(text).toMatch(/^CHF /m);
    expect(text).not.toMatch(/^EUR /m);
  });

  it('that no currency asked about has is not known', async () => {
    await expect(explain(open.session, 'aba_routing_code', { currency: 'EUR' })).rejects.toMatchObject({
      code: 'unknown-name',
    });
  });

  it('has no currency that the bank offers nothing for', async () => {
    await expect(explain(open.session, 'iban_no', { currency: 'MNT' })).rejects.toMatchObject({
      code: 'nothing-offered',
    });
  });
});

it.each(Object.keys(RULES))('the finding %s is explained', async (name) => {
  expect(await printed(name)).toContain(RULES[name]);
});

it.each(Object.entries(REASONS))('the reason %s is explained with what to do', async (name, { says: meaning }) => {
  expect(await printed(name)).toMatch(
    new RegExp(`reason +${name}\nmeaning +${meaning}\nwho +\\S.*\nto do +\\S.*\notherwise +\\S`),
  );
});

it.each(Object.keys(STATES))('the state %s is explained with what happens in it by itself', async (name) => {
  expect(await printed(name)).toMatch(new RegExp(`^state +${name}\nmeaning +\\S.*\npeople +\\S.*\notherwise +\\S`));
});

it.each(Object.entries(INCIDENTS))('the incident %s is explained with what to do', async (name, { says: meaning }) => {
  expect(await printed(name)).toMatch(
    // `returned` is a state and a reason too.
    new RegExp(`(?:^|\n\n)incident +${name}\nmeaning +${meaning}\nwho +\\S.*\nto do +\\S.*acknowledge`),
  );
});

it('a name that is a rule and a reason is explained as both', async () => {
  expect(await printed('id-reused')).toMatch(/^finding +id-reused\n(.|\n)*\n\nreason +id-reused\n/);
  expect(open.printed.document).toMatchObject({
    rule: RULES['id-reused'],
    reason: { meaning: REASONS['id-reused'].says },
  });
});
