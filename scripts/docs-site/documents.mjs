/** The documents of the site in their order, and what is made of their text beside the pages. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What is read first comes first; a document that is named in no group is in the last one. */
const GROUPS = [
  ['Begin', ['README.md', 'docs/one-payout.md', 'docs/guarantees.md', 'docs/commands.md']],
  ['Pay', ['docs/input.md', 'docs/report.md', 'docs/bank-messages.md', 'docs/cards.md', 'docs/errors.md']],
  [
    'Operate',
    [
      'docs/operations.md',
      'docs/observability.md',
      'docs/temporal.md',
      'docs/remote.md',
      'docs/pages.md',
      'docs/events.md',
    ],
  ],
  ['Trust', ['docs/policy.md', 'docs/checks.md', 'docs/security.md', 'docs/audit.md', 'SECURITY.md']],
  ['Build on it', ['docs/package.md', 'docs/architecture.md', 'docs/decisions.md']],
];

/** Every document: its group, its path in the project and on the site, its text, title and first sentences. */
export function readDocuments(root) {
  const paths = globSync(['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'examples/README.md', 'docs/*.md'], {
    cwd: root,
  });
  const named = GROUPS.flatMap(([group, members]) => members.map((path) => ({ group, path })));
  const others = paths.filter((path) => !named.some((it) => it.path === path)).sort();
  const last = GROUPS.at(-1)[0];
  return [...named, ...others.map((path) => ({ group: last, path }))].map(({ group, path }) => {
    const text = readFileSync(join(root, path), 'utf8');
    const url = path === 'README.md' ? 'index.html' : path.replace(/\.md$/, '.html');
    return { group, path, url, text, title: titleOf(text), description: descriptionOf(text) };
  });
}

const titleOf = (text) => plain(/^# (.*)$/m.exec(text)[1]);

/** The first sentence below the title. */
function descriptionOf(text) {
  const paragraph = plain(
    text
      .split(/\n{2,}/)
      .find((it) => /^[\p{L}`*[]/u.test(it))
      .replaceAll('\n', ' '),
  );
  return /^.*?[.:](?=\s|$)/.exec(paragraph)?.[0] ?? paragraph;
}

const plain = (markdown) => markdown.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '');

/** The anchor of a heading, as code hosts make it. */
export const anchorOf = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

export const byGroup = (documents) => [...Map.groupBy(documents, ({ group }) => group)];

/** As https://llmstxt.org has it: what it is, and where each document is as markdown. */
export function llmsIndex(documents) {
  const [first] = documents;
  const lists = byGroup(documents).map(
    ([group, members]) =>
      `## ${group}\n\n${members.map(({ title, path, description }) => `- [${title}](${path}): ${description}`).join('\n')}\n`,
  );
  return [
    `# ${first.title}\n`,
    `> ${first.description}\n`,
    'All of it in one file: [llms-full.txt](llms-full.txt)\n',
    ...lists,
  ].join('\n');
}

export const llmsFull = (documents) => documents.map(({ path, text }) => `<!-- ${path} -->\n\n${text}`).join('\n');

/** One entry a section, as a script: a page that was opened from disk may load that and no JSON. */
export function searchIndex(documents) {
  const sections = documents.flatMap(({ url, title, text }) =>
    text.split(/^(?=##+ )/m).map((section) => {
      const [, level, heading] = /^(#+) (.*)\n/.exec(section);
      const shown = plain(section.slice(section.indexOf('\n')))
        .replace(/\|[-|]+\|/g, ' ')
        .replace(/[\s|]+/g, ' ')
        .trim();
      if (level === '#') return [url, title, shown];
      return [`${url}#${anchorOf(heading)}`, `${title}: ${plain(heading)}`, shown];
    }),
  );
  return `globalThis.searchIndex = ${JSON.stringify(sections)};\n`;
}
