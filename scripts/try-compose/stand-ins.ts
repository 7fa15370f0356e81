import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { goPrograms } from '../cluster/go-programs.ts';
import { findTemporalCli } from '../temporal-cli.mjs';
import { CURRENT_TEMPORAL } from '../temporal-versions.mjs';
import { type Place, Skipped, sh, TrialError, works } from './shell.ts';

const DEBIAN = 'durable-payouts-stand-in/debian:bookworm';
/** As in the image that it replaces. */
const NPM = '11.19.0';
const TEMPORAL_USER = 'RUN useradd --uid 1000 --create-home temporal\nUSER temporal';

/** The image that the Dockerfile builds on. */
const baseImage = (cwd: string): string =>
  /^ARG NODE_IMAGE=(\S+)/m.exec(readFileSync(join(cwd, 'Dockerfile'), 'utf8'))?.[1] ?? '';

/** Whether the engine gets images from a registry or a mirror, tried with the one that is built on. */
export const imagesCanBePulled = ({ cwd, env }: Place): boolean => works(`docker pull --quiet ${baseImage(cwd)}`, env);

interface Service {
  image: string;
  build?: string;
}

/** Under a name of its own: nobody shall take it for the image, whose digest it cannot have. */
const standInOf = (image: string): string => `durable-payouts-stand-in/${image.replace(/@.*/, '')}`;

/**
 * Makes an image for each that the clone in `place.cwd` names, and returns the file for COMPOSE_FILE that has Compose use these.
 * Throws `Skipped` where this user cannot make a Debian.
 */
export async function standIns(folder: string, place: Place, say: (line: string) => void): Promise<string> {
  const { services } = parse(readFileSync(join(place.cwd, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
    services: Record<string, Service>;
  };
  const node = baseImage(place.cwd);
  const pulled = Object.values(services).filter(({ build }) => build === undefined);
  const images = new Set([node, ...pulled.map(({ image }) => image)]);
  say('making a Debian with debootstrap');
  makeDebian(folder, place);
  const programs = await programsOf(place.env, say);
  for (const image of images) makeStandIn(image, folder, { programs, place, say });
  const override = Object.entries(services).map(([name, { image, build }]) => [
    name,
    {
      image: standInOf(image),
      ...(build === undefined
        ? { pull_policy: 'never' }
        : { build: { context: build, args: { NODE_IMAGE: standInOf(node) } } }),
    },
  ]);
  const file = join(folder, 'stand-ins.json');
  writeFileSync(file, JSON.stringify({ services: Object.fromEntries(override) }));
  return file;
}

function makeDebian(folder: string, { cwd, env }: Place): void {
  if (process.getuid?.() !== 0)
    throw new Skipped('no registry of images answers, and only root can make stand-ins for them');
  if (!works('command -v debootstrap', env))
    sh('apt-get update && apt-get install --yes --no-install-recommends debootstrap', { cwd, env });
  const root = join(folder, 'debian');
  sh(`debootstrap --variant=minbase --include=libstdc++6,ca-certificates,netcat-openbsd bookworm ${root}`, {
    cwd,
    env,
  });
  // As small as Debian's own slim image.
  const left = ['dev', 'var/cache/apt', 'var/lib/apt/lists', 'usr/share/doc', 'usr/share/man', 'usr/share/locale'];
  const without = left.map((path) => `--exclude='./${path}/*'`).join(' ');
  sh(`tar -C ${root} ${without} -c . | docker import - ${DEBIAN}`, { cwd, env });
}

async function programsOf(env: NodeJS.ProcessEnv, say: (line: string) => void) {
  const folder = await goPrograms(env, say);
  const cli = findTemporalCli(env).path;
  if (cli === undefined || !sh(`'${cli}' --version`, { cwd: '/', env }).includes(` ${CURRENT_TEMPORAL.cli} `))
    throw new TrialError(`the Temporal CLI ${CURRENT_TEMPORAL.cli} was not found; TEMPORAL_CLI_PATH can name it`);
  const own = (name: string): string => join(folder, name);
  return {
    temporal: cli,
    'temporal-server': own('temporal-server'),
    'temporal-sql-tool': own('temporal-sql-tool'),
    'ui-server': own('temporal-ui-server'),
    node: process.execPath,
    'ca-certificates.crt': '/etc/ssl/certs/ca-certificates.crt',
    'postgres-entrypoint.sh': fileURLToPath(new URL('postgres-entrypoint.sh', import.meta.url)),
  };
}

type Programs = Awaited<ReturnType<typeof programsOf>>;

/** Per repository: the files of this machine that go into the image, and what is done with them. */
const STAND_INS: Readonly<Record<string, { files: readonly (keyof Programs)[]; steps: string }>> = {
  node: {
    files: ['node', 'ca-certificates.crt'],
    // The network of this machine may have an authority of its own, which npm is configured for.
    steps: `COPY node /usr/local/bin/
COPY package /usr/local/lib/node_modules/npm
COPY ca-certificates.crt /etc/ssl/certs/
RUN cd /usr/local && ln -s ../lib/node_modules/npm/bin/npm-cli.js bin/npm && mkdir -p etc \\
 && echo cafile=/etc/ssl/certs/ca-certificates.crt >etc/npmrc && useradd --uid 1000 --create-home node`,
  },
  'temporalio/temporal': {
    files: ['temporal'],
    steps: `COPY temporal /usr/local/bin/\n${TEMPORAL_USER}\nENTRYPOINT ["temporal"]`,
  },
  'temporalio/admin-tools': {
    files: ['temporal', 'temporal-sql-tool'],
    steps: `COPY temporal temporal-sql-tool /usr/local/bin/\n${TEMPORAL_USER}`,
  },
  'temporalio/server': {
    files: ['temporal-server'],
    steps: `COPY temporal-server /usr/local/bin/\n${TEMPORAL_USER}`,
  },
  'temporalio/ui': { files: ['ui-server'], steps: `WORKDIR /ui\nCOPY ui-server ./\n${TEMPORAL_USER}` },
  postgres: {
    files: ['postgres-entrypoint.sh'],
    steps: `RUN groupadd --gid 999 postgres && useradd --uid 999 --gid 999 postgres
RUN mkdir -p /etc/postgresql-common && echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf \\
 && apt-get update && apt-get install --yes --no-install-recommends postgresql-15 \\
 && install -d -o postgres -g postgres -m 700 /var/lib/postgresql/data
COPY postgres-entrypoint.sh /usr/local/bin/
ENV PATH=/usr/lib/postgresql/15/bin:$PATH PGDATA=/var/lib/postgresql/data
ENTRYPOINT ["sh", "/usr/local/bin/postgres-entrypoint.sh"]`,
  },
};

interface Making {
  programs: Programs;
  place: Place;
  say(line: string): void;
}

function makeStandIn(image: string, folder: string, { programs, place: { env }, say }: Making): void {
  const tag = standInOf(image);
  const [, repository = ''] = /^([^:@]*)/.exec(image) ?? [];
  const spec = STAND_INS[repository];
  if (spec === undefined) throw new TrialError(`there is no stand-in for ${image}`);
  say(`making ${tag}${repository === 'node' ? ` with Node ${process.versions.node}` : ''}`);
  const cwd = join(folder, repository.replace('/', '-'));
  mkdirSync(cwd);
  for (const name of spec.files) cpSync(programs[name], join(cwd, name), { dereference: true });
  if (repository === 'node') sh(`npm pack npm@${NPM} && tar -xzf npm-${NPM}.tgz`, { cwd, env });
  writeFileSync(join(cwd, 'Dockerfile'), `FROM ${DEBIAN}\n${spec.steps}\n`);
  sh(`docker build --tag ${tag} .`, { cwd, env });
}
