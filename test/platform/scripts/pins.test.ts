import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  ADVISORIES,
  acceptedAdvisories,
  advisoriesOf,
  isPatchedServer,
  PINS,
  pinDrift,
  pinProblems,
  REVIEWED,
} from '../../../scripts/pins.mjs';
import { ROOT } from '../../docs/markdown.ts';

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const NOW = new Date('2026-11-28T12:00:00Z');
const pin = { product: 'Temporal server', version: '1.32.2', released: '2026-10-31', source: 'x', pinned: [] };
const fresh = { advisories: ADVISORIES, reviewed: '2026-11-28' };

describe('pins of the platform', () => {
  it('had no problem on the day of their review', () => {
    expect(pinProblems(new Date(REVIEWED))).toEqual([]);
  });

  it('are what the files of the project name', () => {
    expect(pinDrift(read)).toEqual([]);
  });

  it('may not be older than six months', () => {
    const old = { ...pin, released: '2026-04-28' };
    expect(pinProblems(NOW, { pins: [old], ...fresh })).toEqual([
      'Temporal server 1.32.2: released on 2026-04-28, more than 6 months ago',
    ]);
    expect(pinProblems(NOW, { pins: [{ ...pin, released: '2026-05-28' }], ...fresh })).toEqual([]);
  });

  it('may not be out of support', () => {
    const ended = { ...pin, supportedUntil: '2026-11-27' };
    expect(pinProblems(NOW, { pins: [ended], ...fresh })).toEqual([
      'Temporal server 1.32.2: no security fixes since 2026-11-27',
    ]);
  });

  it('may not have a published vulnerability, unless that one is accepted', () => {
    const affected = { ...pin, version: '1.32.1' };
    expect(pinProblems(NOW, { pins: [affected], ...fresh })).toEqual(['Temporal server 1.32.1: CVE-2026-120091']);
    const accepted = { ...affected, accepted: { ids: ['CVE-2026-120091'], because: 'a reason' } };
    expect(pinProblems(NOW, { pins: [accepted], ...fresh })).toEqual([]);
    expect(pinProblems(NOW, { pins: [{ ...accepted, version: '1.31.2' }], ...fresh })).toContain(
      'Temporal server 1.31.2: CVE-2026-87858',
    );
    expect(acceptedAdvisories([accepted])).toEqual(['Temporal server 1.32.1: CVE-2026-120091 accepted: a reason']);
  });

  it('are reviewed again within 60 days', () => {
    const stale = 'advisories: last reviewed on 2026-09-28, more than 60 days ago';
    expect(pinProblems(NOW, { pins: [], advisories: [], reviewed: '2026-09-28' })).toEqual([stale]);
    expect(pinProblems(NOW, { pins: [], advisories: [], reviewed: '2026-09-29' })).toEqual([]);
  });

  it('differ from a file in which one of two places was raised, or that names none', () => {
    const [image] = PINS.filter(({ place }) => place === 'in the image');
    if (image === undefined) throw new Error('no pin of the image');
    const lines = [image.version, '99.0.0'].map((version) => `ARG NODE_IMAGE=node:${version}-bookworm-slim\n`).join('');
    expect(pinDrift(() => lines, [image])).toEqual([
      `Dockerfile: Node.js 99.0.0, the table of pins says ${image.version}`,
    ]);
    expect(pinDrift(() => '', [image])).toEqual([
      `Dockerfile: Node.js no version, the table of pins says ${image.version}`,
    ]);
  });

  it('accept only advisories that they have', () => {
    for (const { product, version, accepted } of PINS)
      expect(advisoriesOf(product, version)).toEqual(expect.arrayContaining([...(accepted?.ids ?? [])]));
  });
});

describe('a Temporal server', () => {
  it.each([
    ['1.28.4', false],
    ['1.29.1', false],
    ['1.29.7', false],
    ['1.30.7', false],
    ['1.30.8', true],
    ['1.31.4', false],
    ['1.31.5', true],
    ['1.32.1', false],
    ['1.32.2', true],
    ['1.33.0', true],
  ])('%s is patched: %s', (version, isPatched) => {
    expect(isPatchedServer(version)).toBe(isPatched);
  });

  it('in a CLI is patched with what is accepted there', () => {
    expect(isPatchedServer('1.32.0', { isDevelopmentServer: true })).toBe(true);
    expect(isPatchedServer('1.31.2', { isDevelopmentServer: true })).toBe(false);
    expect(isPatchedServer('1.29.1', { isDevelopmentServer: true })).toBe(false);
  });

  it('has the vulnerabilities of its line', () => {
    expect(advisoriesOf('Temporal server', '1.29.1')).toEqual(
      expect.arrayContaining(['CVE-2025-14986', 'CVE-2025-14987', 'CVE-2026-5199', 'CVE-2026-5724', 'CVE-2026-87858']),
    );
    expect(advisoriesOf('Temporal server', '1.29.6')).not.toContain('CVE-2026-5724');
    expect(advisoriesOf('Temporal server', '1.32.2')).toEqual([]);
  });
});
