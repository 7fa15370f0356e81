import { describe, expect, it } from 'vitest';
import { assertFolderMaker } from '../../../src/files/intake/maker.ts';
import { policyOf, signingPerson } from '../../support/people.ts';

const NO_RULES = { approvalRules: [] };

describe('files of a drop folder', () => {
  const policy = policyOf([signingPerson('alice', ['maker']), signingPerson('bob', ['approver'])]);

  it.each([
    ['nobody', undefined],
    ['who may not submit', 'bob'],
    ['somebody unknown', 'mallory'],
  ])('need a maker of the policy: %s is none, with any name beside', (_who, folderMaker) => {
    const hint = expect.stringContaining('PAYOUTS_FOLDER_MAKER');
    const refusal = expect.objectContaining({ kind: 'set-up', code: 'maker-unknown', hint });
    expect(() => assertFolderMaker({ ...NO_RULES, policy }, { folderMaker, by: 'alice' })).toThrow(refusal);
  });

  it('belong to the one that the settings name', () => {
    expect(() => assertFolderMaker({ ...NO_RULES, policy }, { folderMaker: 'alice', by: undefined })).not.toThrow();
  });

  it('belong without a policy to who is named beside them, with any settings', () => {
    const rules = { approvalRules: [{ approvals: 1 }] };
    expect(() => assertFolderMaker(rules, { folderMaker: undefined, by: 'alice' })).not.toThrow();
    expect(() => assertFolderMaker(rules, { folderMaker: 'alice', by: undefined })).toThrow(/name of the maker/);
    expect(() => assertFolderMaker(NO_RULES, { folderMaker: undefined, by: undefined })).not.toThrow();
  });
});
