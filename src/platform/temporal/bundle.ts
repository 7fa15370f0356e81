import { createHash, randomUUID } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { access, glob, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BundleOptions, bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { Problem } from '../../domain/problem.ts';
import { IS_BUILT, ownModule, sdkVersion } from '../../store/own-files.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** Everything a workflow may import values from. */
const SOURCES = ['src/workflows/**/*.ts', 'src/domain/**/*.ts'];
/** Maps lines only, without sources: the SDK keeps the map for every worker and searches it for every promise of a workflow. */
const MAP = 'inline-nosources-cheap-module-source-map';
/** What every Node that runs workers understands. */
const SYNTAX = 'es2022';

/**
 * The workflow bundle: built once per state of its sources and kept under node_modules; the package ships it built.
 * `isEncrypted`: encodes failures, for workers with a codec. `isVersioned`: for workers of a deployment. Throws a `Problem` if it
 * is not built yet and cannot be kept.
 */
export async function workflowBundle({ root = ROOT, isEncrypted = false, isVersioned = false } = {}): Promise<{
  codePath: string;
}> {
  const kind = kindOf({ isEncrypted, isVersioned });
  if (IS_BUILT) return { codePath: fileURLToPath(ownModule(`workflow-bundle${kind}`)) };
  const folder = join(root, 'node_modules', '.cache', 'durable-payouts');
  const codePath = join(folder, `${await digestOfSources(root)}${kind}.js`);
  if (existsSync(codePath)) return { codePath };
  await openCache(folder);
  const ours = (name: string): string => join(root, 'src', 'workflows', name);
  const workflowsPath = ours(isVersioned ? 'versioned.ts' : 'index.ts');
  const interceptors = ours('interceptors.ts');
  const failureConverterPath = isEncrypted ? ours('failure-converter.ts') : undefined;
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    workflowInterceptorModules: [interceptors],
    ...(failureConverterPath && { failureConverterPath }),
    // Evaluated once per worker, not per workflow: none of our modules may hold state (`test/docs/architecture/bundle.test.ts`).
    preloadModules: [workflowsPath, interceptors, ...(failureConverterPath ? [failureConverterPath] : [])],
    // Makes the bundle independent of the folder in which the command was started.
    webpackConfigHook: (config) => ({ ...config, module: inSyntax(config.module), context: root, devtool: MAP }),
    logger: new DefaultLogger('WARN'),
  });
  // Concurrent builders each write their own file; renaming one over another with equal contents is harmless.
  const fresh = `${codePath}.${randomUUID()}`;
  await writeFile(fresh, code);
  await rename(fresh, codePath);
  return { codePath };
}

type Module = Parameters<NonNullable<BundleOptions['webpackConfigHook']>>[0]['module'];

/** The SDK would have every spread, optional member and private field rewritten for a JavaScript of 2017. */
function inSyntax(module: Module): Module {
  for (const { use } of (module?.rules ?? []) as { use?: { options?: { jsc?: { target: string } } } }[]) {
    if (use?.options?.jsc !== undefined) use.options.jsc.target = SYNTAX;
  }
  return module;
}

/** A service may not write to its own code, so its bundle must be built at installation. */
async function openCache(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
  } catch (cause) {
    throw new Problem(
      'set-up',
      'workflows-not-built',
      `The workflows are not built, and ${folder} cannot be written.`,
      {
        hint: 'Run npm run build:workflows once, as the owner of the installation.',
        cause,
      },
    );
  }
}

/** Builds all bundles; paths by kind. For building ahead of the first worker. */
export async function workflowBundles(): Promise<Record<string, string>> {
  const paths: Record<string, string> = {};
  for (const isVersioned of [false, true]) {
    for (const isEncrypted of [false, true]) {
      const { codePath } = await workflowBundle({ isEncrypted, isVersioned });
      paths[kindOf({ isEncrypted, isVersioned })] = codePath;
    }
  }
  return paths;
}

const kindOf = ({ isEncrypted = false, isVersioned = false }) =>
  `${isVersioned ? '-versioned' : ''}${isEncrypted ? '-sealed' : ''}`;

async function digestOfSources(root: string): Promise<string> {
  const hash = createHash('sha256').update(sdkVersion()).update(MAP).update(SYNTAX);
  const files: string[] = [];
  for await (const file of glob(SOURCES, { cwd: root })) files.push(file);
  for (const file of files.sort()) {
    hash.update(`\0${file}\0`).update(await readFile(join(root, file)));
  }
  return hash.digest('hex').slice(0, 32);
}
