import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '../public');

for (const page of globSync('**/*.html', { cwd: root })) {
  const html = readFileSync(join(root, page), 'utf8');

  test(`${page} has a language and a title`, () => {
    assert.match(html, /<html lang="\w+/);
    assert.match(html, /<title>[^<]+<\/title>/);
  });

  test(`${page} links only to files that exist`, () => {
    const links = [...html.matchAll(/(?:href|src)="(\/[^"#?]*)/g)].map(([, link]) => link);
    const missing = links.filter((link) => !existsSync(join(root, link.endsWith('/') ? `${link}index.html` : link)));
    assert.deepEqual(missing, []);
  });
}
