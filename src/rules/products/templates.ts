import { z } from 'zod';

/** The languages that building or running a template needs. */
export const templateLanguages = ['node', 'python', 'go'] as const;
export type TemplateLanguage = (typeof templateLanguages)[number];

type Template = { title: string; description: string; language: TemplateLanguage };

/** Each template is the folder of its name in `src/templates`. */
export const templates = {
  'static-site': {
    title: 'Static site',
    description: 'A website of plain HTML, CSS and JavaScript, with a check of its pages and links.',
    language: 'node',
  },
  'node-service': {
    title: 'Node service',
    description: 'A Node web service without dependencies, with a health check and tests.',
    language: 'node',
  },
  'python-service': {
    title: 'Python service',
    description: 'A Python web service that uses only the standard library, with a health check and tests.',
    language: 'python',
  },
  'go-service': {
    title: 'Go service',
    description: 'A Go web service that uses only the standard library, with a health check and tests.',
    language: 'go',
  },
} as const satisfies Record<string, Template>;

export type TemplateName = keyof typeof templates;
export const templateNames = Object.keys(templates) as TemplateName[];
export const TemplateName = z.enum(templateNames);

/** The languages that cannot be built or run on this machine, with the reason and the fix. */
export type MissingLanguages = Partial<Record<TemplateLanguage, string>>;

/** Returns why a Product from the template could not be released. */
export const templateViolation = (name: TemplateName, missing: MissingLanguages): string | undefined =>
  missing[templates[name].language];

/** Writes the Product's name wherever a file of the template contains the template's own name. */
export const nameTemplateText = (text: string, template: TemplateName, product: string): string =>
  text.replaceAll(template, () => product);
