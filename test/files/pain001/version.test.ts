import { describe, expect, it } from 'vitest';
import { pain001, read } from './sample-message.ts';

const SIX = 'http://www.six-interbank-clearing.com/de';
const ISO = 'urn:iso:std:iso:20022:tech:xsd';

describe('the version of a message', () => {
  it.each([
    [`${ISO}:pain.001.001.03`, '03'],
    [`${ISO}:pain.001.001.09`, '09'],
    [`${ISO}:pain.001.002.03`, '03'],
    [`${ISO}:pain.001.003.03`, '03'],
    [`${SIX}/pain.001.001.03.ch.02.xsd`, '03'],
    [`${SIX}/pain.001.001.09.ch.03.xsd`, '09'],
  ] as const)('%s is read as .%s', async (namespace, version) => {
    const { rows, findings, messages } = await read(pain001({ namespace, version }));
    expect(findings).toEqual([]);
    expect(rows).toHaveLength(1);
    expect(messages.at(-1)?.format).toBe(`pain.001.001.${version}`);
  });

  it.each(['04', '05', '06', '07', '08', '10', '11', '12'])(
    '.%s of ISO is read by its own grammar',
    async (version) => {
      const namespace = `${ISO}:pain.001.001.${version}`;
      // BICFI is new in .04, the choice of a date in .08.
      const early = pain001({ namespace, version: '03' }).replaceAll('BIC>', 'BICFI>');
      const late = pain001({ namespace, version: '09' });
      const [ours, other] = version < '08' ? [early, late] : [late, early];
      const { rows, findings, messages } = await read(ours);
      expect(findings).toEqual([]);
      expect(rows).toHaveLength(1);
      expect(messages.at(-1)?.format).toBe(`pain.001.001.${version}`);
      expect((await read(other)).findings).not.toEqual([]);
    },
  );

  it.each([
    [`${ISO}:pain.001.001.13`, 'unsupported-version', 'pain.001.001.13 in this namespace'],
    [`${ISO}:pain.001.001.02`, 'unsupported-version', 'pain.001.001.02 in this namespace'],
    [`${ISO}:pain.001.004.03`, 'unsupported-version', 'pain.001.004.03 in this namespace'],
    [`${SIX}/pain.001.001.08.ch.01.xsd`, 'unsupported-version', 'pain.001.001.08 in this namespace'],
    [`${ISO}:pain.008.001.02`, 'not-pain001', 'is pain.008.001.02'],
    [`${ISO}:pacs.008.001.08`, 'not-pain001', 'is pacs.008.001.08'],
    [`${ISO}:pain.001.001.033`, 'not-pain001', 'is not an ISO 20022 message'],
    ['', 'not-pain001', 'is not an ISO 20022 message'],
  ])('%s is refused: %s', async (namespace, rule, message) => {
    const { rows, findings, messages } = await read(pain001({ namespace }));
    expect([rows, messages]).toEqual([[], []]);
    expect(findings).toMatchObject([{ rule, line: 2, row: null, message: expect.stringContaining(message) }]);
    expect(findings[0]?.message).toContain('pain.001.001.03 to pain.001.001.12');
  });

  describe('in the envelope of a network', () => {
    const header = `<AppHdr xmlns="${ISO}:head.001.001.02"><BizMsgIdr>M-1</BizMsgIdr><PssblDplct>true</PssblDplct></AppHdr>`;
    const message = pain001({ version: '09' }).replace(/^<\?xml[^>]*\?>\s*/, '');

    it.each([
      ['of a bank', `<Envelope>${header}${message}</Envelope>`],
      [
        'of SWIFT',
        `<s:DataPDU xmlns:s="urn:swift:saa:xsd:saa.2.0"><s:Revision>2.0.14</s:Revision><s:Body>${header}${message}</s:Body></s:DataPDU>`,
      ],
    ])('%s, it is the message, and its header is named as not carried', async (_whose, content) => {
      const { rows, findings, warnings } = await read(content);
      expect(findings).toEqual([]);
      expect(rows).toHaveLength(1);
      expect(warnings).toContainEqual(
        expect.objectContaining({ rule: 'not-carried', path: '/AppHdr', message: expect.stringContaining('AppHdr') }),
      );
    });

    it.each([
      ['without its header', `<Envelope>${message}</Envelope>`, 'not-pain001'],
      ['without a message', `<Envelope>${header}</Envelope>`, 'not-pain001'],
      ['that ends too early', `<Envelope>${header}`, 'not-pain001'],
      ['with two messages', `<Envelope>${header}${message}${message}</Envelope>`, 'several-messages'],
    ])('%s, nothing of it is paid', async (_which, content, rule) => {
      const { findings } = await read(content);
      expect(findings).toMatchObject([{ rule, row: null }]);
    });
  });

  it('prefixed elements are the same message', async () => {
    const content = pain001({ version: '03' })
      .replaceAll(/<(\/?)([A-Z])/g, '<$1p:$2')
      .replace('xmlns=', 'xmlns:p=');
    const { rows, findings } = await read(content);
    expect(findings).toEqual([]);
    expect(rows).toHaveLength(1);
  });
});
