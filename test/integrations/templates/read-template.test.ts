import { readdir } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { readTemplate, templatesFolder } from '../../../src/integrations/templates/read-template.ts';
import { templateNames } from '../../../src/rules/products/templates.ts';

it('has one folder per template', async () => {
  const entries = await readdir(templatesFolder, { withFileTypes: true });
  expect(entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)).toEqual(templateNames.toSorted());
});

it.each(templateNames)('returns the files of %s with the name of the Product and the executable bit', async (name) => {
  const files = await readTemplate(name, 'shop');
  const find = (wanted: string) => files.find(({ path }) => path === wanted);
  expect(find('test.sh')?.executable).toBe(true);
  expect(find('README.md')).toMatchObject({ executable: false });
  expect(find('README.md')?.content.toString()).toMatch(/^# shop\n/);
  expect(files.filter(({ content }) => content.toString().includes(name))).toEqual([]);
  expect(files.some(({ path }) => /(^|\/)test/.test(path) && path !== 'test.sh')).toBe(name !== 'go-service');
  expect(find('.gitignore')?.content.toString()).toContain('.service/\n');
});
