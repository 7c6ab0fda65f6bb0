import { expect, it } from 'vitest';
import { nameTemplateText, TemplateName, templateViolation } from '../../../src/rules/products/templates.ts';

it('accepts the names of templates only', () => {
  expect(TemplateName.safeParse('node-service').success).toBe(true);
  expect(TemplateName.safeParse('toString').success).toBe(false);
});

it('writes the name of the Product literally', () => {
  expect(nameTemplateText('# go-service, module go-service', 'go-service', 'shop')).toBe('# shop, module shop');
  expect(nameTemplateText('go-service', 'go-service', '$&')).toBe('$&');
});

it('says why a template cannot be released on a machine without its language', () => {
  expect(templateViolation('go-service', { go: 'Go is not on PATH.' })).toBe('Go is not on PATH.');
  expect(templateViolation('node-service', { go: 'Go is not on PATH.' })).toBeUndefined();
});
