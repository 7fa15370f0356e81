import { readFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { beforeAll, describe, expect, it } from 'vitest';
import { WORKFLOW_TYPES } from '../../../src/domain/names.ts';
import { workflowBundle } from '../../../src/platform/temporal/bundle.ts';
import * as workflows from '../../../src/workflows/index.ts';
import { read } from './sources.ts';

/** What the SDK itself brings along; everything else in the bundle is ours. */
const PACKAGES_ALLOWED = ['@temporalio/common', '@temporalio/workflow', 'long', 'ms', 'nexus-rpc'];
/** Every worker thread compiles the code. */
const BYTES_MAX = 962_000;
/**
 * What a module would keep from one workflow to the next: a variable, a collection that is not read-only, the position of a
 * search.
 */
const STATE = [
  /^(?:export )?(?:let|var) /,
  /^(?:export )?const \w+(?!: Readonly)(?:: [^=]+)? = (?:new (?:Weak)?(?:Map|Set)\b|\[\];|\{\};)/,
  /^(?:export )?const \w+.* = \/.*\/[a-z]*[gy][a-z]*;/,
  /^ {2}static (?!readonly )/,
];
/** Modules the SDK replaces by nothing or by its own inside the workflow sandbox. */
const STUBBED = ['assert', 'url', 'util'];

let code: string;
let modules: string[];

beforeAll(async () => {
  const { codePath } = await workflowBundle();
  code = await readFile(codePath, 'utf8');
  modules = [...code.matchAll(/^\/\*\*\*\/ "([^"]+)"/gm)].map(([, name = '']) => name);
});

describe('the workflow bundle', () => {
  it('holds the workflows, the domain and the packages of the SDK, and nothing else', () => {
    const packages = modules.flatMap((name) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(name)?.[1] ?? []);
    expect([...new Set(packages)].sort()).toEqual(PACKAGES_ALLOWED);
    const own = modules.filter((name) => name.startsWith('./src/')).map((name) => name.split('/')[2]);
    expect([...new Set(own)].sort()).toEqual(['domain', 'workflows']);
  });

  it('holds no built-in module of Node', () => {
    const builtIn = modules.filter((name) => name.startsWith('node:') || builtinModules.includes(name));
    expect(builtIn.filter((name) => !STUBBED.includes(name))).toEqual([]);
    expect(code).not.toMatch(/require\("(?:node:)?(?:fs|net|http|https|child_process|crypto|sqlite)"\)/);
  });

  it('holds no state: its modules are evaluated once, for all workflows of a worker', () => {
    const ours = modules.filter((name) => name.startsWith('./src/'));
    expect(ours.length).toBeGreaterThan(50);
    const stateful = ours.flatMap((path) =>
      read(path)
        .split('\n')
        .filter((line) => STATE.some((form) => form.test(line)))
        .map((line) => `${path}: ${line}`),
    );
    expect(stateful).toEqual([]);
  });

  it('stays below its ceiling', () => {
    // The source map at its end holds every comment and the path of every file: neither is compiled. Names of modules, and the
    // banners over them, are as long as the way from here to where the packages are.
    const [compiled = '', map] = code.split('//# sourceMappingURL=');
    expect(map).toBeDefined();
    const anywhere = compiled
      .replaceAll(/\.{0,2}\/[\w./-]*?(?=node_modules\/)/g, './')
      .replaceAll(/^\/\*!\*+!\*\\\n {2}!\*{3} .* \*{3}!\n {2}\\\*+\/\n/gm, '');
    expect(anywhere).not.toContain('/*!***');
    expect(Buffer.byteLength(anywhere)).toBeLessThan(BYTES_MAX);
  });
});

describe('the workflow types', () => {
  it('are exactly these: every export of the index can be started by its name', () => {
    expect(Object.keys(workflows).sort()).toEqual([
      'cardPayment',
      'currencyExchange',
      'folderScan',
      'internalTransfer',
      'orderWatch',
      'payout',
      'payoutBatch',
      'payoutCall',
      'reconciliation',
    ]);
    for (const [name, workflow] of Object.entries(workflows)) {
      expect(workflow, name).toBeTypeOf('function');
      expect(Object.values(WORKFLOW_TYPES)).toContain(name);
    }
  });
});
