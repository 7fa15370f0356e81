import type { PayoutInstruction } from '../../domain/instruction.ts';
import { payeeName } from '../../domain/payee-flags.ts';
import { ofType } from '../../formats/iso20022/simple-types.ts';
import { element, leaf, shownText } from '../xml-text.ts';

const OTHER_ACCOUNT = /^[\x20-\x7e]{1,34}$/;
const NAME_MAX = 140;

/** The payee, as far as the row shows it; a value that the schema does not allow is left out. */
export function partiesOf(instruction: PayoutInstruction): string {
  const { iban_no, account_no } = instruction;
  const name = payeeName(instruction);
  return element(
    'RltdPties',
    element('Cdtr', element('Pty', leaf('Nm', name && shownText(name, NAME_MAX)))),
    element('CdtrAcct', element('Id', account(iban_no?.replace(/\s+/g, ''), account_no?.trim()))),
  );
}

function account(iban: string | undefined, number: string | undefined): string {
  if (ofType('Iban', iban) !== undefined) return leaf('IBAN', iban);
  return number !== undefined && OTHER_ACCOUNT.test(number) ? element('Othr', leaf('Id', number)) : '';
}
