import { writeFileSync } from 'node:fs';
import { filesOf, generated, PAGES, pathOf, TO_WRITE, textOf } from './pages.ts';
import { TABLES } from './tables.ts';

/** `npm run docs:tables`: writes the tables between `<!-- table: NAME -->` and `<!-- end -->` from the code. */
for (const file of filesOf(PAGES)) {
  const page = generated(textOf(file), TABLES);
  if (page === textOf(file)) continue;
  writeFileSync(pathOf(file), page);
  console.log(page.includes(`| ${TO_WRITE} |`) ? `${file}: write the cells with ${TO_WRITE}` : file);
}
