import { ByReference } from '../reference-form.ts';
import type { OurRecord } from './booked.ts';
import { DOCUMENT_LENGTH, fold } from './booked-as-one.ts';

/** Records by what names one of them alone: its reference in any form, and the ids of its orders and of its message. */
export class RecordNames {
  private readonly references: ByReference<OurRecord>;
  private readonly others = new Map<string, OurRecord | undefined>();

  constructor(records: readonly OurRecord[]) {
    this.references = new ByReference(
      records.flatMap((record) =>
        [record.reference, ...record.names.filter((name) => UUID.test(name))].map((name) => [name, record] as const),
      ),
    );
    for (const record of records) for (const name of record.names) addUnique(this.others, fold(name), record);
  }

  find(text: string): OurRecord | undefined {
    return this.references.find(text) ?? this.others.get(fold(text));
  }
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A name that two records share names neither, unless one of them is proven unpaid and the other is its repetition. */
function addUnique(names: Map<string, OurRecord | undefined>, name: string, record: OurRecord): void {
  if (name.length < DOCUMENT_LENGTH) return;
  const before = names.get(name);
  names.set(name, names.has(name) && before !== record ? theOther(before, record) : record);
}

function theOther(one: OurRecord | undefined, another: OurRecord): OurRecord | undefined {
  if (one === undefined || (one.state === 'unpaid') === (another.state === 'unpaid')) return undefined;
  return one.state === 'unpaid' ? another : one;
}
